//! Input schemas of the tools about the node.

use toolmesh_json::{ObjectBuilder, Value};

/// An input schema that is being put together.
#[derive(Default)]
pub(super) struct Input {
    properties: ObjectBuilder,
    required: Vec<&'static str>,
}

impl Input {
    /// An input without arguments.
    pub(super) fn none() -> Value {
        Self::default().build()
    }

    /// A text that must be there.
    pub(super) fn text(mut self, name: &'static str, about: &str) -> Self {
        self.required.push(name);
        self.maybe(name, about)
    }

    /// A text that may be left out.
    pub(super) fn maybe(self, name: &'static str, about: &str) -> Self {
        self.with(
            name,
            Value::object().put("type", "string").put("description", about),
        )
    }

    /// One of some words; it may be left out.
    pub(super) fn word(self, name: &'static str, words: &[&str]) -> Self {
        let words: Value = words.iter().map(|word| Value::from(*word)).collect();
        self.with(name, Value::object().put("type", "string").put("enum", words))
    }

    /// An argument with a schema of its own; it may be left out.
    pub(super) fn with(mut self, name: &'static str, schema: impl Into<Value>) -> Self {
        self.properties.insert(name, schema);
        self
    }

    /// Says that an argument must be there.
    pub(super) fn required(mut self, name: &'static str) -> Self {
        self.required.push(name);
        self
    }

    pub(super) fn build(self) -> Value {
        let mut schema = Value::object()
            .put("type", "object")
            .put("properties", self.properties);
        if !self.required.is_empty() {
            schema.insert(
                "required",
                self.required.into_iter().map(Value::from).collect::<Value>(),
            );
        }
        schema.put("additionalProperties", false).build()
    }
}

/// An object of any members.
pub(super) fn object(about: &str) -> Value {
    Value::object()
        .put("type", "object")
        .put("description", about)
        .build()
}
