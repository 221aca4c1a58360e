//! Calls that become tasks, the work of tasks, and what a client does with them.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Instant,
};

use futures_util::future::BoxFuture;
use semver::{Comparator, Op, Version, VersionReq};
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;
use tracing::Instrument;

use super::{Operation, Shared, input::check_requests, observe::Asked, output};
use crate::{
    CallContext, CallError, Caller, CatalogueTool, FrontInfo, InputRequired, Outcome, Resumption, Tool,
    state::MAX_ROUNDS,
    task::{
        NewTask, Task, TaskCall, TaskClaim, TaskControl, TaskEnd, TaskId, TaskMode, TaskOutcome, TaskOwner,
        TaskState, TaskStep, TaskStoreError, TaskWork, failed, worker_lost,
    },
};

/// A question about a task.
#[derive(Debug)]
pub struct TaskRequest {
    /// The task.
    pub id: TaskId,
    /// Who asks; another partition's task is not there.
    pub caller: Caller,
    /// What the front knows.
    pub front: FrontInfo,
}

impl TaskRequest {
    /// Asks for the task `id` for `caller`.
    pub fn new(id: impl Into<String>, caller: Caller) -> Self {
        Self {
            id: TaskId::new(id),
            caller,
            front: FrontInfo::default(),
        }
    }
}

/// Makes the task of one call, when its handler wants that; in [`CallContext::create_task`].
#[derive(Clone)]
pub(crate) struct TaskCreation {
    shared: Weak<Shared>,
    call: TaskCall,
}

impl fmt::Debug for TaskCreation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskCreation")
    }
}

impl TaskCreation {
    pub(crate) async fn create(&self, checkpoint: Option<String>) -> Result<TaskId, CallError> {
        let shared = self.shared.upgrade();
        let shared = shared.ok_or_else(|| CallError::Internal("the dispatcher is gone".to_owned()))?;
        shared.create_task(self.call.clone(), checkpoint).await
    }
}

impl Shared {
    /// What makes a task of this call, if its handler may.
    pub(super) fn task_creation(
        &self,
        context: &CallContext,
        found: &CatalogueTool,
        arguments: &Value,
    ) -> Option<TaskCreation> {
        let allowed = found.tool().task_mode() == TaskMode::Allowed
            && context
                .front()
                .capabilities
                .has(&crate::ClientCapability::Extension(
                    crate::TASKS_EXTENSION.to_owned(),
                ));
        allowed.then(|| TaskCreation {
            shared: self.me.clone(),
            call: task_call(context, found, arguments.clone()),
        })
    }

    /// Runs the handler, or makes a task that will.
    pub(super) async fn handle(
        &self,
        context: CallContext,
        found: &CatalogueTool,
        arguments: Value,
    ) -> Outcome {
        if found.tool().task_mode() != TaskMode::Required {
            let creation = self.task_creation(&context, found, &arguments);
            let context = match creation {
                None => context,
                Some(creation) => context.with_task_creation(creation),
            };
            return found.tool().handler().call(context, arguments).await;
        }
        // Seldom, and large beside what every call is: apart.
        let creation = self.create_task(task_call(&context, found, arguments), None);
        match Box::pin(creation).await {
            Ok(id) => Outcome::TaskCreated(id),
            Err(error) => error.into(),
        }
    }

    async fn create_task(&self, call: TaskCall, checkpoint: Option<String>) -> Result<TaskId, CallError> {
        let id = TaskId::random();
        let id = id.ok_or_else(|| CallError::Internal("no random bytes for a task's name".to_owned()))?;
        let new = NewTask {
            id: id.clone(),
            owner: self.owner(&call.caller),
            call,
            checkpoint,
            time_to_live: self.tasks.settings().time_to_live,
        };
        self.tasks.store().create(new).await.map_err(store_error)?;
        self.tasks.start(&id).await;
        Ok(id)
    }

    fn owner(&self, caller: &Caller) -> TaskOwner {
        TaskOwner {
            endpoint: self.endpoint.clone(),
            partition: caller.partition.clone(),
        }
    }

    /// Does what a claim says.
    async fn work_on(
        &self,
        claim: TaskClaim,
        control: TaskControl,
        cancellation: CancellationToken,
    ) -> TaskEnd {
        let call = &claim.task.call;
        let catalogue = self.toolbox.snapshot();
        let Some(found) = catalogue.tool(&call.tool, Some(&compatible(&call.version))) else {
            return failed("unknown_tool", "The tool is not there any more.");
        };
        let operation = Operation::RunTask(found.name().as_str());
        let front = FrontInfo {
            method: "tools/call".into(),
            revision: call.revision.clone().map(Into::into),
            capabilities: call.capabilities.clone(),
            ..FrontInfo::default()
        };
        let asked = Asked::now(&call.caller, operation, &front);
        let watch = self.observe(&asked, found.name().as_str());
        let span = asked.span(found.name().as_str());
        watch.admitted();
        let context = CallContext::builder(call.caller.clone())
            .cancellation(cancellation)
            .front(front.clone())
            .watch(watch.clone())
            .raw_arguments(call.arguments.clone())
            .input_responses(claim.task.answers_value())
            .state(claim.task.handler_state.clone())
            .idempotency_key(call.idempotency_key.clone())
            .task(control)
            .build();
        watch.started();
        let Some(outcome) = run_handler(found.tool(), &claim, &context).instrument(span).await else {
            watch.call_ended(&CallError::Internal("the worker was lost".to_owned()).into());
            return worker_lost();
        };
        watch.call_ended(&outcome);
        self.end_of(&context, found, &claim.task, outcome)
    }

    /// What the outcome of a handler means for its task.
    fn end_of(&self, context: &CallContext, found: &CatalogueTool, task: &Task, outcome: Outcome) -> TaskEnd {
        match outcome {
            Outcome::Completed(result) => {
                // Kept as the tool gave it, and looked at now, so that a task never completes with what nobody could
                // ever read.
                match self.finish(context, found, result.clone().into()) {
                    Outcome::Failed(error) => end_of_error(error),
                    _ => TaskEnd::Ended(TaskOutcome::Completed(result)),
                }
            }
            Outcome::InputRequired(input) => match check_asking(found.tool(), task, &input) {
                Ok(()) => TaskEnd::Ask(input),
                Err(end) => end,
            },
            Outcome::TaskCreated(_) => failed("internal", "The tool failed."),
            Outcome::Failed(error) => end_of_error(error),
        }
    }

    /// A completed result as it may leave.
    pub(super) fn finish(&self, context: &CallContext, found: &CatalogueTool, outcome: Outcome) -> Outcome {
        output::finish(
            self.sanitizer.as_deref(),
            &self.output_limits,
            context,
            found,
            outcome,
        )
    }

    /// The record of a task as it was created: not a question of its own, so no limiter is asked.
    pub(super) async fn created_task(&self, id: &TaskId, caller: &Caller) -> Result<Task, CallError> {
        let found = self.tasks.store().find(&self.owner(caller), id).await;
        found.map_err(store_error)
    }

    /// `tasks/get`.
    pub(super) async fn get_task(&self, request: TaskRequest) -> Result<Task, CallError> {
        let began = Instant::now();
        let read = self.read_task(&request).await;
        self.tell(&request, Operation::GetTask(request.id.as_str()), began, &read);
        read
    }

    async fn read_task(&self, request: &TaskRequest) -> Result<Task, CallError> {
        let operation = Operation::GetTask(request.id.as_str());
        let mut task = self.find_task(request, operation).await?;
        let catalogue = self.toolbox.snapshot();
        let found = catalogue
            .tool(&task.call.tool, Some(&compatible(&task.call.version)))
            .filter(|tool| {
                let see = self.visibility.as_ref();
                see.is_none_or(|see| see.tool(&request.caller, tool))
            })
            .ok_or_else(|| CallError::Internal("the tool of the task is not there".to_owned()))?;
        if let TaskState::Ended(TaskOutcome::Completed(result)) = &mut task.state {
            let context = CallContext::builder(request.caller.clone())
                .front(request.front.clone())
                .raw_arguments(task.call.arguments.clone())
                .build();
            match self.finish(&context, found, std::mem::take(result).into()) {
                Outcome::Completed(finished) => *result = finished,
                Outcome::Failed(error) => return Err(error),
                _ => {
                    return Err(CallError::Internal(
                        "a result turned into something else".to_owned(),
                    ));
                }
            }
        }
        Ok(task)
    }

    /// `tasks/update`.
    pub(super) async fn answer_task(&self, request: TaskRequest, responses: Value) -> Result<(), CallError> {
        let began = Instant::now();
        let operation = Operation::AnswerTask(request.id.as_str());
        let answered = async {
            self.find_task(&request, operation).await?;
            let owner = self.owner(&request.caller);
            let task = self.tasks.store().answer(&owner, &request.id, responses).await;
            let task = task.map_err(store_error)?;
            self.tasks.changed(&task.id);
            if task.state == TaskState::Working {
                self.tasks.start(&task.id).await;
            }
            Ok(())
        }
        .await;
        self.tell(&request, operation, began, &answered);
        answered
    }

    /// `tasks/cancel`.
    pub(super) async fn cancel_task(&self, request: TaskRequest) -> Result<(), CallError> {
        let began = Instant::now();
        let operation = Operation::CancelTask(request.id.as_str());
        let cancelled = async {
            self.find_task(&request, operation).await?;
            let owner = self.owner(&request.caller);
            let task = self.tasks.store().request_cancel(&owner, &request.id).await;
            let task = task.map_err(store_error)?;
            self.tasks.cancel(&task.id);
            self.tasks.changed(&task.id);
            Ok(())
        }
        .await;
        self.tell(&request, operation, began, &cancelled);
        cancelled
    }

    async fn find_task(&self, request: &TaskRequest, operation: Operation<'_>) -> Result<Task, CallError> {
        self.admit(&request.caller, operation).await?;
        self.limit_request(&request.caller)?;
        let owner = self.owner(&request.caller);
        let found = self.tasks.store().find(&owner, &request.id).await;
        found.map_err(store_error)
    }

    fn tell<T>(
        &self,
        request: &TaskRequest,
        operation: Operation<'_>,
        began: Instant,
        result: &Result<T, CallError>,
    ) {
        let asked = Asked {
            began,
            ..Asked::now(&request.caller, operation, &request.front)
        };
        match result {
            Err(error) => self.refused(&asked, error),
            Ok(_) => {
                let watch = self.observe(&asked, request.id.as_str());
                watch.admitted();
                watch.read_ended(result);
            }
        }
    }
}

impl TaskWork for Shared {
    fn work(
        self: Arc<Self>,
        claim: TaskClaim,
        control: TaskControl,
        cancellation: CancellationToken,
    ) -> BoxFuture<'static, TaskEnd> {
        Box::pin(async move { self.work_on(claim, control, cancellation).await })
    }
}

/// Calls the handler that goes on with the task; `None` when there is none.
async fn run_handler(tool: &Tool, claim: &TaskClaim, context: &CallContext) -> Option<Outcome> {
    let arguments = claim.task.call.arguments.clone();
    let from_the_start = claim.step != TaskStep::Resume && tool.task_mode() == TaskMode::Required;
    if from_the_start {
        return Some(tool.handler().call(context.clone(), arguments).await);
    }
    let resumption = Resumption {
        arguments,
        checkpoint: claim.task.checkpoint.clone(),
    };
    Some(tool.resume_handler()?.resume(context.clone(), resumption).await)
}

/// Whether a task may ask for this: now there is no front that could refuse.
fn check_asking(tool: &Tool, task: &Task, input: &InputRequired) -> Result<(), TaskEnd> {
    if task.rounds >= MAX_ROUNDS {
        return Err(failed("too_many_rounds", "The tool asked for input too often."));
    }
    check_requests(tool, input).map_err(end_of_error)?;
    let needed: Vec<_> = input
        .requests
        .values()
        .map(|request| request.capability())
        .collect();
    let missing = task.call.capabilities.missing(&needed);
    if missing.is_empty() {
        Ok(())
    } else {
        Err(end_of_error(CallError::MissingCapability(missing)))
    }
}

fn end_of_error(error: CallError) -> TaskEnd {
    match error {
        CallError::Cancelled => TaskEnd::Ended(TaskOutcome::Cancelled),
        CallError::InvalidArguments(result) => TaskEnd::Ended(TaskOutcome::Completed(*result)),
        error => {
            tracing::warn!(code = error.code(), %error, "a task failed");
            failed(error.code(), &error.public_text())
        }
    }
}

fn task_call(context: &CallContext, found: &CatalogueTool, arguments: Value) -> TaskCall {
    let front = context.front();
    TaskCall {
        tool: found.name().to_string(),
        version: found.tool().version().clone(),
        arguments,
        caller: context.caller().clone(),
        revision: front.revision.as_deref().map(str::to_owned),
        capabilities: front.capabilities.clone(),
        idempotency_key: context.idempotency_key().to_owned(),
    }
}

/// The version itself and those that may go on with its tasks: what semantic versioning calls compatible.
fn compatible(version: &Version) -> VersionReq {
    VersionReq {
        comparators: vec![Comparator {
            op: Op::Caret,
            major: version.major,
            minor: Some(version.minor),
            patch: Some(version.patch),
            pre: version.pre.clone(),
        }],
    }
}

fn store_error(error: TaskStoreError) -> CallError {
    match error {
        TaskStoreError::Unknown => CallError::NotFound("task"),
        TaskStoreError::Full => CallError::QueueFull,
        error => CallError::Internal(error.to_string()),
    }
}
