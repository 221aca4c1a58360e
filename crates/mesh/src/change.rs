//! What changes in the list of tools.

use toolmesh_json::{Value, View};
use toolmesh_tool::{DescriptorError, SchemaForm, ToolDescriptor};

/// One change in the list of tools. The JSON form is tagged by `type` in snake case.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolListChange {
    /// A tool (identifier and version) is there that was not.
    Added(ToolDescriptor),
    /// A tool is gone.
    Removed(ToolDescriptor),
    /// More or fewer nodes serve it than before.
    NodeCountChanged {
        /// The tool, with the new count.
        descriptor: ToolDescriptor,
        /// The count before.
        prev_node_count: u32,
    },
    /// A tool tells something else of itself, under the same version. Compatible watches leave it out.
    Changed(ToolDescriptor),
    /// Changes were lost: list again.
    Resync,
}

/// Why a JSON value is no such change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// `type` is missing or none of the five.
    #[error("a change's `type` is added, removed, node_count_changed, changed or resync")]
    UnknownType,
    /// A member is missing or of another kind.
    #[error("a change of this type needs a member `{0}` of the right kind")]
    Member(&'static str),
    /// The descriptor is none.
    #[error("a change has no valid descriptor: {0}")]
    Descriptor(#[from] DescriptorError),
}

impl ToolListChange {
    /// The JSON form.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let told = |kind: &str, descriptor: &ToolDescriptor| {
            Value::object()
                .put("type", kind)
                .put("descriptor", descriptor.to_value(SchemaForm::Text))
        };
        match self {
            Self::Added(descriptor) => told("added", descriptor),
            Self::Removed(descriptor) => told("removed", descriptor),
            Self::Changed(descriptor) => told("changed", descriptor),
            Self::NodeCountChanged {
                descriptor,
                prev_node_count,
            } => told("node_count_changed", descriptor).put("prev_node_count", *prev_node_count),
            Self::Resync => Value::object().put("type", "resync"),
        }
        .build()
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// [`ChangeError`] when it is another message or lacks something.
    pub fn from_value(value: View<'_>) -> Result<Self, ChangeError> {
        let descriptor = || {
            let found = value.get("descriptor").ok_or(ChangeError::Member("descriptor"))?;
            Ok::<_, ChangeError>(ToolDescriptor::from_value(found)?)
        };
        match value.get("type").and_then(View::as_str) {
            Some("added") => Ok(Self::Added(descriptor()?)),
            Some("removed") => Ok(Self::Removed(descriptor()?)),
            Some("changed") => Ok(Self::Changed(descriptor()?)),
            Some("node_count_changed") => Ok(Self::NodeCountChanged {
                descriptor: descriptor()?,
                prev_node_count: value
                    .get("prev_node_count")
                    .and_then(View::as_u64)
                    .and_then(|count| u32::try_from(count).ok())
                    .ok_or(ChangeError::Member("prev_node_count"))?,
            }),
            Some("resync") => Ok(Self::Resync),
            _ => Err(ChangeError::UnknownType),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_comes_back_as_it_went() {
        let descriptor = || ToolDescriptor::new("t");
        for change in [
            ToolListChange::Added(descriptor()),
            ToolListChange::Removed(descriptor()),
            ToolListChange::Changed(descriptor()),
            ToolListChange::NodeCountChanged {
                descriptor: descriptor(),
                prev_node_count: 2,
            },
            ToolListChange::Resync,
        ] {
            assert_eq!(ToolListChange::from_value(change.to_value().view()), Ok(change));
        }
    }

    #[test]
    fn a_change_without_what_its_type_needs_is_refused() {
        for (text, error) in [
            (r#"{"type":"gone"}"#, ChangeError::UnknownType),
            (r#"{"type":"added"}"#, ChangeError::Member("descriptor")),
            (
                r#"{"type":"node_count_changed","descriptor":{"tool_id":"t"}}"#,
                ChangeError::Member("prev_node_count"),
            ),
            (
                r#"{"type":"removed","descriptor":{}}"#,
                ChangeError::Descriptor(DescriptorError::Member("tool_id")),
            ),
        ] {
            let value = toolmesh_json::parse(text.as_bytes()).unwrap();
            assert_eq!(ToolListChange::from_value(value.view()), Err(error), "{text}");
        }
    }
}
