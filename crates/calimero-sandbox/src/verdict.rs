//! Who has the last word on a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const OVERDUE: u8 = 2;

/// Who has the last word on a call: the thread that ends it, or whoever waited too long for it. The first of the two
/// decides, so a call that was given up never changes anything, and one that changed something is never given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict(Arc<AtomicU8>);

impl Verdict {
    /// The call ended; false when it was given up before.
    pub(crate) fn ends(&self) -> bool {
        self.decide(ENDED)
    }

    /// The call is given up; false when it ended before.
    pub(crate) fn gives_up(&self) -> bool {
        self.decide(OVERDUE)
    }

    /// Whether the call was given up.
    pub(crate) fn is_overdue(&self) -> bool {
        self.0.load(Ordering::Acquire) == OVERDUE
    }

    fn decide(&self, verdict: u8) -> bool {
        self.0
            .compare_exchange(RUNNING, verdict, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_the_last() {
        let verdict = Verdict::default();
        assert!(!verdict.is_overdue());
        assert!(verdict.gives_up());
        assert!(verdict.is_overdue() && !verdict.ends());
        let other = Verdict::default();
        assert!(other.ends());
        assert!(!other.gives_up() && !other.is_overdue());
    }
}
