//! One value or name of a document, packed into eight bytes.

use crate::view::Kind;

/// What a [`Word`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Null,
    False,
    True,
    Number,
    /// A text in which nothing needs an escape.
    Plain,
    /// Any other text.
    Text,
    Array,
    Object,
    /// An object with an order table, whose position is the word in front of its first member.
    Indexed,
    /// The position of an order table; no value.
    Order,
}

/// A tag and what goes with it: place and length of a text, place and number of children and the height of a container, the
/// position of a number.
///
/// Words of one document differ unless they are the same place: what needs no place to be read carries one nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word(u64);

/// The kind that goes with each tag, by the tag's number.
const KINDS: [Kind; 1 << TAG_BITS] = kinds();

const fn kinds() -> [Kind; 1 << TAG_BITS] {
    let mut kinds = [Kind::Null; 1 << TAG_BITS];
    kinds[Tag::False as usize] = Kind::Boolean;
    kinds[Tag::True as usize] = Kind::Boolean;
    kinds[Tag::Number as usize] = Kind::Number;
    kinds[Tag::Plain as usize] = Kind::String;
    kinds[Tag::Text as usize] = Kind::String;
    kinds[Tag::Array as usize] = Kind::Array;
    kinds[Tag::Object as usize] = Kind::Object;
    kinds[Tag::Indexed as usize] = Kind::Object;
    kinds
}

const TAG_BITS: u32 = 4;
const TEXT_BITS: u32 = 30;
const CHILD_BITS: u32 = 25;
const HEIGHT_BITS: u32 = 10;

/// The most bytes of text that one document can have.
pub(crate) const MOST_TEXT: usize = (1 << TEXT_BITS) - 1;
/// The most words that one document can have.
pub(crate) const MOST_WORDS: usize = (1 << CHILD_BITS) - 1;

impl Word {
    /// A word of this tag with a payload below 2^60.
    #[inline]
    pub(crate) const fn new(tag: Tag, payload: usize) -> Word {
        Word((payload as u64) << TAG_BITS | tag as u64)
    }

    /// A text of `len` bytes at `offset`, both at most [`MOST_TEXT`].
    #[inline]
    pub(crate) const fn text(tag: Tag, offset: usize, len: usize) -> Word {
        Word((len as u64) << (TAG_BITS + TEXT_BITS) | (offset as u64) << TAG_BITS | tag as u64)
    }

    /// A container of `count` elements or members whose first stands at `first`, both at most [`MOST_WORDS`]. When it is empty,
    /// `first` only tells it from others.
    #[inline]
    pub(crate) const fn container(tag: Tag, first: usize, count: usize, height: u32) -> Word {
        let counted = (count as u64) << (TAG_BITS + CHILD_BITS) | (first as u64) << TAG_BITS;
        Word((height as u64) << (TAG_BITS + 2 * CHILD_BITS) | counted | tag as u64)
    }

    #[inline]
    pub(crate) const fn tag(self) -> Tag {
        match self.0 & ((1 << TAG_BITS) - 1) {
            1 => Tag::False,
            2 => Tag::True,
            3 => Tag::Number,
            4 => Tag::Plain,
            5 => Tag::Text,
            6 => Tag::Array,
            7 => Tag::Object,
            8 => Tag::Indexed,
            9 => Tag::Order,
            _ => Tag::Null,
        }
    }

    /// The kind of the value that it stands for.
    #[inline]
    pub(crate) fn kind(self) -> Kind {
        KINDS.get(self.field(0, TAG_BITS)).copied().unwrap_or(Kind::Null)
    }

    /// What [`Word::new`] was given.
    #[inline]
    pub(crate) fn payload(self) -> usize {
        self.field(TAG_BITS, 64 - TAG_BITS)
    }

    /// Where a text starts.
    #[inline]
    pub(crate) fn text_offset(self) -> usize {
        self.field(TAG_BITS, TEXT_BITS)
    }

    /// How many bytes a text has.
    #[inline]
    pub(crate) fn text_len(self) -> usize {
        self.field(TAG_BITS + TEXT_BITS, TEXT_BITS)
    }

    /// Where the first child of a container stands.
    #[inline]
    pub(crate) fn first(self) -> usize {
        self.field(TAG_BITS, CHILD_BITS)
    }

    /// How many elements or members a container has.
    #[inline]
    pub(crate) fn count(self) -> usize {
        self.field(TAG_BITS + CHILD_BITS, CHILD_BITS)
    }

    /// One more than the height of the highest child; 1 for a scalar and for an empty container.
    #[inline]
    pub(crate) fn height(self) -> u32 {
        match self.tag() {
            Tag::Array | Tag::Object | Tag::Indexed => {
                u32::try_from(self.0 >> (TAG_BITS + 2 * CHILD_BITS)).unwrap_or(u32::MAX)
            }
            _ => 1,
        }
    }

    /// The word itself, to tell places apart.
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    fn field(self, shift: u32, bits: u32) -> usize {
        let mask = u64::MAX >> (64 - bits);
        usize::try_from(self.0 >> shift & mask).unwrap_or(usize::MAX)
    }
}

const _: () = assert!(TAG_BITS + 2 * TEXT_BITS == 64 && TAG_BITS + 2 * CHILD_BITS + HEIGHT_BITS == 64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        for tag in [Tag::Null, Tag::False, Tag::True, Tag::Number, Tag::Order] {
            let word = Word::new(tag, (1 << 40) + 7);
            assert_eq!(
                (word.tag(), word.payload(), word.height()),
                (tag, (1 << 40) + 7, 1)
            );
        }
        for (offset, len) in [(0, 0), (1, MOST_TEXT), (MOST_TEXT, 1), (MOST_TEXT, MOST_TEXT)] {
            for tag in [Tag::Plain, Tag::Text] {
                let word = Word::text(tag, offset, len);
                assert_eq!(
                    (word.tag(), word.text_offset(), word.text_len()),
                    (tag, offset, len)
                );
            }
        }
        for (first, count, height) in [(0, 0, 1), (MOST_WORDS, 1, 256), (1, MOST_WORDS, 1_023)] {
            for tag in [Tag::Array, Tag::Object, Tag::Indexed] {
                let word = Word::container(tag, first, count, height);
                assert_eq!(
                    (word.tag(), word.first(), word.count(), word.height()),
                    (tag, first, count, height)
                );
            }
        }
    }
}
