//! Small patterns that were compiled before, for all documents of the process.
//!
//! A compiled pattern is immutable, and a clone of it shares the program but not the memory that searches work in, so
//! documents do not wait for each other.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use regex::Regex;

/// The most patterns that are kept. The first ones stay: whoever floods the process with patterns of their own displaces
/// none of them, and each is small.
pub(super) const MAX_KNOWN: usize = 128;

/// The longest source that is kept, in bytes.
pub(super) const MAX_SOURCE: usize = 256;

static KNOWN: LazyLock<Mutex<HashMap<Box<str>, Regex>>> = LazyLock::new(Mutex::default);

/// The compiled form of `source`, if it is known.
pub(super) fn find(source: &str) -> Option<Regex> {
    if source.len() > MAX_SOURCE {
        return None;
    }
    known().get(source).cloned()
}

/// Keeps the compiled form of `source`, if there is room.
pub(super) fn keep(source: &str, regex: &Regex) {
    let mut known = known();
    if source.len() <= MAX_SOURCE && known.len() < MAX_KNOWN {
        known.insert(source.into(), regex.clone());
    }
}

/// The map is whole after every step, also after one that panicked.
fn known() -> MutexGuard<'static, HashMap<Box<str>, Regex>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_as_long_as_there_is_room() {
        let regex = Regex::new("^known$").unwrap();
        let long = "k".repeat(MAX_SOURCE + 1);
        keep(&long, &regex);
        assert!(find(&long).is_none());
        let longest = "k".repeat(MAX_SOURCE);
        keep(&longest, &regex);
        assert!(find(&longest).is_some_and(|found| found.is_match("known")));
        for place in 0..=MAX_KNOWN {
            keep(&format!("known {place}"), &regex);
        }
        assert_eq!(known().len(), MAX_KNOWN);
        assert!(find(&format!("known {MAX_KNOWN}")).is_none());
    }
}
