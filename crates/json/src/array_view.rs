//! Reading an array.

use crate::{document::Document, value::Value, view::View, word::Word};
use std::{fmt, slice, sync::Arc};

/// A handle to the elements of an array.
#[derive(Clone, Copy)]
pub struct ArrayView<'a>(Items<'a>);

#[derive(Clone, Copy)]
enum Items<'a> {
    Built(&'a [Value]),
    Parsed(&'a Arc<Document>, Word),
}

impl<'a> ArrayView<'a> {
    #[inline]
    pub(crate) const fn built(items: &'a [Value]) -> ArrayView<'a> {
        ArrayView(Items::Built(items))
    }

    /// The array at a place in a document.
    #[inline]
    pub(crate) const fn parsed(document: &'a Arc<Document>, word: Word) -> ArrayView<'a> {
        ArrayView(Items::Parsed(document, word))
    }

    /// How many elements there are.
    #[inline]
    pub fn len(self) -> usize {
        match self.0 {
            Items::Built(items) => items.len(),
            Items::Parsed(_, word) => word.count(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The element at this position, counted from 0.
    #[inline]
    pub fn get(self, index: usize) -> Option<View<'a>> {
        match self.0 {
            Items::Built(items) => items.get(index).map(View::new),
            Items::Parsed(document, word) => {
                let item = document.items(word).get(index)?;
                Some(View::parsed(document, *item))
            }
        }
    }

    /// The elements in order.
    #[inline]
    pub fn iter(self) -> ArrayIter<'a> {
        ArrayIter(match self.0 {
            Items::Built(items) => Rest::Built(items.iter()),
            Items::Parsed(document, word) => Rest::Parsed(document, document.items(word).iter()),
        })
    }
}

impl<'a> IntoIterator for ArrayView<'a> {
    type Item = View<'a>;
    type IntoIter = ArrayIter<'a>;

    fn into_iter(self) -> ArrayIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for ArrayView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// The elements of an array in order.
#[derive(Clone)]
pub struct ArrayIter<'a>(Rest<'a>);

#[derive(Clone)]
enum Rest<'a> {
    Built(slice::Iter<'a, Value>),
    Parsed(&'a Arc<Document>, slice::Iter<'a, Word>),
}

impl<'a> Iterator for ArrayIter<'a> {
    type Item = View<'a>;

    #[inline]
    fn next(&mut self) -> Option<View<'a>> {
        match &mut self.0 {
            Rest::Built(items) => items.next().map(View::new),
            Rest::Parsed(document, words) => words.next().map(|word| View::parsed(document, *word)),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Rest::Built(items) => items.size_hint(),
            Rest::Parsed(_, words) => words.size_hint(),
        }
    }
}

impl ExactSizeIterator for ArrayIter<'_> {}

impl DoubleEndedIterator for ArrayIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Rest::Built(items) => items.next_back().map(View::new),
            Rest::Parsed(document, words) => words.next_back().map(|word| View::parsed(document, *word)),
        }
    }
}
