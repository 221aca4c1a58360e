//! Which parts of a value schemas have spoken of: what `unevaluatedProperties` and `unevaluatedItems` ask.
//!
//! While a schema with one of them is open, every schema on the same value leaves marks on one log. A schema that does
//! not fit takes its own marks back, so that the log always holds what the fitting ones have seen.

use std::collections::HashSet;

/// A part of a value that a schema has spoken of.
#[derive(Clone, Copy)]
pub(crate) enum Mark<'v> {
    Member(&'v str),
    Item(usize),
    ItemsBelow(usize),
    EveryItem,
}

/// The marks of the values that are open, innermost last.
#[derive(Default)]
pub(crate) struct Marks<'v> {
    log: Vec<Mark<'v>>,
}

impl<'v> Marks<'v> {
    pub(crate) fn push(&mut self, mark: Mark<'v>) {
        self.log.push(mark);
    }

    /// Where the log ends: what a schema that is about to be judged comes back to if it does not fit.
    pub(crate) fn end(&self) -> u32 {
        u32::try_from(self.log.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn take_back(&mut self, end: u32) {
        self.log.truncate(end as usize);
    }

    pub(crate) fn count_since(&self, start: u32) -> u64 {
        self.since(start).len() as u64
    }

    /// The members that have been spoken of.
    pub(crate) fn members_since(&self, start: u32) -> HashSet<&'v str> {
        let names = self.since(start).iter().filter_map(|mark| match mark {
            Mark::Member(name) => Some(*name),
            Mark::Item(_) | Mark::ItemsBelow(_) | Mark::EveryItem => None,
        });
        names.collect()
    }

    /// The items that have been spoken of.
    pub(crate) fn items_since(&self, start: u32) -> EvaluatedItems {
        let mut items = EvaluatedItems::default();
        for mark in self.since(start) {
            match mark {
                Mark::Member(_) => {}
                Mark::Item(index) => {
                    items.single.insert(*index);
                }
                Mark::ItemsBelow(count) => items.below = items.below.max(*count),
                Mark::EveryItem => items.below = usize::MAX,
            }
        }
        items
    }

    fn since(&self, start: u32) -> &[Mark<'v>] {
        self.log.get(start as usize..).unwrap_or_default()
    }
}

/// Items by their index.
#[derive(Default)]
pub(crate) struct EvaluatedItems {
    below: usize,
    single: HashSet<usize>,
}

impl EvaluatedItems {
    pub(crate) fn contains(&self, index: usize) -> bool {
        index < self.below || self.single.contains(&index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_from_where_a_schema_began_and_may_be_taken_back() {
        let mut marks = Marks::default();
        marks.push(Mark::Member("outer"));
        let start = marks.end();
        marks.push(Mark::Member("a"));
        marks.push(Mark::ItemsBelow(2));
        marks.push(Mark::Item(5));
        assert_eq!(marks.members_since(start), HashSet::from(["a"]));
        let items = marks.items_since(start);
        assert_eq!(
            [0, 1, 2, 5].map(|index| items.contains(index)),
            [true, true, false, true]
        );
        marks.take_back(start);
        assert_eq!(marks.count_since(start), 0);
        marks.push(Mark::EveryItem);
        assert!(marks.items_since(start).contains(1_000_000));
    }
}
