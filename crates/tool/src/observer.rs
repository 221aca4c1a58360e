//! Seeing calls without seeing their values.

use std::time::{Duration, SystemTime};

use crate::{Caller, ToolEvent, TraceParent};

/// What an observer learns of a call: ids and sizes, never values.
#[derive(Debug, Clone)]
pub struct CallInfo {
    /// A number unique in this dispatcher.
    pub call: u64,
    /// The operation, by the name of its method: `tools/call`, `resources/read`, `tools/list`, ...; `tasks/run` is the
    /// work of a task.
    pub operation: &'static str,
    /// The tool, prompt, resource or template asked for, or a task's id. Only names that exist are told, and of a
    /// resource that a template makes the template; otherwise it is empty, so that a stranger cannot write into the log.
    pub target: String,
    /// Who asks.
    pub caller: Caller,
    /// The trace that the call belongs to, as whoever called tells it.
    pub trace: Option<TraceParent>,
    /// When it was asked.
    pub began: SystemTime,
}

/// How a call ended, as observers see it.
#[derive(Debug, Clone)]
pub struct CallEnd {
    /// In which way.
    pub kind: EndKind,
    /// From admission to the end.
    pub duration: Duration,
    /// Content blocks in the result; 0 when there is none.
    pub blocks: usize,
}

/// In which way a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndKind {
    /// Completed.
    Completed,
    /// Completed, and the tool said no.
    ToolError,
    /// The client is asked for input.
    InputRequired,
    /// The work goes on in a task.
    TaskCreated,
    /// It failed with this [`crate::CallError::code`].
    Failed(&'static str),
}

impl EndKind {
    /// One word for it: `completed`, `tool_error`, `input_required`, `task_created`, or the code of the failure.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::ToolError => crate::TOOL_ERROR,
            Self::InputRequired => "input_required",
            Self::TaskCreated => "task_created",
            Self::Failed(code) => code,
        }
    }
}

/// A budget that was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// For checking arguments against the input schema.
    InputSchema,
    /// For checking a result against the output schema.
    OutputSchema,
}

impl Budget {
    /// One word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InputSchema => "input_schema",
            Self::OutputSchema => "output_schema",
        }
    }
}

/// Sees admission, start, events and end of each call. Methods must be quick: they run inside the call.
pub trait Observer: Send + Sync + 'static {
    /// A call was admitted and its target found.
    fn admitted(&self, call: &CallInfo) {
        let _ = call;
    }

    /// Its handler starts.
    fn started(&self, call: &CallInfo) {
        let _ = call;
    }

    /// An event passed to the reader.
    fn event(&self, call: &CallInfo, event: &ToolEvent) {
        let _ = (call, event);
    }

    /// A budget was used up before the call could be judged; how it ends is told apart.
    fn exhausted(&self, call: &CallInfo, budget: Budget) {
        let _ = (call, budget);
    }

    /// It ended.
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        let _ = (call, end);
    }
}
