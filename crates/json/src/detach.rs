//! A part of one document as a document of its own.

use crate::{
    array_view::ArrayView,
    document::Document,
    object_view::ObjectView,
    value::{LINEAR, Node, RECURSION, Value},
    view::{Shape, Text, View},
    word::{MOST_TEXT, MOST_WORDS, Tag, Word},
};
use std::sync::Arc;

/// A copy that holds what the value needs; see [`View::detach`].
pub(crate) fn detach(view: View<'_>) -> Value {
    match view.shape() {
        Shape::Null | Shape::Boolean(_) | Shape::Number(_) => return view.to_value(),
        Shape::Text(text) => return Value::from(text.text),
        Shape::Array(_) | Shape::Object(_) if view.height() > RECURSION => return view.to_value(),
        Shape::Array(_) | Shape::Object(_) => {}
    }
    let mut copy = Copy::default();
    match copy.value(view) {
        Some(word) => {
            copy.document.shrink();
            Value(Node::Parsed {
                document: Arc::new(copy.document),
                word,
            })
        }
        // Larger than a document can be, so that a builder made it.
        None => view.to_value(),
    }
}

#[derive(Default)]
struct Copy {
    document: Document,
    /// How many words were made, to tell those apart that need no place.
    places: usize,
}

impl Copy {
    /// Copies a value and all in it, as deep as it is high, which the caller has bounded; `None` when there is no room.
    fn value(&mut self, view: View<'_>) -> Option<Word> {
        self.places += 1;
        if self.places > MOST_WORDS {
            return None;
        }
        match view.shape() {
            Shape::Null => Some(Word::new(Tag::Null, self.places)),
            Shape::Boolean(false) => Some(Word::new(Tag::False, self.places)),
            Shape::Boolean(true) => Some(Word::new(Tag::True, self.places)),
            Shape::Number(number) => {
                self.document.numbers.push(number.clone());
                Some(Word::new(Tag::Number, self.document.numbers.len() - 1))
            }
            Shape::Text(text) => self.text(text),
            Shape::Array(array) => self.array(array, view.height()),
            Shape::Object(object) => self.object(object, view.height()),
        }
    }

    fn text(&mut self, text: Text<'_>) -> Option<Word> {
        let tag = if text.plain { Tag::Plain } else { Tag::Text };
        if text.text.is_empty() {
            return Some(Word::text(tag, self.places, 0));
        }
        let offset = self.document.text.len();
        if offset + text.text.len() > MOST_TEXT {
            return None;
        }
        self.document.text.push_str(text.text);
        Some(Word::text(tag, offset, text.text.len()))
    }

    fn array(&mut self, array: ArrayView<'_>, height: u32) -> Option<Word> {
        let place = self.places;
        let items: Vec<Word> = array.iter().map(|item| self.value(item)).collect::<Option<_>>()?;
        self.children(Tag::Array, place, &items, items.len(), height)
    }

    fn object(&mut self, object: ObjectView<'_>, height: u32) -> Option<Word> {
        let place = self.places;
        let mut members = Vec::with_capacity(2 * object.len());
        let mut rest = object.iter();
        while let Some((name, value)) = rest.next_member() {
            self.places += 1;
            members.push(self.text(name)?);
            members.push(self.value(value)?);
        }
        if object.len() <= LINEAR {
            return self.children(Tag::Object, place, &members, object.len(), height);
        }
        self.document
            .words
            .push(Word::new(Tag::Order, self.document.orders.len()));
        let mut names: Vec<(&str, u32)> = object.keys().zip(0..).collect();
        names.sort_unstable();
        self.document
            .orders
            .extend(names.iter().map(|(_, position)| *position));
        self.children(Tag::Indexed, place, &members, object.len(), height)
    }

    fn children(
        &mut self,
        tag: Tag,
        place: usize,
        words: &[Word],
        count: usize,
        height: u32,
    ) -> Option<Word> {
        let first = if words.is_empty() {
            place
        } else {
            self.document.words.len()
        };
        if first + words.len() > MOST_WORDS {
            return None;
        }
        self.document.words.extend_from_slice(words);
        Some(Word::container(tag, first, count, height))
    }
}
