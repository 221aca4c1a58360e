//! The one way to call a tool, read a resource, or get a prompt, whatever front it came by.
//!
//! The steps of a call, in this order; an earlier step's answer wins:
//!
//! 1. admission ([`Admission`])
//! 2. look-up and visibility ([`Visibility`]; hidden is the same as unknown)
//! 3. the front's own check of the found tool ([`FrontCheck`])
//! 4. client capabilities that the tool needs
//! 5. request limiter, then one tool limiter ([`Limiter`])
//! 6. queue, slot, deadline ([`CallLimits`])
//! 7. interceptor ([`Interceptor`])
//! 8. state of earlier rounds ([`crate::state`]), confirmation policy ([`Confirmation`])
//! 9. the source's rewriting of other accepted spellings ([`crate::Accept`])
//! 10. input schema and binding
//! 11. handler, or the making of a task that runs it ([`crate::task`])
//! 12. sanitizer ([`Sanitizer`]; generated errors pass it too)
//! 13. output schema
//! 14. mirroring of structured content as text, where the limits leave room for it
//! 15. output limits ([`OutputLimits`])
//! 16. what the handler asks for, with its state protected
//!
//! JSON-RPC envelopes, HTTP, and mesh frames are the fronts' own, before and after.

mod admission;
mod arguments;
mod builder;
mod completion;
mod confirmation;
mod eyes;
mod gate;
mod guard;
mod input;
mod interceptor;
mod limiter;
mod listing;
mod observe;
mod output;
mod prompt;
mod rate_limit;
mod request;
mod resource;
mod round;
mod run;
mod stream;
mod task;
mod visibility;
mod visible_watch;

use std::{
    collections::HashMap,
    sync::{Arc, Weak, atomic::AtomicU64},
};

pub use admission::{Admission, Operation};
pub(crate) use arguments::arguments_mismatch;
pub use arguments::{ARGUMENTS_MISMATCH, explain_arguments};
pub use builder::DispatcherBuilder;
pub use confirmation::{CONFIRMATION_KEY, Confirmation};
pub use gate::{CallLimits, Load};
pub use interceptor::{Interceptor, Next};
pub use limiter::Limiter;
pub use listing::VisibleCatalogue;
pub(crate) use observe::Watch;
pub use output::{OutputLimits, Sanitizer};
pub use prompt::PromptRequest;
pub use rate_limit::{LimitBy, MAX_BUCKETS, Rate, RateLimiter};
pub use request::{CallRequest, FrontCheck};
pub use resource::ReadRequest;
pub use stream::{CallItem, CallStream};
pub(crate) use task::TaskCreation;
pub use task::TaskRequest;
pub use visibility::Visibility;
pub use visible_watch::VisibleWatch;

use tokio::sync::broadcast;
use toolmesh_json::Value;

use crate::task::TaskRunner;
use crate::{
    CallError, CompletionRequest, CompletionValues, Outcome, PromptOutput, ResourceContents, Round, Task,
    TaskId, TaskService, TaskSettings, Toolbox,
};

/// Takes calls through the fixed order of steps. Cheap to clone.
#[derive(Clone)]
pub struct Dispatcher {
    shared: Arc<Shared>,
}

struct Shared {
    toolbox: Toolbox,
    admission: Option<Arc<dyn Admission>>,
    visibility: Option<Arc<dyn Visibility>>,
    request_limiter: Option<Arc<dyn Limiter>>,
    tool_limiter: Option<Arc<dyn Limiter>>,
    named_limiters: HashMap<String, Arc<dyn Limiter>>,
    gate: gate::Gate,
    interceptor: Option<Arc<dyn Interceptor>>,
    confirmation: Confirmation,
    sanitizer: Option<Arc<dyn Sanitizer>>,
    output_limits: OutputLimits,
    observers: Vec<Arc<dyn crate::Observer>>,
    /// Numbers the calls, for observers.
    calls: AtomicU64,
    endpoint: String,
    state_protector: Option<Arc<crate::StateProtector>>,
    tasks: TaskRunner,
    /// Itself, for tasks, which outlive the calls that make them.
    me: Weak<Shared>,
}

impl Dispatcher {
    /// Begins a dispatcher over `toolbox`, every policy pass-through.
    #[must_use]
    pub fn builder(toolbox: Toolbox) -> DispatcherBuilder {
        DispatcherBuilder::new(toolbox)
    }

    /// The catalogue that it serves.
    #[must_use]
    pub fn toolbox(&self) -> &Toolbox {
        &self.shared.toolbox
    }

    /// How many calls run and wait now.
    #[must_use]
    pub fn load(&self) -> Load {
        self.shared.gate.load()
    }

    /// What `caller` may see of the catalogue in a list, as it is now: the steps of a call that apply to lists, which are
    /// admission, request limiter and visibility. `revision` is that of the front's protocol, when it has any.
    ///
    /// # Errors
    /// [`CallError`] of the step that refused.
    pub async fn list(
        &self,
        caller: &crate::Caller,
        operation: Operation<'_>,
        revision: Option<&str>,
    ) -> Result<VisibleCatalogue, CallError> {
        self.shared.list(caller, operation, revision).await
    }

    /// Asks admission alone, and tells the observers of a refusal: for what belongs to a list that was counted.
    ///
    /// # Errors
    /// [`CallError`] of admission.
    pub async fn admit(&self, caller: &crate::Caller, operation: Operation<'_>) -> Result<(), CallError> {
        self.shared.admit_alone(caller, operation).await
    }

    /// What `caller` may see, as it is now, without asking admission: for what a front needs beside a list or a call that
    /// was admitted, or before anybody asks.
    #[must_use]
    pub fn visible_catalogue(&self, caller: &crate::Caller) -> VisibleCatalogue {
        VisibleCatalogue::new(
            self.shared.toolbox.snapshot(),
            self.shared.visibility.clone(),
            caller.clone(),
        )
    }

    /// Tells the observers of a question that a front refused before it came here, so that audit records have every refusal.
    /// Of a call the tool is named if there is one; nothing that was said is told.
    pub fn refused_by_front(&self, caller: &crate::Caller, operation: Operation<'_>, error: &CallError) {
        self.shared.refused_by_front(caller, operation, error);
    }

    /// Makes a call. Progress and deltas go nowhere; see [`Dispatcher::stream`].
    pub fn call(&self, request: CallRequest) -> impl Future<Output = Outcome> + Send {
        self.shared.run(request.parts, None)
    }

    /// Makes a call whose events are read while it runs. Dropping the stream cancels the call.
    #[must_use]
    pub fn stream(&self, request: CallRequest) -> CallStream {
        CallStream::new(Arc::clone(&self.shared), request.parts)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::NotFound`] when there is nothing that the caller may see at the URI;
    /// [`CallError::InputUnavailable`] when the client would have to be asked first (see [`Dispatcher::read_round`]).
    pub async fn read_resource(&self, request: ReadRequest) -> Result<Vec<ResourceContents>, CallError> {
        let round = self.shared.read_resource(request).await?;
        round.done().ok_or(CallError::InputUnavailable)
    }

    /// One round of reading a resource, for a front that can ask its client.
    ///
    /// # Errors
    /// As [`Dispatcher::read_resource`].
    pub async fn read_round(&self, request: ReadRequest) -> Result<Round<Vec<ResourceContents>>, CallError> {
        self.shared.read_resource(request).await
    }

    /// Gets a prompt.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::NotFound`] when there is no such prompt that the caller may see;
    /// [`CallError::InputUnavailable`] when the client would have to be asked first (see [`Dispatcher::prompt_round`]).
    pub async fn get_prompt(&self, request: PromptRequest) -> Result<PromptOutput, CallError> {
        let round = self.shared.get_prompt(request).await?;
        round.done().ok_or(CallError::InputUnavailable)
    }

    /// One round of getting a prompt, for a front that can ask its client.
    ///
    /// # Errors
    /// As [`Dispatcher::get_prompt`].
    pub async fn prompt_round(&self, request: PromptRequest) -> Result<Round<PromptOutput>, CallError> {
        self.shared.get_prompt(request).await
    }

    /// The record of a task that a call of `caller` just became ([`Outcome::TaskCreated`]), for the answer to that call.
    ///
    /// # Errors
    /// [`CallError`] when the store fails.
    pub async fn created_task(&self, id: &TaskId, caller: &crate::Caller) -> Result<Task, CallError> {
        self.shared.created_task(id, caller).await
    }

    /// Reads a task. A completed result passes sanitizer, output schema, mirroring and output limits on every reading.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::NotFound`] when there is no such task, or it is another partition's, or expired.
    pub async fn task(&self, request: TaskRequest) -> Result<Task, CallError> {
        self.shared.get_task(request).await
    }

    /// Hands the client's answers, an object by key, to a task that asked for input; see [`Task::answer`].
    ///
    /// # Errors
    /// As [`Dispatcher::task`].
    pub async fn answer_task(&self, request: TaskRequest, responses: Value) -> Result<(), CallError> {
        self.shared.answer_task(request, responses).await
    }

    /// Asks a task to stop; no failure when it is over already.
    ///
    /// # Errors
    /// As [`Dispatcher::task`].
    pub async fn cancel_task(&self, request: TaskRequest) -> Result<(), CallError> {
        self.shared.cancel_task(request).await
    }

    /// How tasks are run.
    #[must_use]
    pub fn task_settings(&self) -> &TaskSettings {
        self.shared.tasks.settings()
    }

    /// Tasks whose state changed on this server. Changes on other servers are seen only by reading the task.
    #[must_use]
    pub fn task_changes(&self) -> broadcast::Receiver<TaskId> {
        self.shared.tasks.changes()
    }

    /// Begins to take over idle tasks, on the current runtime; call it when the catalogue is filled.
    pub fn serve_tasks(&self) -> TaskService {
        TaskService::start(self.shared.tasks.clone())
    }

    /// Completes an argument of a prompt or a variable of a resource template.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::NotFound`] when there is no such reference that the caller may see.
    pub async fn complete(&self, request: CompletionRequest) -> Result<CompletionValues, CallError> {
        self.shared.complete(request).await
    }
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher")
            .field("confirmation", &self.shared.confirmation)
            .finish_non_exhaustive()
    }
}
