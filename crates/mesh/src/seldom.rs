//! Lines of the log that strangers can cause as often as they like.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How many lines of a kind may come at once: enough that the first ones of several strangers are all there.
const AT_ONCE: u32 = 16;

/// How soon one more may come: a day of them is a few megabytes.
const EACH: Duration = Duration::from_secs(1);

/// Says which lines of a kind are written, where strangers can cause any number of them: at first 16, then one a second, which
/// tells how many were left out.
#[derive(Debug)]
pub struct Seldom(Mutex<Budget>);

#[derive(Debug)]
struct Budget {
    left: u32,
    /// When what is left was counted; none at first.
    counted: Option<Instant>,
    left_out: u64,
}

impl Seldom {
    /// Nothing was written yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(Budget {
            left: AT_ONCE,
            counted: None,
            left_out: 0,
        }))
    }

    /// Whether a line may be written now: then how many were left out since the last one, `Some(0)` when none was.
    pub fn may_write(&self, now: Instant) -> Option<u64> {
        let mut budget = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        budget.count(now);
        match budget.left.checked_sub(1) {
            Some(left) => {
                budget.left = left;
                Some(std::mem::take(&mut budget.left_out))
            }
            None => {
                budget.left_out = budget.left_out.saturating_add(1);
                None
            }
        }
    }
}

impl Default for Seldom {
    fn default() -> Self {
        Self::new()
    }
}

impl Budget {
    fn count(&mut self, now: Instant) {
        let counted = *self.counted.get_or_insert(now);
        let more = now.saturating_duration_since(counted).as_nanos() / EACH.as_nanos();
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        if more > 0 {
            self.left = self.left.saturating_add(more).min(AT_ONCE);
            // Parts of a second stay to be counted.
            self.counted = counted.checked_add(EACH.saturating_mul(more)).or(Some(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_lines_at_once_and_then_one_a_second_with_the_number_of_those_left_out() {
        let (seldom, now) = (Seldom::new(), Instant::now());
        for _ in 0..AT_ONCE {
            assert_eq!(seldom.may_write(now), Some(0));
        }
        assert_eq!(seldom.may_write(now), None);
        assert_eq!(
            seldom.may_write(now + EACH.saturating_sub(Duration::from_nanos(1))),
            None
        );
        assert_eq!(seldom.may_write(now + EACH), Some(2));
        assert_eq!(seldom.may_write(now + EACH), None);
        // After a long silence it is as at first.
        let later = now + EACH * 1_000;
        assert_eq!(seldom.may_write(later), Some(1));
        for _ in 1..AT_ONCE {
            assert_eq!(seldom.may_write(later), Some(0));
        }
        assert_eq!(seldom.may_write(later), None);
    }
}
