//! Equality and hash: of values, not of how they are spelled, ordered, or held.

use crate::{
    object_view::ObjectView,
    view::{Shape, View},
};
use std::hash::{Hash, Hasher};

/// Deeper values than this differ too rarely for their hash to matter, and hashing them would recurse.
const HASH_DEPTH: u32 = 64;

impl PartialEq<View<'_>> for View<'_> {
    fn eq(&self, other: &View<'_>) -> bool {
        let mut pending = vec![(*self, *other)];
        while let Some((a, b)) = pending.pop() {
            if !same_outside(a, b, &mut pending) {
                return false;
            }
        }
        true
    }
}

impl Eq for View<'_> {}

/// Equality of everything but the elements and members, which are left in `pending`.
fn same_outside<'a, 'b>(a: View<'a>, b: View<'b>, pending: &mut Vec<(View<'a>, View<'b>)>) -> bool {
    match (a.shape(), b.shape()) {
        (Shape::Null, Shape::Null) => true,
        (Shape::Boolean(a), Shape::Boolean(b)) => a == b,
        (Shape::Number(a), Shape::Number(b)) => a == b,
        (Shape::Text(a), Shape::Text(b)) => a.text == b.text,
        (Shape::Array(a), Shape::Array(b)) => {
            a.len() == b.len() && {
                pending.extend(a.iter().zip(b.iter()));
                true
            }
        }
        (Shape::Object(a), Shape::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, value)| {
                    b.get(name).is_some_and(|other| {
                        pending.push((value, other));
                        true
                    })
                })
        }
        _ => false,
    }
}

impl Hash for View<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_within(*self, HASH_DEPTH, state);
    }
}

fn hash_within<H: Hasher>(value: View<'_>, depth: u32, state: &mut H) {
    value.kind().hash(state);
    match value.shape() {
        Shape::Null => {}
        Shape::Boolean(value) => value.hash(state),
        Shape::Number(number) => number.hash(state),
        Shape::Text(text) => text.text.hash(state),
        Shape::Array(items) => {
            items.len().hash(state);
            if depth > 0 {
                items.iter().for_each(|item| hash_within(item, depth - 1, state));
            }
        }
        Shape::Object(object) => hash_members(object, depth, state),
    }
}

/// Names alone identify an object well; its values are hashed in the order of the names.
fn hash_members<H: Hasher>(object: ObjectView<'_>, depth: u32, state: &mut H) {
    object.len().hash(state);
    if depth == 0 {
        return;
    }
    for (name, value) in object.sorted() {
        name.hash(state);
        hash_within(value, depth - 1, state);
    }
}
