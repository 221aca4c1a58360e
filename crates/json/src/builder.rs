//! Building objects and arrays.

use crate::value::{LINEAR, Member, Value};
use std::{collections::HashMap, sync::Arc};

/// Collects the members of an object in order.
///
/// ```
/// use toolmesh_json::Value;
///
/// let point = Value::object().put("x", 1).put("y", 2).put("x", 3).build();
/// assert_eq!(point.to_text(), r#"{"x":3,"y":2}"#);
/// ```
#[derive(Clone, Default)]
pub struct ObjectBuilder {
    members: Vec<Member>,
    height: u32,
    /// Where each name stands, kept only once there are many.
    positions: HashMap<Arc<str>, usize>,
}

impl ObjectBuilder {
    /// Sets a member. A second put of a name replaces the value and keeps the place.
    #[must_use = "put returns the builder; use insert to change one in place"]
    pub fn put(mut self, name: impl Into<String>, value: impl Into<Value>) -> ObjectBuilder {
        self.insert(name, value);
        self
    }

    /// Sets a member if there is a value for it.
    #[must_use = "put_opt returns the builder; use insert to change one in place"]
    pub fn put_opt(self, name: impl Into<String>, value: Option<impl Into<Value>>) -> ObjectBuilder {
        match value {
            Some(value) => self.put(name, value),
            None => self,
        }
    }

    /// Sets a member in place. A second insert of a name replaces the value and keeps the place.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let (name, value) = (name.into(), value.into());
        self.insert_shared(Arc::from(name), value);
    }

    pub(crate) fn insert_shared(&mut self, name: Arc<str>, value: Value) {
        self.height = self.height.max(value.height());
        match self
            .position(&name)
            .and_then(|position| self.members.get_mut(position))
        {
            Some(member) => member.value = value,
            None => self.append(name, value),
        }
    }

    fn append(&mut self, name: Arc<str>, value: Value) {
        let count = self.members.len();
        if count >= LINEAR {
            if self.positions.is_empty() {
                let names = self.members.iter().map(|member| Arc::clone(&member.name));
                self.positions = names.zip(0..).collect();
            }
            self.positions.insert(Arc::clone(&name), count);
        }
        self.members.push(Member { name, value });
    }

    fn position(&self, name: &str) -> Option<usize> {
        if self.members.len() <= LINEAR {
            self.members.iter().position(|member| *member.name == *name)
        } else {
            self.positions.get(name).copied()
        }
    }

    /// Whether there is a member of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member yet.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The object.
    pub fn build(self) -> Value {
        Value::of_members(self.height.saturating_add(1), self.members.into_iter())
    }
}

impl From<ObjectBuilder> for Value {
    fn from(builder: ObjectBuilder) -> Value {
        builder.build()
    }
}

impl<N: Into<String>, V: Into<Value>> Extend<(N, V)> for ObjectBuilder {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, members: I) {
        for (name, value) in members {
            self.insert(name, value);
        }
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for ObjectBuilder {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> ObjectBuilder {
        let mut builder = ObjectBuilder::default();
        builder.extend(members);
        builder
    }
}

/// Collects the elements of an array.
///
/// ```
/// use toolmesh_json::Value;
///
/// assert_eq!(Value::array().push(1).push("two").build().to_text(), r#"[1,"two"]"#);
/// ```
#[derive(Clone, Default)]
pub struct ArrayBuilder {
    items: Vec<Value>,
    height: u32,
}

impl ArrayBuilder {
    /// Appends an element.
    #[must_use = "push returns the builder; use add to change one in place"]
    pub fn push(mut self, value: impl Into<Value>) -> ArrayBuilder {
        self.add(value);
        self
    }

    /// Appends an element in place.
    pub fn add(&mut self, value: impl Into<Value>) {
        let value = value.into();
        self.height = self.height.max(value.height());
        self.items.push(value);
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no element yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The array.
    pub fn build(self) -> Value {
        Value::of_items(self.height.saturating_add(1), self.items.into_iter())
    }
}

impl From<ArrayBuilder> for Value {
    fn from(builder: ArrayBuilder) -> Value {
        builder.build()
    }
}

impl<V: Into<Value>> Extend<V> for ArrayBuilder {
    fn extend<I: IntoIterator<Item = V>>(&mut self, items: I) {
        for value in items {
            self.add(value);
        }
    }
}

impl<V: Into<Value>> FromIterator<V> for ArrayBuilder {
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> ArrayBuilder {
        let mut builder = ArrayBuilder::default();
        builder.extend(items);
        builder
    }
}
