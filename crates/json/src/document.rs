//! A document in memory: one text, one list of words, and what the words refer to.
//!
//! The children of a container stand next to each other, so that any of them is found at once. Nothing in a document points out
//! of it, so that it is dropped without recursion.

use crate::{
    number::Number,
    word::{Tag, Word},
};
use std::cmp::Ordering;

#[derive(Default)]
pub(crate) struct Document {
    /// The source, and behind it the texts that it spells with escapes; or only the texts that are used.
    pub(crate) text: String,
    /// Elements of arrays; names and values of objects in turn.
    pub(crate) words: Vec<Word>,
    pub(crate) numbers: Vec<Number>,
    /// Positions of members sorted by name, one run for each indexed object.
    pub(crate) orders: Vec<u32>,
}

impl Document {
    /// The text of a text's word.
    #[inline]
    pub(crate) fn text(&self, word: Word) -> &str {
        let offset = word.text_offset();
        self.text
            .get(offset..offset + word.text_len())
            .unwrap_or_default()
    }

    /// The number of a number's word.
    #[inline]
    pub(crate) fn number(&self, word: Word) -> Option<&Number> {
        if word.tag() == Tag::Number {
            self.numbers.get(word.payload())
        } else {
            None
        }
    }

    /// The elements of an array.
    #[inline]
    pub(crate) fn items(&self, array: Word) -> &[Word] {
        let first = array.first();
        self.words.get(first..first + array.count()).unwrap_or_default()
    }

    /// The names and values of an object.
    #[inline]
    pub(crate) fn members(&self, object: Word) -> &[[Word; 2]] {
        let first = object.first();
        let words = self.words.get(first..first + 2 * object.count());
        words.unwrap_or_default().as_chunks().0
    }

    /// Positions of the members sorted by name; empty when they are so few that they are searched one by one.
    pub(crate) fn order(&self, object: Word) -> &[u32] {
        if object.tag() != Tag::Indexed {
            return &[];
        }
        let table = object
            .first()
            .checked_sub(1)
            .and_then(|place| self.words.get(place));
        let start = table.map_or(0, |table| table.payload());
        self.orders.get(start..start + object.count()).unwrap_or_default()
    }

    /// The value of the member of this name.
    pub(crate) fn member(&self, object: Word, name: &str) -> Option<Word> {
        let members = self.members(object);
        let order = self.order(object);
        if order.is_empty() {
            let found = members.iter().find(|[own, _]| self.is_text(*own, name));
            return found.map(|[_, value]| *value);
        }
        let compare = |position: &u32| match members.get(*position as usize) {
            Some([own, _]) => self.text(*own).cmp(name),
            None => Ordering::Greater,
        };
        let position = *order.get(order.binary_search_by(compare).ok()?)?;
        members.get(position as usize).map(|[_, value]| *value)
    }

    #[inline]
    fn is_text(&self, word: Word, wanted: &str) -> bool {
        self.text_bytes(word) == wanted.as_bytes()
    }

    /// The bytes of a text's word.
    #[inline]
    pub(crate) fn text_bytes(&self, word: Word) -> &[u8] {
        let offset = word.text_offset();
        let text = self.text.as_bytes().get(offset..offset + word.text_len());
        // An empty text may have a place outside of all text.
        text.unwrap_or_default()
    }

    /// Gives back room that was reserved and is not needed, where that is worth the call.
    pub(crate) fn shrink(&mut self) {
        shrink(&mut self.words);
        shrink(&mut self.numbers);
        shrink(&mut self.orders);
    }
}

fn shrink<T>(list: &mut Vec<T>) {
    if list.capacity() - list.len() > list.len() / 4 + 64 {
        list.shrink_to_fit();
    }
}
