//! The borrowed handle: the one way to read a value.

use crate::{
    array_view::ArrayView,
    detach,
    document::Document,
    number::Number,
    object_view::ObjectView,
    pointer,
    reader::{DocumentPlace, DocumentReader, ViewReader, Visit},
    value::{Node, Value},
    word::{Tag, Word},
    write,
};
use std::{fmt, sync::Arc};

/// The six kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number; integers are no kind of their own.
    Number,
    /// A text.
    String,
    /// An ordered list.
    Array,
    /// Named members.
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        })
    }
}

/// A handle to a value that is borrowed: copied freely, compared and hashed as the value is.
#[derive(Clone, Copy)]
pub struct View<'a>(Place<'a>);

/// Where a view looks; never at a `Value` that is only a place in a document.
#[derive(Clone, Copy)]
enum Place<'a> {
    Built(&'a Value),
    Parsed(&'a Arc<Document>, Word),
}

/// What a view looks at, however it is held.
pub(crate) enum Shape<'a> {
    Null,
    Boolean(bool),
    Number(&'a Number),
    Text(Text<'a>),
    Array(ArrayView<'a>),
    Object(ObjectView<'a>),
}

/// A text, and whether it is known that nothing in it needs an escape.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    pub(crate) plain: bool,
}

/// Which place in memory a view looks at: equal only for views of one shared value, whatever the values' equality.
///
/// Meant for noticing that an evaluation has come back to where it is already. Valid while the value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(usize, u64);

impl<'a> View<'a> {
    #[inline]
    pub(crate) fn new(value: &'a Value) -> View<'a> {
        View(match &value.0 {
            Node::Parsed { document, word } => Place::Parsed(document, *word),
            _ => Place::Built(value),
        })
    }

    #[inline]
    pub(crate) const fn parsed(document: &'a Arc<Document>, word: Word) -> View<'a> {
        View(Place::Parsed(document, word))
    }

    #[inline]
    pub(crate) fn shape(self) -> Shape<'a> {
        match self.0 {
            Place::Built(value) => match &value.0 {
                Node::Null => Shape::Null,
                Node::Boolean(value) => Shape::Boolean(*value),
                Node::Number(number) => Shape::Number(number),
                Node::String(text) => Shape::Text(Text { text, plain: false }),
                Node::Array { items, .. } => Shape::Array(ArrayView::built(items)),
                Node::Object { members, .. } => Shape::Object(ObjectView::built(members, &[])),
                Node::Indexed { object, .. } => {
                    Shape::Object(ObjectView::built(&object.members, &object.order))
                }
                Node::Parsed { document, word } => shape(document, *word),
            },
            Place::Parsed(document, word) => shape(document, word),
        }
    }

    pub(crate) fn height(self) -> u32 {
        match self.0 {
            Place::Built(value) => value.height(),
            Place::Parsed(_, word) => word.height(),
        }
    }

    /// The kind of the value.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.0 {
            Place::Parsed(_, word) => word.kind(),
            Place::Built(value) => built_kind(value),
        }
    }

    /// Walks over the value with a reader that knows how it is held; see [`Visit`].
    #[inline]
    pub fn visit<V: Visit<'a>>(self, visitor: V) -> V::Output {
        match self.0 {
            Place::Parsed(document, word) => {
                visitor.visit(DocumentReader::new(document), DocumentPlace::new(word))
            }
            Place::Built(_) => visitor.visit(ViewReader, self),
        }
    }

    /// Which node this is; see [`NodeId`].
    pub fn id(self) -> NodeId {
        match self.0 {
            Place::Built(value) => NodeId(std::ptr::from_ref(value).addr(), u64::MAX),
            Place::Parsed(document, word) => NodeId(Arc::as_ptr(document).addr(), word.bits()),
        }
    }

    /// Whether the value is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self.shape(), Shape::Null)
    }

    /// The boolean, if the value is one.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.shape() {
            Shape::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if the value is a string.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self.shape() {
            Shape::Text(text) => Some(text.text),
            _ => None,
        }
    }

    /// The number, if the value is one.
    #[inline]
    pub fn as_number(self) -> Option<&'a Number> {
        match self.shape() {
            Shape::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The integer, if the value is a number with an integral value that fits, however spelled: `1`, `1.0`, `1e2`.
    pub fn as_i64(self) -> Option<i64> {
        self.as_number()?.to_i64()
    }

    /// The integer, if the value is a number with an integral value that fits, however spelled: `1`, `1.0`, `1e2`.
    pub fn as_u64(self) -> Option<u64> {
        self.as_number()?.to_u64()
    }

    /// The elements, if the value is an array.
    #[inline]
    pub fn as_array(self) -> Option<ArrayView<'a>> {
        match self.shape() {
            Shape::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The members, if the value is an object.
    #[inline]
    pub fn as_object(self) -> Option<ObjectView<'a>> {
        match self.shape() {
            Shape::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of this name, if the value is an object that has it.
    pub fn get(self, name: &str) -> Option<View<'a>> {
        self.as_object()?.get(name)
    }

    /// The value that a JSON Pointer (RFC 6901) leads to; `None` also for a malformed pointer.
    pub fn pointer(self, pointer: &str) -> Option<View<'a>> {
        pointer::resolve(self, pointer)
    }

    /// The value itself, shared: no text and no container is copied.
    ///
    /// A text, array, or object of a document that was read keeps that whole document in memory; see [`Value`] for how much that is,
    /// and [`detach`](View::detach) for a value that does not.
    pub fn to_value(self) -> Value {
        let (document, word) = match self.0 {
            Place::Built(value) => return value.clone(),
            Place::Parsed(document, word) => (document, word),
        };
        match self.shape() {
            Shape::Null => Value::null(),
            Shape::Boolean(value) => Value::from(value),
            Shape::Number(number) => Value::from(number.clone()),
            Shape::Text(_) | Shape::Array(_) | Shape::Object(_) => Value(Node::Parsed {
                document: Arc::clone(document),
                word,
            }),
        }
    }

    /// A copy that stands alone: it holds what this value needs and keeps no other document in memory.
    ///
    /// For a small part of a large document that is to be kept for long. A value nested deeper than 256, which only builders make,
    /// is shared as by [`to_value`](View::to_value).
    pub fn detach(self) -> Value {
        detach::detach(self)
    }

    /// The compact text, members in their order; see [`write_value`](crate::write_value).
    pub fn to_text(self) -> String {
        let mut out = Vec::new();
        self.write_to(&mut out);
        // Only `str`s and ASCII were written.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the compact text, members in their order.
    pub fn write_to(self, out: &mut Vec<u8>) {
        write::write_value(out, self);
    }
}

fn built_kind(value: &Value) -> Kind {
    match &value.0 {
        Node::Null => Kind::Null,
        Node::Boolean(_) => Kind::Boolean,
        Node::Number(_) => Kind::Number,
        Node::String(_) => Kind::String,
        Node::Array { .. } => Kind::Array,
        Node::Object { .. } | Node::Indexed { .. } => Kind::Object,
        Node::Parsed { word, .. } => word.kind(),
    }
}

/// What stands at a place in a document.
#[inline]
fn shape(document: &Arc<Document>, word: Word) -> Shape<'_> {
    match word.tag() {
        Tag::Null | Tag::Order => Shape::Null,
        Tag::False => Shape::Boolean(false),
        Tag::True => Shape::Boolean(true),
        Tag::Number => document.number(word).map_or(Shape::Null, Shape::Number),
        Tag::Plain | Tag::Text => Shape::Text(text(document, word)),
        Tag::Array => Shape::Array(ArrayView::parsed(document, word)),
        Tag::Object | Tag::Indexed => Shape::Object(ObjectView::parsed(document, word)),
    }
}

/// The text at a place in a document.
#[inline]
pub(crate) fn text(document: &Arc<Document>, word: Word) -> Text<'_> {
    Text {
        text: document.text(word),
        plain: word.tag() == Tag::Plain,
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl<'a> From<&'a Value> for View<'a> {
    fn from(value: &'a Value) -> View<'a> {
        View::new(value)
    }
}
