//! Small patterns that were compiled before, for all documents of the process.
//!
//! A compiled pattern is immutable, and a clone of it shares the program but not the memory that searches work in, so
//! documents do not wait for each other.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::matcher::Matcher;

/// The most patterns that are kept. The first ones stay: whoever floods the process with patterns of their own displaces
/// none of them, and each is small.
pub(super) const MAX_KNOWN: usize = 128;

/// The longest source that is kept, in bytes.
pub(super) const MAX_SOURCE: usize = 256;

static KNOWN: LazyLock<Mutex<HashMap<Box<str>, Matcher>>> = LazyLock::new(Mutex::default);

/// The compiled form of `source`, if it is known.
pub(super) fn find(source: &str) -> Option<Matcher> {
    if source.len() > MAX_SOURCE {
        return None;
    }
    known().get(source).cloned()
}

/// Keeps the compiled form of `source`, if there is room.
pub(super) fn keep(source: &str, matcher: &Matcher) {
    let mut known = known();
    if source.len() <= MAX_SOURCE && known.len() < MAX_KNOWN {
        known.insert(source.into(), matcher.clone());
    }
}

/// The map is whole after every step, also after one that panicked.
fn known() -> MutexGuard<'static, HashMap<Box<str>, Matcher>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_as_long_as_there_is_room() {
        let (matcher, ..) = Matcher::build("known", 1 << 20).unwrap();
        let long = "k".repeat(MAX_SOURCE + 1);
        keep(&long, &matcher);
        assert!(find(&long).is_none());
        let longest = "k".repeat(MAX_SOURCE);
        keep(&longest, &matcher);
        assert!(find(&longest).is_some_and(|found| found.is_match("known")));
        for place in 0..=MAX_KNOWN {
            keep(&format!("known {place}"), &matcher);
        }
        assert_eq!(known().len(), MAX_KNOWN);
        assert!(find(&format!("known {MAX_KNOWN}")).is_none());
    }
}
