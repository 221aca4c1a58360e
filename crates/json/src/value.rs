//! The immutable value and how it is held.

use crate::{
    array_view::ArrayView,
    builder::{ArrayBuilder, ObjectBuilder},
    document::Document,
    number::Number,
    object_view::ObjectView,
    view::{Kind, View},
    word::Word,
};
use std::{
    fmt,
    hash::{Hash, Hasher},
    mem,
    sync::Arc,
};

/// An immutable JSON value with exact numbers and ordered members; cloning shares it.
///
/// A value that was read shares the memory of its whole document with every value taken out of it: about the document's own bytes,
/// eight for every value and name, and sixteen for every number, until the last of them is dropped. [`detach`](Value::detach) lets
/// a small part go its own way.
///
/// Made by [`parse`](crate::parse), a builder, or a conversion, and read through [`View`]; the reading methods here are
/// shorthands for those of the view. Equality is JSON equality: numbers by value (`1` equals `1.0`), objects whatever the order
/// of their members, strings by their characters without normalisation. Hashing agrees with equality and is stable only within
/// one process.
#[derive(Clone)]
pub struct Value(pub(crate) Node);

/// A value by itself, a container of such, or a place in a document that was read.
///
/// Containers carry their height (a scalar has 1, a container one more than its highest child), so that no recursion is
/// entered blindly.
#[derive(Clone)]
pub(crate) enum Node {
    Null,
    Boolean(bool),
    Number(Number),
    String(Arc<str>),
    Array { height: u32, items: Arc<[Value]> },
    Object { height: u32, members: Arc<[Member]> },
    Indexed { height: u32, object: Arc<Indexed> },
    Parsed { document: Arc<Document>, word: Word },
}

#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    pub(crate) value: Value,
}

/// An object with too many members to search one by one: `order` lists their positions sorted by name.
pub(crate) struct Indexed {
    pub(crate) members: Box<[Member]>,
    pub(crate) order: Box<[u32]>,
}

/// Up to this many members, comparing one by one beats a search.
pub(crate) const LINEAR: usize = 8;

/// Values up to this height may be walked by recursion. It is the ceiling on depth, so all parsed values are below it.
pub(crate) const RECURSION: u32 = 256;

impl Value {
    /// The value `null`.
    pub const fn null() -> Value {
        Value(Node::Null)
    }

    /// A builder of an object, empty at first.
    pub fn object() -> ObjectBuilder {
        ObjectBuilder::default()
    }

    /// A builder of an array, empty at first.
    pub fn array() -> ArrayBuilder {
        ArrayBuilder::default()
    }

    /// The handle to read this value with.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }

    /// The compact text, members in their order; see [`write_value`](crate::write_value).
    pub fn to_text(&self) -> String {
        self.view().to_text()
    }

    /// The kind of this value.
    pub fn kind(&self) -> Kind {
        self.view().kind()
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.view().is_null()
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        self.view().as_bool()
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.view().as_str()
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        self.view().as_number()
    }

    /// The integer, if this is a number with an integral value that fits, however spelled.
    pub fn as_i64(&self) -> Option<i64> {
        self.view().as_i64()
    }

    /// The integer, if this is a number with an integral value that fits, however spelled.
    pub fn as_u64(&self) -> Option<u64> {
        self.view().as_u64()
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<ArrayView<'_>> {
        self.view().as_array()
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<ObjectView<'_>> {
        self.view().as_object()
    }

    /// The member of this name, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<View<'_>> {
        self.view().get(name)
    }

    /// The value that a JSON Pointer (RFC 6901) leads to; `None` also for a malformed pointer.
    pub fn pointer(&self, pointer: &str) -> Option<View<'_>> {
        self.view().pointer(pointer)
    }

    /// A copy that keeps no document in memory but one of its own; see [`View::detach`].
    #[must_use = "the copy is returned, the value stays as it is"]
    pub fn detach(&self) -> Value {
        self.view().detach()
    }

    pub(crate) fn height(&self) -> u32 {
        match &self.0 {
            Node::Array { height, .. } | Node::Object { height, .. } | Node::Indexed { height, .. } => {
                *height
            }
            Node::Parsed { word, .. } => word.height(),
            _ => 1,
        }
    }

    pub(crate) fn of_items(height: u32, items: impl Iterator<Item = Value>) -> Value {
        Value(Node::Array {
            height,
            items: items.collect(),
        })
    }

    /// An object of these members, whose names differ.
    pub(crate) fn of_members(height: u32, members: impl ExactSizeIterator<Item = Member>) -> Value {
        if members.len() <= LINEAR {
            return Value(Node::Object {
                height,
                members: members.collect(),
            });
        }
        let members: Box<[Member]> = members.collect();
        let order = order_of(&members);
        Value::of_indexed(height, members, order)
    }

    pub(crate) fn of_indexed(height: u32, members: Box<[Member]>, order: Box<[u32]>) -> Value {
        Value(Node::Indexed {
            height,
            object: Arc::new(Indexed { members, order }),
        })
    }

    /// Moves the children out of a container that nobody else holds.
    fn take_children(&mut self, into: &mut Vec<Value>) {
        let mut take = |value: &mut Value| {
            if value.height() > 1 && !matches!(value.0, Node::Parsed { .. }) {
                into.push(mem::take(value));
            }
        };
        match &mut self.0 {
            Node::Array { items, .. } => {
                Arc::get_mut(items).unwrap_or_default().iter_mut().for_each(take);
            }
            Node::Object { members, .. } => {
                Arc::get_mut(members)
                    .unwrap_or_default()
                    .iter_mut()
                    .for_each(|member| take(&mut member.value));
            }
            Node::Indexed { object, .. } => {
                if let Some(object) = Arc::get_mut(object) {
                    object
                        .members
                        .iter_mut()
                        .for_each(|member| take(&mut member.value));
                }
            }
            _ => {}
        }
        self.lower();
    }

    /// Marks a container whose children are gone, so that dropping it does not take them again.
    fn lower(&mut self) {
        if let Node::Array { height, .. } | Node::Object { height, .. } | Node::Indexed { height, .. } =
            &mut self.0
        {
            *height = 1;
        }
    }
}

/// Positions of the members sorted by name, equal names next to each other.
pub(crate) fn order_of(members: &[Member]) -> Box<[u32]> {
    let mut named: Vec<(&str, u32)> = members.iter().map(|member| &*member.name).zip(0..).collect();
    named.sort_unstable();
    named.into_iter().map(|(_, position)| position).collect()
}

/// A value from a builder may be nested without bound; its drop must not recurse as deep.
impl Drop for Node {
    fn drop(&mut self) {
        let height = match self {
            Node::Array { height, .. } | Node::Object { height, .. } | Node::Indexed { height, .. } => {
                *height
            }
            _ => return,
        };
        if height <= RECURSION {
            return;
        }
        let mut pending = vec![Value(mem::replace(self, Node::Null))];
        while let Some(mut value) = pending.pop() {
            value.take_children(&mut pending);
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.view() == other.view()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.view().hash(state);
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// `null`.
impl Default for Value {
    fn default() -> Value {
        Value::null()
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value(Node::Boolean(value))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value(Node::String(Arc::from(text)))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value(Node::String(Arc::from(text)))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::from(text.as_str())
    }
}

impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Value {
        Value(Node::String(text))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        Value(Node::Number(number))
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<i128> for Value {
    fn from(value: i128) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<u128> for Value {
    fn from(value: u128) -> Value {
        Value::from(Number::from(value))
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        items.into_iter().collect()
    }
}

impl From<&Value> for Value {
    fn from(value: &Value) -> Value {
        value.clone()
    }
}

impl From<View<'_>> for Value {
    fn from(view: View<'_>) -> Value {
        view.to_value()
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Value {
        items.into_iter().fold(Value::array(), ArrayBuilder::push).build()
    }
}
