//! Hints about what a tool does.

use toolmesh_json::{Value, View};

/// Hints about a tool's behaviour (MCP `ToolAnnotations`); informational, never a guarantee.
///
/// Absent hints are left out on the wire; a client then assumes the specification's defaults (not read-only,
/// destructive, not idempotent, open world).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// A title for people; the tool's own title is preferred.
    pub title: Option<String>,
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy or overwrite (meaningful only when it is not read-only).
    pub destructive: Option<bool>,
    /// Calling again with the same arguments has no further effect.
    pub idempotent: Option<bool>,
    /// The tool reaches entities outside a closed set.
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Whether there is nothing to publish.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The hints for a tool that reads and changes nothing.
    #[must_use]
    pub fn read_only() -> Self {
        Self {
            read_only: Some(true),
            idempotent: Some(true),
            ..Self::default()
        }
    }

    /// Whether a call may destroy something, by the specification's defaults for absent hints.
    #[must_use]
    pub fn may_destroy(&self) -> bool {
        !self.read_only.unwrap_or(false) && self.destructive.unwrap_or(true)
    }

    /// The MCP object (`readOnlyHint`, `destructiveHint`, ...), absent hints left out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::object()
            .put_opt("title", self.title.as_deref())
            .put_opt("readOnlyHint", self.read_only)
            .put_opt("destructiveHint", self.destructive)
            .put_opt("idempotentHint", self.idempotent)
            .put_opt("openWorldHint", self.open_world)
            .build()
    }

    /// Reads the MCP object; unknown members and members of another type are ignored.
    #[must_use]
    pub fn from_value(value: View<'_>) -> Self {
        let hint = |name| value.get(name).and_then(View::as_bool);
        Self {
            title: value.get("title").and_then(View::as_str).map(str::to_owned),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_hints_mean_that_a_call_may_destroy() {
        assert!(ToolAnnotations::default().may_destroy());
        assert!(!ToolAnnotations::read_only().may_destroy());
        assert!(
            !ToolAnnotations {
                destructive: Some(false),
                ..Default::default()
            }
            .may_destroy()
        );
    }

    #[test]
    fn the_wire_form_comes_back_as_it_went() {
        let hints = ToolAnnotations {
            title: Some("T".into()),
            destructive: Some(true),
            ..Default::default()
        };
        assert_eq!(
            hints.to_value().to_text(),
            r#"{"title":"T","destructiveHint":true}"#
        );
        assert_eq!(ToolAnnotations::from_value(hints.to_value().view()), hints);
    }
}
