//! Telling observers of a call.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use super::{Operation, Shared};
use crate::{CallEnd, CallError, CallInfo, Caller, EndKind, Observer, Outcome, Round, ToolEvent};

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

impl Shared {
    /// Begins to tell of a call; `target` is empty unless it exists in the catalogue.
    pub(super) fn observe(
        &self,
        caller: &Caller,
        operation: Operation<'_>,
        target: &str,
        began: Instant,
    ) -> Watch {
        if self.observers.is_empty() {
            return Watch { seen: None };
        }
        let info = CallInfo {
            call: self.calls.fetch_add(1, Ordering::Relaxed),
            operation: operation.name(),
            target: target.to_owned(),
            caller: caller.clone(),
        };
        Watch {
            seen: Some(Arc::new(Seen {
                info,
                began,
                observers: self.observers.clone(),
            })),
        }
    }
}

/// Tells of a call that ended before its target was known to exist.
pub(super) fn refused(
    shared: &Shared,
    caller: &Caller,
    operation: Operation<'_>,
    began: Instant,
    error: &CallError,
) {
    shared
        .observe(caller, operation, "", began)
        .ended(EndKind::Failed(error.code()), 0);
}
