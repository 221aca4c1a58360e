//! What a task is.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use indexmap::IndexMap;
use semver::Version;
use toolmesh_json::Value;

use crate::{Caller, ClientCapabilities, InputRequest, InputRequired, ToolResult};

/// The identifier of a task: opaque, unguessable text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// Takes an identifier that was made before.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Makes a new one of 192 random bits; `None` when the operating system gives no random bytes.
    #[must_use]
    pub fn random() -> Option<Self> {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whom a task belongs to; for everybody else it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskOwner {
    /// The endpoint it was created at. Servers that share a store and an endpoint's name offer the same tools, and
    /// take over each other's tasks.
    pub endpoint: String,
    /// The caller's authorization partition.
    pub partition: String,
}

/// The call that a task carries out; it never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskCall {
    /// The tool's published name.
    pub tool: String,
    /// Its version at the time.
    pub version: Version,
    /// The validated arguments.
    pub arguments: Value,
    /// Who asked.
    pub caller: Caller,
    /// The protocol revision, as the front said it.
    pub revision: Option<String>,
    /// What the client could do.
    pub capabilities: ClientCapabilities,
    /// The same for every retry of one logical call; empty when the caller gave none.
    pub idempotency_key: String,
}

/// A task to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// Its identifier.
    pub id: TaskId,
    /// Whom it belongs to.
    pub owner: TaskOwner,
    /// What it carries out.
    pub call: TaskCall,
    /// What the work starts from, when the call itself did the first part.
    pub checkpoint: Option<String>,
    /// How long it is kept after its creation; `None` means as long as the store lives.
    pub time_to_live: Option<Duration>,
}

/// Where a task stands. `Ended` is final and immutable.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    /// It is being worked on, or waits for a worker.
    Working,
    /// It waits for answers.
    InputRequired(InputRequired),
    /// It is over.
    Ended(TaskOutcome),
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskOutcome {
    /// With a result, also when the tool said no. As the tool gave it: a sanitizer sees it on every reading.
    Completed(ToolResult),
    /// By a failure.
    Failed(TaskFailure),
    /// By cancellation.
    Cancelled,
}

/// Why a task failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFailure {
    /// A stable code: one of [`crate::CallError::code`], `worker_lost`, or `too_many_rounds`.
    pub code: String,
    /// A fixed sentence that may be told to whoever asked.
    pub message: String,
}

/// What the next worker of a task has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStep {
    /// Begin: nobody has worked on it.
    Start,
    /// Go on with the answers that came.
    Answered,
    /// Go on where another worker stopped without ending it.
    Resume,
}

/// Who works on a task, and for how long unless it says so again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The worker's own name, for the operator.
    pub worker: String,
    /// When it ends, by the store's clock.
    pub until: SystemTime,
}

/// The fencing token of a claim: higher with every claim of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimToken(pub u64);

/// A task as the store keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its identifier.
    pub id: TaskId,
    /// Whom it belongs to.
    pub owner: TaskOwner,
    /// What it carries out.
    pub call: TaskCall,
    /// Where it stands.
    pub state: TaskState,
    /// What it does now, for people.
    pub status_message: Option<String>,
    /// What its next worker has to do.
    pub step: TaskStep,
    /// What the work goes on from.
    pub checkpoint: Option<String>,
    /// What the handler wanted to know again when it asked for input.
    pub handler_state: Option<String>,
    /// The answers that came since it last asked, by key.
    pub answers: IndexMap<String, Value>,
    /// How often it asked.
    pub rounds: u32,
    /// How often it was resumed since its last checkpoint.
    pub resumes: u32,
    /// When it was created.
    pub created_at: SystemTime,
    /// When it last changed (a renewed lease is no change).
    pub updated_at: SystemTime,
    /// How long it is kept after its creation; `None` means as long as the store lives.
    pub time_to_live: Option<Duration>,
    /// The client asked to stop it.
    pub cancel_requested: bool,
    /// Who works on it.
    pub lease: Option<Lease>,
    /// The token of the last claim; 0 when there was none.
    pub token: ClaimToken,
    /// Higher with every write: by this the store swaps a record only for the one that was read.
    pub revision: u64,
}

impl Task {
    /// The record of a new task.
    #[must_use]
    pub fn new(new: NewTask, now: SystemTime) -> Self {
        Self {
            id: new.id,
            owner: new.owner,
            call: new.call,
            state: TaskState::Working,
            status_message: None,
            step: TaskStep::Start,
            checkpoint: new.checkpoint,
            handler_state: None,
            answers: IndexMap::new(),
            rounds: 0,
            resumes: 0,
            created_at: now,
            updated_at: now,
            time_to_live: new.time_to_live,
            cancel_requested: false,
            lease: None,
            token: ClaimToken(0),
            revision: 0,
        }
    }

    /// Whether it is over and may only be read.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        matches!(self.state, TaskState::Ended(_))
    }

    /// When it is forgotten.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.created_at.checked_add(self.time_to_live?)
    }

    /// Whether it is to be forgotten at `now`.
    #[must_use]
    pub fn is_expired(&self, now: SystemTime) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }

    /// What is asked and not answered yet.
    #[must_use]
    pub fn outstanding(&self) -> IndexMap<String, InputRequest> {
        match &self.state {
            TaskState::InputRequired(input) => input
                .requests
                .iter()
                .filter(|(key, _)| !self.answers.contains_key(*key))
                .map(|(key, request)| (key.clone(), request.clone()))
                .collect(),
            _ => IndexMap::new(),
        }
    }

    /// The answers as one object, when there are any.
    #[must_use]
    pub fn answers_value(&self) -> Option<Value> {
        (!self.answers.is_empty()).then(|| {
            let answers = self.answers.iter();
            let mut object = Value::object();
            answers.for_each(|(key, answer)| object.insert(key.as_str(), answer));
            object.build()
        })
    }
}

/// What a worker writes.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskChange {
    /// What the work goes on from when this worker dies.
    Checkpoint(String),
    /// What it does now, for people.
    Status(String),
    /// It waits for answers; the lease ends.
    Ask(InputRequired),
    /// It is over; the lease ends.
    End(TaskOutcome),
    /// The worker stops without ending it; the lease ends and another one may go on at once.
    Release,
}

/// A task that is now one's own to work on.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskClaim {
    /// The task, after the claim.
    pub task: Task,
    /// What every write must carry.
    pub token: ClaimToken,
    /// What there is to do.
    pub step: TaskStep,
}
