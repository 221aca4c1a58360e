//! Seeing calls without seeing their values.

use std::time::Duration;

use crate::{Caller, ToolEvent};

/// What an observer learns of a call: ids and sizes, never values.
#[derive(Debug, Clone)]
pub struct CallInfo {
    /// A number unique in this dispatcher.
    pub call: u64,
    /// The operation: `tools/call`, `resources/read`, `prompts/get` or `completion/complete`.
    pub operation: &'static str,
    /// The tool, prompt or resource asked for. Only names that exist in the catalogue are told; otherwise empty, so
    /// that a stranger cannot write into the log.
    pub target: String,
    /// Who asks.
    pub caller: Caller,
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

    /// It ended.
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        let _ = (call, end);
    }
}
