//! What stands at the root of a tool's schema: arguments are always an object, and most providers take nothing else there.

use toolmesh_json::Value;

use super::kinds::{Kind, declared};
use super::{Document, is_assertion, without};
use crate::warning::{Report, WarningKind};

/// The one member that arguments travel in where the provider takes no schema of their shape at the root.
pub(crate) const WRAPPER: &str = "arguments";

/// What no provider takes at the root.
const COMBINATORS: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];

impl Document {
    /// The same with a root that says `"type": "object"`, and is no mere reference.
    ///
    /// # Errors
    /// In words, when the schema takes no object: such a tool cannot be called.
    pub(crate) fn with_object_root(mut self) -> Result<Self, String> {
        for _ in 0..=self.definitions.len() {
            let assertions = self.root.as_object().into_iter().flatten();
            let only_refers = assertions
                .filter(|(name, _)| is_assertion(name))
                .all(|(name, _)| matches!(name, "$ref" | "type"));
            let Some(target) = Self::reference(self.root()).and_then(|name| self.definition(name)) else {
                break;
            };
            if !only_refers {
                break;
            }
            self.root = target.to_value();
        }
        match declared(self.root()) {
            Some(kinds) if !kinds.contains(&Kind::Object) => Err("its arguments are no object".to_owned()),
            Some(kinds) if kinds == [Kind::Object] => Ok(self),
            _ => {
                let rest = without(self.root(), &["type"]);
                let mut root = Value::object().put("type", "object");
                root.extend(rest.as_object().into_iter().flatten());
                self.root = root.build();
                Ok(self)
            }
        }
    }

    /// The same with a root without combinators: where there are some, the whole becomes the one member [`WRAPPER`].
    /// True when that was done.
    pub(crate) fn without_root_combinators(mut self, report: &mut Report) -> (Self, bool) {
        if !COMBINATORS.iter().any(|name| self.root.get(name).is_some()) {
            return (self, false);
        }
        report.add("", WarningKind::Wrapped(WRAPPER.to_owned()));
        self.root = Value::object()
            .put("type", "object")
            .put("properties", Value::object().put(WRAPPER, self.root()))
            .put("required", Value::array().push(WRAPPER))
            .put("additionalProperties", false)
            .build();
        (self, true)
    }

    /// Whether the root takes any object at all and says nothing about it.
    pub(crate) fn is_free_form(&self) -> bool {
        let mut assertions = self.root.as_object().into_iter().flatten();
        assertions.all(|(name, _)| name == "type" || !is_assertion(name))
    }
}
