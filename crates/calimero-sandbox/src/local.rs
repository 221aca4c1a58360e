//! An application that runs in this process: one context for each of its services, one call at a time in each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::timeout;
use toolmesh_calimero::{ExecuteError, Executor, Feed, Intent, Manifest, MethodCall, events_uri};
use toolmesh_json::{Limits as JsonLimits, Value, parse_with};
use toolmesh_tool::{BoxFuture, CallContext, Mount};

use crate::engine::{CallError, Guest, GuestCall, Ran};
use crate::happened::happened;
use crate::keeper::{Context, Keeper};
use crate::limits::Limits;
use crate::turn::{Turn, Turns};
use crate::verdict::Verdict;

/// What the context of an application of one service is called.
pub const LOCAL_CONTEXT: &str = "local";

/// An application and the contexts of its services.
#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) keeper: Keeper,
    /// By name, empty for the only one.
    pub(crate) services: BTreeMap<String, Arc<LocalService>>,
    pub(crate) limits: Limits,
    /// What happened lately, by the ids of contexts.
    feed: Mutex<Feed>,
    /// Where those are told who watch.
    pub(crate) mount: OnceLock<Mount>,
}

/// A service that runs.
#[derive(Debug)]
pub(crate) struct LocalService {
    pub(crate) name: String,
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) guest: Guest,
    /// The id of its context, as it is told.
    pub(crate) context: String,
    turns: Arc<Turns>,
}

impl LocalService {
    pub(crate) fn new(name: &str, manifest: Arc<Manifest>, guest: Guest, context: &[u8; 32]) -> Self {
        Self {
            name: name.to_owned(),
            manifest,
            guest,
            context: hex::encode(context),
            turns: Arc::default(),
        }
    }

    /// What its context is called.
    pub(crate) fn alias(&self) -> &str {
        match self.name.as_str() {
            "" => LOCAL_CONTEXT,
            name => name,
        }
    }

    pub(crate) fn is_called(&self, context: &str) -> bool {
        context == self.alias() || context.eq_ignore_ascii_case(&self.context)
    }

    fn only_reads(&self, method: &str) -> bool {
        let method = self.manifest.method(method);
        method.is_some_and(|method| method.intent == Intent::ReadOnly)
    }
}

impl Local {
    pub(crate) fn new(keeper: Keeper, limits: Limits) -> Self {
        Self {
            keeper,
            services: BTreeMap::new(),
            limits,
            feed: Mutex::default(),
            mount: OnceLock::new(),
        }
    }

    /// The events of a context, by its id.
    pub(crate) fn events(&self, context: &str) -> Value {
        self.feed().of(context)
    }

    /// The service whose context is called so.
    pub(crate) fn of_context(&self, context: &str) -> Option<&Arc<LocalService>> {
        self.services.values().find(|service| service.is_called(context))
    }

    /// The service that a call is for.
    fn service(&self, call: &MethodCall) -> Result<Arc<LocalService>, ExecuteError> {
        let name = call.service.as_deref().unwrap_or_default();
        let service = self.services.get(name);
        let service =
            service.ok_or_else(|| ExecuteError::NotFound("There is no such service.".to_owned()))?;
        match call.context.as_deref() {
            Some(context) if !service.is_called(context) => Err(ExecuteError::NotFound(format!(
                "The application runs in this process, in one context: leave `_context` out, or give \"{}\".",
                service.alias()
            ))),
            _ => Ok(Arc::clone(service)),
        }
    }

    async fn run(self: Arc<Self>, call: MethodCall) -> Result<Value, ExecuteError> {
        let service = self.service(&call)?;
        let input = call.arguments.to_text().into_bytes();
        let max = self.limits.input_bytes;
        if input.len() > max {
            return Err(ExecuteError::Refused(format!(
                "The arguments have {} bytes; at most {max} are taken.",
                input.len()
            )));
        }
        // The call goes on when whoever asked does not wait any more: it may have changed something by then.
        let task = tokio::spawn(async move { self.in_turn(service, call.method, input).await });
        task.await
            .unwrap_or_else(|error| Err(told("runtime", error.to_string())))
    }

    async fn in_turn(
        self: Arc<Self>,
        service: Arc<LocalService>,
        method: String,
        input: Vec<u8>,
    ) -> Result<Value, ExecuteError> {
        let Some(turn) = service.turns.take().await else {
            return Err(told(
                "busy",
                "A call of this application took too long and could not be stopped yet; no other runs until it ends. \
                 Try again later, or start the server again.",
            ));
        };
        let verdict = Verdict::default();
        let time = self.limits.call_time;
        let mut answer = self.start(&service, method, input, turn, &verdict)?;
        let answered = match timeout(time, &mut answer).await {
            Err(_) if verdict.gives_up() => {
                let is_over = || !matches!(answer.try_recv(), Err(TryRecvError::Empty));
                service.turns.give_up(is_over);
                return Err(CallError::Overdue(time).into());
            }
            Err(_) => answer.await,
            Ok(answered) => answered,
        };
        answered.unwrap_or_else(|_| Err(told("runtime", "The thread of the call is gone.")))
    }

    /// Runs a call on a thread of its own: the pool of the process would wait for it when the process ends, and a thread
    /// that ran before remembers parts of another call.
    fn start(
        self: &Arc<Self>,
        service: &Arc<LocalService>,
        method: String,
        input: Vec<u8>,
        turn: Turn,
        verdict: &Verdict,
    ) -> Result<oneshot::Receiver<Result<Value, ExecuteError>>, ExecuteError> {
        let (sender, receiver) = oneshot::channel();
        let (local, service, verdict) = (Arc::clone(self), Arc::clone(service), verdict.clone());
        let thread = std::thread::Builder::new().name("calimero-application".to_owned());
        let started = thread.spawn(move || {
            let result = local.call(&service, &method, input, &verdict);
            // Whoever has the answer may end the source, and the file of its state is free then.
            drop(local);
            // Whoever asked may be gone.
            let _ = sender.send(result);
            drop(turn);
        });
        started.map_err(|error| told("runtime", format!("No thread could be started: {error}")))?;
        Ok(receiver)
    }

    fn call(
        &self,
        service: &LocalService,
        method: &str,
        input: Vec<u8>,
        verdict: &Verdict,
    ) -> Result<Value, ExecuteError> {
        let Some(context) = self.keeper.context(&service.name) else {
            return Err(ExecuteError::NotFound("The context is gone.".to_owned()));
        };
        let call = GuestCall {
            context: context.id,
            executor: context.executor,
            method: method.to_owned(),
            input,
        };
        let mut ran = service.guest.run(&call, &context.state, verdict);
        if !verdict.ends() {
            return Err(CallError::Overdue(self.limits.call_time).into());
        }
        if ran.committed.is_some() && service.only_reads(method) {
            tracing::warn!(
                method,
                "a method that is said to be read-only changed the state; the change was dropped, as a node does"
            );
            ran.committed = None;
        }
        if let Some(state) = ran.committed.take() {
            self.keep(service, Context { state, ..context })?;
        }
        self.tell(service, method, &ran);
        answer(ran)
    }

    fn keep(&self, service: &LocalService, context: Context) -> Result<(), ExecuteError> {
        self.keeper.keep(&service.name, context).map_err(|error| {
            tracing::error!(%error, "the state cannot be kept");
            told(
                "state",
                "The state cannot be written; nothing was changed. The log says why.",
            )
        })
    }

    /// Tells those who watch what happened in a call.
    fn tell(&self, service: &LocalService, method: &str, ran: &Ran) {
        let entries = happened(&service.manifest, method, ran);
        if entries.is_empty() {
            return;
        }
        let mut feed = self.feed();
        for (kind, data) in entries {
            feed.add(&service.context, kind, data);
        }
        drop(feed);
        if let Some(mount) = self.mount.get() {
            mount.resource_updated(&events_uri(&service.context));
            mount.resource_updated(&events_uri(service.alias()));
        }
    }

    /// A panic elsewhere leaves the feed as it is, and it is whole at any time.
    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Executes methods of an application as long as its source is there: the tools that hold it do not keep the
/// application, which itself knows where its tools are.
#[derive(Clone, Debug)]
pub(crate) struct LocalExecutor(pub(crate) Weak<Local>);

impl Executor for LocalExecutor {
    fn execute<'a>(
        &'a self,
        _context: &'a CallContext,
        call: MethodCall,
    ) -> BoxFuture<'a, Result<Value, ExecuteError>> {
        Box::pin(async move {
            match self.0.upgrade() {
                Some(local) => local.run(call).await,
                None => Err(ExecuteError::Unreachable(
                    "The application does not run any more.".to_owned(),
                )),
            }
        })
    }
}

/// What the method returned, as a value.
fn answer(ran: Ran) -> Result<Value, ExecuteError> {
    match ran.returned? {
        None => Ok(Value::null()),
        Some(bytes) => parse_with(&bytes, &JsonLimits::ceiling()).map_err(|error| {
            let (line, column) = error.locate(&bytes);
            let at = format!("line {line}, column {column}");
            told(
                "SerdeError",
                format!("The method ran, and what it returned is no JSON ({at})."),
            )
        }),
    }
}

/// A failure of this process's own, with a word for programs.
fn told(kind: &str, message: impl Into<String>) -> ExecuteError {
    ExecuteError::Node {
        kind: kind.to_owned(),
        message: message.into(),
    }
}

impl From<CallError> for ExecuteError {
    fn from(error: CallError) -> Self {
        let message = error.to_string();
        let kind = match error {
            CallError::Application(_) | CallError::Trap(_) => return Self::Guest(message),
            CallError::MethodNotFound(_) => "MethodNotFound",
            CallError::Operations(_) => "too_many_operations",
            CallError::StateFull(_) => "state_full",
            CallError::Overdue(_) => "overdue",
            CallError::OutputTooLarge { .. } => "output_too_large",
            CallError::ErrorTooLarge { .. } => "error_too_large",
            CallError::NothingRecorded => "nothing_recorded",
            CallError::Runtime(_) => "runtime",
        };
        told(kind, message)
    }
}
