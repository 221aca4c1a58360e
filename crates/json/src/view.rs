//! The borrowed handle: the one way to read a value.

use crate::{
    number::Number,
    pointer,
    value::{Member, Node, Value},
    write,
};
use std::{
    fmt,
    hash::{Hash, Hasher},
    slice,
};

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
pub struct View<'a>(&'a Value);

/// Which place in memory a view looks at: equal only for views of one shared value, whatever the values' equality.
///
/// Meant for noticing that an evaluation has come back to where it is already. Valid while the value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(usize);

impl<'a> View<'a> {
    pub(crate) const fn new(value: &'a Value) -> View<'a> {
        View(value)
    }

    pub(crate) fn node(self) -> &'a Node {
        &self.0.0
    }

    pub(crate) fn height(self) -> u32 {
        self.0.height()
    }

    /// The kind of the value.
    pub fn kind(self) -> Kind {
        match self.node() {
            Node::Null => Kind::Null,
            Node::Boolean(_) => Kind::Boolean,
            Node::Number(_) => Kind::Number,
            Node::String(_) => Kind::String,
            Node::Array { .. } => Kind::Array,
            Node::Object { .. } | Node::Indexed { .. } => Kind::Object,
        }
    }

    /// Which node this is; see [`NodeId`].
    pub fn id(self) -> NodeId {
        NodeId(std::ptr::from_ref(self.0).addr())
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        matches!(self.node(), Node::Null)
    }

    /// The boolean, if the value is one.
    pub fn as_bool(self) -> Option<bool> {
        if let Node::Boolean(value) = self.node() {
            Some(*value)
        } else {
            None
        }
    }

    /// The text, if the value is a string.
    pub fn as_str(self) -> Option<&'a str> {
        if let Node::String(text) = self.node() {
            Some(text)
        } else {
            None
        }
    }

    /// The number, if the value is one.
    pub fn as_number(self) -> Option<&'a Number> {
        if let Node::Number(number) = self.node() {
            Some(number)
        } else {
            None
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
    pub fn as_array(self) -> Option<ArrayView<'a>> {
        if let Node::Array { items, .. } = self.node() {
            Some(ArrayView { items })
        } else {
            None
        }
    }

    /// The members, if the value is an object.
    pub fn as_object(self) -> Option<ObjectView<'a>> {
        match self.node() {
            Node::Object { members, .. } => Some(ObjectView { members, order: &[] }),
            Node::Indexed { object, .. } => Some(ObjectView {
                members: &object.members,
                order: &object.order,
            }),
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

    /// The value itself, shared: nothing is copied.
    pub fn to_value(self) -> Value {
        self.0.clone()
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

    /// Equality of everything but the elements and members, which are left in `pending`.
    fn same_outside<'b>(self, other: View<'b>, pending: &mut Vec<(View<'a>, View<'b>)>) -> bool {
        match (self.node(), other.node()) {
            (Node::Null, Node::Null) => true,
            (Node::Boolean(a), Node::Boolean(b)) => a == b,
            (Node::Number(a), Node::Number(b)) => a == b,
            (Node::String(a), Node::String(b)) => a == b,
            (Node::Array { items: a, .. }, Node::Array { items: b, .. }) => {
                pending.extend(a.iter().map(View).zip(b.iter().map(View)));
                a.len() == b.len()
            }
            _ => match (self.as_object(), other.as_object()) {
                (Some(a), Some(b)) if a.len() == b.len() => a.iter().all(|(name, value)| {
                    b.get(name).is_some_and(|other| {
                        pending.push((value, other));
                        true
                    })
                }),
                _ => false,
            },
        }
    }

    fn hash_within<H: Hasher>(self, depth: u32, state: &mut H) {
        self.kind().hash(state);
        match self.node() {
            Node::Null => {}
            Node::Boolean(value) => value.hash(state),
            Node::Number(number) => number.hash(state),
            Node::String(text) => text.hash(state),
            Node::Array { items, .. } => {
                items.len().hash(state);
                if depth > 0 {
                    items
                        .iter()
                        .for_each(|item| View(item).hash_within(depth - 1, state));
                }
            }
            Node::Object { members, .. } => hash_members(members, depth, state),
            Node::Indexed { object, .. } => hash_members(&object.members, depth, state),
        }
    }
}

/// Names alone identify an object well; its values are hashed in the order of the names.
fn hash_members<H: Hasher>(members: &[Member], depth: u32, state: &mut H) {
    members.len().hash(state);
    if depth == 0 {
        return;
    }
    let mut sorted: Vec<&Member> = members.iter().collect();
    sorted.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    for member in sorted {
        member.name.hash(state);
        View(&member.value).hash_within(depth - 1, state);
    }
}

/// Deeper values than this differ too rarely for their hash to matter, and hashing them would recurse.
const HASH_DEPTH: u32 = 64;

impl PartialEq<View<'_>> for View<'_> {
    fn eq(&self, other: &View<'_>) -> bool {
        let mut pending = vec![(*self, *other)];
        while let Some((a, b)) = pending.pop() {
            if !a.same_outside(b, &mut pending) {
                return false;
            }
        }
        true
    }
}

impl Eq for View<'_> {}

impl Hash for View<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_within(HASH_DEPTH, state);
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
        View(value)
    }
}

/// A handle to the elements of an array.
#[derive(Clone, Copy)]
pub struct ArrayView<'a> {
    items: &'a [Value],
}

impl<'a> ArrayView<'a> {
    /// How many elements there are.
    pub fn len(self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.items.is_empty()
    }

    /// The element at this position, counted from 0.
    pub fn get(self, index: usize) -> Option<View<'a>> {
        self.items.get(index).map(View)
    }

    /// The elements in order.
    pub fn iter(self) -> ArrayIter<'a> {
        ArrayIter(self.items.iter())
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
pub struct ArrayIter<'a>(slice::Iter<'a, Value>);

impl<'a> Iterator for ArrayIter<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        self.0.next().map(View)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for ArrayIter<'_> {}

impl DoubleEndedIterator for ArrayIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(View)
    }
}

/// A handle to the members of an object.
#[derive(Clone, Copy)]
pub struct ObjectView<'a> {
    members: &'a [Member],
    /// Positions sorted by name; empty when the members are so few that they are searched one by one.
    order: &'a [u32],
}

impl<'a> ObjectView<'a> {
    /// How many members there are.
    pub fn len(self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.members.is_empty()
    }

    /// The value of the member of this name.
    pub fn get(self, name: &str) -> Option<View<'a>> {
        if self.order.is_empty() {
            return self
                .members
                .iter()
                .find(|member| *member.name == *name)
                .map(|member| View(&member.value));
        }
        let named = |position: &u32| self.members.get(*position as usize);
        let found = self
            .order
            .binary_search_by(|position| named(position).map(|member| &*member.name).cmp(&Some(name)));
        let position = self.order.get(found.ok()?)?;
        named(position).map(|member| View(&member.value))
    }

    /// Whether there is a member of this name.
    pub fn contains(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Names and values in the order of the document.
    pub fn iter(self) -> ObjectIter<'a> {
        ObjectIter(self.members.iter())
    }

    /// The names in the order of the document.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'a str> + Clone {
        self.iter().map(|(name, _)| name)
    }

    /// The values in the order of the document.
    pub fn values(self) -> impl ExactSizeIterator<Item = View<'a>> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Names and values sorted by the names' UTF-8 bytes.
    pub(crate) fn sorted(self) -> Vec<(&'a str, View<'a>)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        members
    }
}

impl<'a> IntoIterator for ObjectView<'a> {
    type Item = (&'a str, View<'a>);
    type IntoIter = ObjectIter<'a>;

    fn into_iter(self) -> ObjectIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for ObjectView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(*self).finish()
    }
}

/// The members of an object in the order of the document.
#[derive(Clone)]
pub struct ObjectIter<'a>(slice::Iter<'a, Member>);

impl<'a> Iterator for ObjectIter<'a> {
    type Item = (&'a str, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|member| (&*member.name, View(&member.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for ObjectIter<'_> {}

impl DoubleEndedIterator for ObjectIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0
            .next_back()
            .map(|member| (&*member.name, View(&member.value)))
    }
}
