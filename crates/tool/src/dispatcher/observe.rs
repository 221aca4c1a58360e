//! Telling observers of a call.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Instant, SystemTime},
};

use tracing::{Span, field::Empty};

use super::{Operation, Shared};
use crate::{
    Budget, CallEnd, CallError, CallInfo, Caller, EndKind, FrontInfo, Observer, Outcome, Round, ToolEvent,
    TraceParent,
};

/// One call as its observers see it; costs nothing when nobody observes.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    seen: Option<Arc<Seen>>,
}

struct Seen {
    info: CallInfo,
    began: Instant,
    observers: Vec<Arc<dyn Observer>>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("observed", &self.seen.is_some())
            .finish()
    }
}

impl Watch {
    fn each(&self, tell: impl Fn(&dyn Observer, &Seen)) {
        if let Some(seen) = &self.seen {
            seen.observers
                .iter()
                .for_each(|observer| tell(observer.as_ref(), seen));
        }
    }

    pub(super) fn admitted(&self) {
        self.each(|observer, seen| observer.admitted(&seen.info));
    }

    pub(super) fn started(&self) {
        self.each(|observer, seen| observer.started(&seen.info));
    }

    pub(crate) fn event(&self, event: &ToolEvent) {
        self.each(|observer, seen| observer.event(&seen.info, event));
    }

    pub(crate) fn exhausted(&self, budget: Budget) {
        self.each(|observer, seen| observer.exhausted(&seen.info, budget));
    }

    fn ended(&self, kind: EndKind, blocks: usize) {
        self.each(|observer, seen| {
            observer.ended(
                &seen.info,
                &CallEnd {
                    kind,
                    duration: seen.began.elapsed(),
                    blocks,
                },
            );
        });
    }

    pub(super) fn call_ended(&self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed(result) if result.is_error => {
                self.ended(EndKind::ToolError, result.content.len())
            }
            Outcome::Completed(result) => self.ended(EndKind::Completed, result.content.len()),
            Outcome::InputRequired(_) => self.ended(EndKind::InputRequired, 0),
            Outcome::TaskCreated(_) => self.ended(EndKind::TaskCreated, 0),
            Outcome::Failed(error) => self.ended(EndKind::Failed(error.code()), 0),
        }
    }

    pub(super) fn round_ended<T>(&self, result: &Result<Round<T>, CallError>) {
        match result {
            Ok(Round::InputRequired(_)) => self.ended(EndKind::InputRequired, 0),
            _ => self.read_ended(result),
        }
    }

    pub(super) fn read_ended<T>(&self, result: &Result<T, CallError>) {
        match result {
            Ok(_) => self.ended(EndKind::Completed, 0),
            Err(error) => self.ended(EndKind::Failed(error.code()), 0),
        }
    }
}

/// What is known of a question before anything was looked up.
pub(super) struct Asked<'a> {
    pub(super) caller: &'a Caller,
    pub(super) operation: Operation<'a>,
    pub(super) front: &'a FrontInfo,
    pub(super) headers: &'a [(String, String)],
    pub(super) began: Instant,
}

impl<'a> Asked<'a> {
    /// Asked now, without headers.
    pub(super) fn now(caller: &'a Caller, operation: Operation<'a>, front: &'a FrontInfo) -> Self {
        Self {
            caller,
            operation,
            front,
            headers: &[],
            began: Instant::now(),
        }
    }

    /// The same, with the headers that came along.
    pub(super) fn with(mut self, headers: &'a [(String, String)]) -> Self {
        self.headers = headers;
        self
    }

    fn trace(&self) -> Option<TraceParent> {
        TraceParent::of(self.front, self.headers)
    }

    /// The span in which the question is answered. It names who asked by transport alone, and nothing that was said.
    pub(super) fn span(&self, target: &str) -> Span {
        let span = tracing::debug_span!(
            target: "toolmesh::call",
            "call",
            operation = self.operation.name(),
            name = target,
            transport = ?self.caller.transport,
            trace = Empty,
        );
        if !span.is_disabled()
            && let Some(trace) = self.trace()
        {
            span.record("trace", tracing::field::display(trace));
        }
        span
    }
}

impl Shared {
    /// Begins to tell of a question; `target` is empty unless it exists in the catalogue.
    pub(super) fn observe(&self, asked: &Asked<'_>, target: &str) -> Watch {
        if self.observers.is_empty() {
            return Watch { seen: None };
        }
        let now = SystemTime::now();
        let info = CallInfo {
            call: self.calls.fetch_add(1, Ordering::Relaxed),
            operation: asked.operation.name(),
            target: target.to_owned(),
            caller: asked.caller.clone(),
            trace: asked.trace(),
            began: now.checked_sub(asked.began.elapsed()).unwrap_or(now),
        };
        Watch {
            seen: Some(Arc::new(Seen {
                info,
                began: asked.began,
                observers: self.observers.clone(),
            })),
        }
    }

    /// Tells of a question that a front refused. A tool that exists is named, since the front has judged it.
    pub(super) fn refused_by_front(&self, caller: &Caller, operation: Operation<'_>, error: &CallError) {
        let front = FrontInfo::default();
        let asked = Asked::now(caller, operation, &front);
        let catalogue = self.toolbox.snapshot();
        let target = match operation {
            Operation::CallTool(name) => catalogue.tool(name, None).map(|found| found.name().as_str()),
            _ => None,
        };
        self.observe(&asked, target.unwrap_or_default())
            .ended(EndKind::Failed(error.code()), 0);
    }

    /// Tells of a question that ended before its target was known to exist.
    pub(super) fn refused(&self, asked: &Asked<'_>, error: &CallError) {
        self.observe(asked, "").ended(EndKind::Failed(error.code()), 0);
    }
}
