//! Sharing the member names of one document: an array of like objects holds each name once.

use std::sync::Arc;

const SLOTS: usize = 64;
/// Longer names hardly repeat, and comparing them costs more than it saves.
const LONGEST: usize = 40;

/// The names seen last, one for each slot.
pub(crate) struct Names([Option<Arc<str>>; SLOTS]);

impl Names {
    pub(crate) fn new() -> Names {
        Names([const { None }; SLOTS])
    }

    /// The name, shared with an earlier one when that is still in its slot.
    #[inline]
    pub(crate) fn share(&mut self, name: &str) -> Arc<str> {
        if name.len() > LONGEST {
            return Arc::from(name);
        }
        let Some(slot) = self.0.get_mut(slot_of(name.as_bytes())) else {
            return Arc::from(name);
        };
        match slot {
            Some(known) if **known == *name => Arc::clone(known),
            _ => Arc::clone(slot.insert(Arc::from(name))),
        }
    }
}

fn slot_of(name: &[u8]) -> usize {
    let at = |index: usize| usize::from(name.get(index).copied().unwrap_or_default());
    let length = name.len();
    (length.wrapping_mul(37)
        + at(0).wrapping_mul(11)
        + at(length / 2).wrapping_mul(5)
        + at(length.wrapping_sub(1)))
        % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_name_is_held_once() {
        let mut names = Names::new();
        let first = names.share("amount");
        assert!(Arc::ptr_eq(&first, &names.share("amount")));
    }

    #[test]
    fn names_that_meet_in_one_slot_are_kept_apart() {
        let mut names = Names::new();
        for index in 0..1_000 {
            let name = format!("name {index}");
            assert_eq!(&*names.share(&name), name);
        }
        assert_eq!(&*names.share(""), "");
        assert_eq!(&*names.share(&"long".repeat(100)), "long".repeat(100));
    }
}
