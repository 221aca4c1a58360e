//! Lists in pages. A cursor is bound to the state of the catalogue that it was given for: it names the next entry's
//! place and the fingerprint of list, generation and the entry before it, so that a page never skips or repeats one.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use toolmesh_json::Limits;

use super::{
    exchange::Exchange,
    fault::Fault,
    limits::ServerLimits,
    outgoing::{is_readable, most_values, within},
};
use crate::{
    revision::{Failure, Projection},
    wire::{ArrayWriter, Cache},
};

/// Most characters of a cursor: two 64-bit numbers in hexadecimal and the sign between them.
const MAX_CURSOR_CHARS: usize = 33;

/// How many arrays and objects stand around an entry: the message, its result, and the list.
const DEPTH_OF_ENTRIES: usize = 3;

/// A list that can be paged.
pub(super) struct List<I, N, W> {
    /// The member of the result that holds the entries.
    pub(super) member: &'static str,
    /// The state of the catalogue.
    pub(super) generation: u64,
    /// All entries, in a fixed order.
    pub(super) entries: I,
    /// An entry's key.
    pub(super) key: N,
    /// Writes an entry.
    pub(super) write: W,
}

impl<I, T, N, W> List<I, N, W>
where
    I: Iterator<Item = T>,
    N: Fn(&T) -> String,
    W: Fn(&mut Vec<u8>, &T, &Projection),
{
    /// The page that the request asks for.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`] for a cursor that is no string, [`Failure::InvalidCursor`] for one that was not given
    /// for this list in this state.
    pub(super) fn answer(mut self, exchange: &Exchange) -> Result<Vec<u8>, Fault> {
        let place = Place {
            member: self.member,
            generation: self.generation,
        };
        let mut start = 0;
        if let Some(cursor) = exchange.request.param("cursor") {
            let (offset, fingerprint) = read(cursor.as_str().ok_or(Failure::InvalidParams)?)?;
            let before = offset.checked_sub(1).and_then(|index| self.entries.nth(index));
            let before = before.ok_or(Failure::InvalidCursor)?;
            if place.fingerprint(offset, &(self.key)(&before)) != fingerprint {
                return Err(Failure::InvalidCursor.into());
            }
            start = offset;
        }
        self.write_page(exchange, place, start)
    }

    fn write_page(self, exchange: &Exchange, place: Place, start: usize) -> Result<Vec<u8>, Fault> {
        let limits = exchange.server.limits();
        let mut page = Page::new(limits);
        exchange.complete(Cache::Hinted, |object| {
            let mut array = ArrayWriter::open(object.member(self.member));
            let (mut json, mut end, mut last, mut next) = (Vec::new(), start, None, None);
            for entry in self.entries {
                json.clear();
                (self.write)(&mut json, &entry, &exchange.revision.projection);
                let can_leave = is_readable(&json, &page.most);
                if let Some(last) = last.filter(|_| page.ends(limits) || (can_leave && !page.has_room(&json)))
                {
                    next = Some(cursor(end, place.fingerprint(end, &(self.key)(&last))));
                    break;
                }
                if can_leave {
                    page.count(&json);
                    array.item().extend_from_slice(&json);
                } else {
                    tracing::warn!(
                        list = self.member,
                        entry = (self.key)(&entry),
                        "it is too large to be listed"
                    );
                }
                last = Some(entry);
                end += 1;
            }
            array.close();
            object.text_opt("nextCursor", next.as_deref());
            Ok(())
        })
    }
}

/// What a page has in it so far.
struct Page {
    /// What all entries may have, with room for what is around them.
    most: Limits,
    entries: usize,
    bytes: usize,
    values: usize,
}

impl Page {
    fn new(limits: &ServerLimits) -> Self {
        Self {
            most: within(&limits.answer, DEPTH_OF_ENTRIES),
            entries: 0,
            bytes: 0,
            values: 0,
        }
    }

    fn count(&mut self, entry: &[u8]) {
        self.entries += 1;
        self.bytes += entry.len() + 1;
        self.values += most_values(entry);
    }

    /// Whether it has what an operator wants of a page.
    fn ends(&self, limits: &ServerLimits) -> bool {
        self.entries >= limits.page_entries || self.bytes >= limits.page_bytes
    }

    /// Whether the answer can leave with another entry in it; one entry alone always has room.
    fn has_room(&self, entry: &[u8]) -> bool {
        self.entries == 0
            || (self.bytes + entry.len() <= self.most.bytes()
                && self.values + most_values(entry) <= self.most.nodes())
    }
}

/// What a cursor is bound to besides its entry.
struct Place {
    member: &'static str,
    generation: u64,
}

impl Place {
    fn fingerprint(&self, offset: usize, before: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.member, self.generation, offset, before).hash(&mut hasher);
        hasher.finish()
    }
}

fn cursor(offset: usize, fingerprint: u64) -> String {
    format!("{offset:x}-{fingerprint:x}")
}

fn read(cursor: &str) -> Result<(usize, u64), Failure> {
    let parts = cursor
        .split_once('-')
        .filter(|_| cursor.len() <= MAX_CURSOR_CHARS);
    let (offset, fingerprint) = parts.ok_or(Failure::InvalidCursor)?;
    let offset = usize::from_str_radix(offset, 16).map_err(|_| Failure::InvalidCursor)?;
    let fingerprint = u64::from_str_radix(fingerprint, 16).map_err(|_| Failure::InvalidCursor)?;
    // Numbers have other spellings (`+1`, `01`, `A`), which are no cursors that were given.
    if self::cursor(offset, fingerprint) == cursor {
        Ok((offset, fingerprint))
    } else {
        Err(Failure::InvalidCursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went_and_nothing_else_does() {
        assert_eq!(read(&cursor(usize::MAX, u64::MAX)), Ok((usize::MAX, u64::MAX)));
        assert_eq!(cursor(usize::MAX, u64::MAX).len(), MAX_CURSOR_CHARS);
        for text in [
            "",
            "1",
            "-",
            "1-",
            "-1",
            "1-x",
            "g-1",
            "1-1-1",
            &"1".repeat(40),
            "é-1",
            "+1-1",
            "01-1",
            "1-+1",
            "1-01",
            "A-1",
        ] {
            assert_eq!(read(text), Err(Failure::InvalidCursor), "{text}");
        }
    }
}
