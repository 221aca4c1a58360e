//! Finding two members of one name.

use crate::{
    error::ParseErrorKind,
    text::Fault,
    value::LINEAR,
    word::{Tag, Word},
};

/// What finding twins needs to remember, kept from object to object.
#[derive(Default)]
pub(crate) struct Twins {
    /// Names with escapes, which do not tell where they were spelled: their place in the text, and their place in the source.
    decoded: Vec<(usize, usize)>,
    keys: Vec<Key>,
}

/// A name's first eight bytes, most significant first, and the member's position: enough to sort most names.
#[derive(Clone, Copy)]
struct Key {
    prefix: u64,
    position: u32,
}

impl Twins {
    /// Remembers where a name with escapes was spelled.
    pub(crate) fn decoded_at(&mut self, name: Word, source: usize) {
        self.decoded.push((name.text_offset(), source));
    }

    /// Refuses the first member whose name an earlier one has, comparing each with each.
    #[inline]
    pub(crate) fn refuse_among_few<'t>(
        &self,
        members: &[[Word; 2]],
        text: impl Fn(Word) -> &'t str,
    ) -> Result<(), Fault> {
        let mut marks = [0; LINEAR];
        let mut alike = false;
        for (index, [name, _]) in members.iter().enumerate() {
            let mark = mark(text(*name).as_bytes());
            let (earlier, later) = marks.split_at_mut(index.min(LINEAR));
            alike |= earlier
                .iter()
                .fold(false, |alike, other| alike | (*other == mark));
            if let Some(slot) = later.first_mut() {
                *slot = mark;
            }
        }
        if alike {
            self.refuse_alike(members, text)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn refuse_alike<'t>(&self, members: &[[Word; 2]], text: impl Fn(Word) -> &'t str) -> Result<(), Fault> {
        for (index, [name, _]) in members.iter().enumerate() {
            let earlier = members.get(..index).unwrap_or_default();
            if earlier.iter().any(|[other, _]| text(*other) == text(*name)) {
                return Err((ParseErrorKind::DuplicateName, self.place(*name)));
            }
        }
        Ok(())
    }

    /// Appends the positions of the members sorted by name, and refuses the first member whose name an earlier one has.
    pub(crate) fn refuse_among_many<'t>(
        &mut self,
        members: &[[Word; 2]],
        text: impl Fn(Word) -> &'t str,
        orders: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        let name = |key: &Key| members.get(key.position as usize).map(|[name, _]| text(*name));
        self.keys.clear();
        self.keys
            .extend(members.iter().zip(0..).map(|([name, _], position)| Key {
                prefix: prefix(text(*name).as_bytes()),
                position,
            }));
        let same_prefix = |a: &Key, b: &Key| name(a).cmp(&name(b)).then(a.position.cmp(&b.position));
        self.keys
            .sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| same_prefix(a, b)));
        let neighbours = self.keys.iter().zip(self.keys.iter().skip(1));
        // Equal names are sorted by position, so that the later one of a pair is the twin.
        let twins = neighbours.filter(|(a, b)| a.prefix == b.prefix && name(a) == name(b));
        if let Some(first) = twins.map(|(_, twin)| twin.position).min() {
            let twin = members
                .get(first as usize)
                .map_or(0, |[name, _]| self.place(*name));
            return Err((ParseErrorKind::DuplicateName, twin));
        }
        orders.extend(self.keys.iter().map(|key| key.position));
        Ok(())
    }

    /// Where the name's opening quote stands in the source.
    fn place(&self, name: Word) -> usize {
        let offset = name.text_offset();
        if name.tag() == Tag::Plain {
            return offset.saturating_sub(1);
        }
        let known = self.decoded.binary_search_by(|(text, _)| text.cmp(&offset));
        known
            .ok()
            .and_then(|index| self.decoded.get(index))
            .map_or(offset, |(_, source)| *source)
    }
}

/// Differs for names that differ in length or in the first eight bytes, but for a rare accident.
#[inline]
fn mark(name: &[u8]) -> u64 {
    let low = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    let start = match (name.first_chunk::<8>(), name) {
        (Some(first), _) => u64::from_le_bytes(*first),
        (None, [_, _, _, _, ..]) => low(name.first_chunk()) | low(name.last_chunk()) << 32,
        (None, [first, .., last]) => {
            let middle = name.get(name.len() / 2).copied().unwrap_or_default();
            u64::from(*first) | u64::from(middle) << 8 | u64::from(*last) << 16
        }
        (None, [only]) => u64::from(*only),
        (None, []) => 0,
    };
    start.wrapping_add((name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The first eight bytes as a number that sorts as they do; names that differ only in zeros at the end look the same.
fn prefix(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(name).for_each(|(slot, byte)| *slot = *byte);
    u64::from_be_bytes(first)
}
