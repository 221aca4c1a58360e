//! The state of a context as the runtime reads and writes it, within its bounds.

use std::cell::Cell;
use std::panic::resume_unwind;

use calimero_runtime::store::{Key, Storage, Value};

use crate::space::{Bytes, Space, State};
use crate::verdict::Verdict;

/// Why the storage ended a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The state would become too large.
    Full,
    /// The call's time is over.
    Overdue,
}

/// What both storages of a call share.
#[derive(Debug)]
pub(super) struct Bounds<'a> {
    max_bytes: usize,
    /// How much the spaces count at present.
    bytes: Cell<usize>,
    /// Given up when the call's time is over.
    verdict: &'a Verdict,
    halt: Cell<Option<Halt>>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(state: &State, max_bytes: usize, verdict: &'a Verdict) -> Self {
        Self {
            max_bytes,
            bytes: Cell::new(state.bytes()),
            verdict,
            halt: Cell::new(None),
        }
    }

    /// Why the storage ended the call, if it did.
    pub(super) fn halt(&self) -> Option<Halt> {
        self.halt.get()
    }

    /// Ends the call. The runtime lets storage fail in no other way than this; it catches the unwinding at the function
    /// that the application called. No panic hook runs, so nothing is printed.
    fn end(&self, halt: Halt) -> ! {
        self.halt.set(Some(halt));
        resume_unwind(Box::new("the call was ended"))
    }

    fn check_time(&self) {
        if self.verdict.is_overdue() {
            self.end(Halt::Overdue);
        }
    }

    /// Whether a space may grow to this.
    fn admits(&self, space: &Space, grown: usize) -> bool {
        let others = self.bytes.get().saturating_sub(space.bytes());
        others.saturating_add(grown) <= self.max_bytes
    }

    /// Changes a space and counts it again.
    fn changed<T>(&self, space: &mut Space, change: impl FnOnce(&mut Space) -> T) -> T {
        let others = self.bytes.get().saturating_sub(space.bytes());
        let changed = change(space);
        self.bytes.set(others.saturating_add(space.bytes()));
        changed
    }
}

/// What the application stores, with its ordered index or without one.
#[derive(Debug)]
pub(super) struct Shelf<'a> {
    pub(super) space: &'a mut Space,
    pub(super) index: Option<&'a mut Space>,
    pub(super) bounds: &'a Bounds<'a>,
}

fn owned(bytes: &Bytes) -> Vec<u8> {
    bytes.to_vec()
}

impl Storage for Shelf<'_> {
    fn get(&self, key: &Key) -> Option<Value> {
        self.bounds.check_time();
        self.space.get(key).map(owned)
    }

    fn set(&mut self, key: Key, value: Value) -> Option<Value> {
        self.bounds.check_time();
        if !self
            .bounds
            .admits(self.space, self.space.bytes_with(&key, &value))
        {
            self.bounds.end(Halt::Full);
        }
        let old = self.bounds.changed(self.space, |space| space.set(&key, &value));
        old.as_ref().map(owned)
    }

    fn remove(&mut self, key: &Key) -> Option<Vec<u8>> {
        self.bounds.check_time();
        let old = self.bounds.changed(self.space, |space| space.remove(key));
        old.as_ref().map(owned)
    }

    fn has(&self, key: &Key) -> bool {
        self.bounds.check_time();
        self.space.get(key).is_some()
    }

    fn index_set(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.bounds.check_time();
        let Some(index) = self.index.as_deref_mut() else {
            return false;
        };
        // An index that is not written is made again when it is needed; a full one would be as often.
        if !self.bounds.admits(index, index.bytes_with(key, value)) {
            self.bounds.end(Halt::Full);
        }
        self.bounds.changed(index, |index| index.set(key, value));
        true
    }

    fn index_del(&mut self, key: &[u8]) -> bool {
        self.bounds.check_time();
        let Some(index) = self.index.as_deref_mut() else {
            return false;
        };
        self.bounds.changed(index, |index| index.remove(key));
        true
    }

    fn index_del_prefix(&mut self, prefix: &[u8]) -> bool {
        self.bounds.check_time();
        let Some(index) = self.index.as_deref_mut() else {
            return false;
        };
        self.bounds.changed(index, |index| index.remove_prefix(prefix));
        true
    }

    fn index_scan(
        &self,
        low: &[u8],
        high: &[u8],
        offset: usize,
        limit: Option<usize>,
    ) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.bounds.check_time();
        let Some(index) = self.index.as_deref() else {
            return Vec::new();
        };
        let found = index.range(low, high).skip(offset);
        found
            .take(limit.unwrap_or(usize::MAX))
            .map(|(key, value)| (owned(key), owned(value)))
            .collect()
    }

    fn index_last(&self, low: &[u8], high: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        self.bounds.check_time();
        let (key, value) = self.index.as_deref()?.range(low, high).next_back()?;
        Some((owned(key), owned(value)))
    }
}
