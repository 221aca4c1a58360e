//! Asking a host for the whole descriptor of a tool.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use toolmesh_json::{Value, View};
use toolmesh_tool::{DescriptorError, SchemaForm, ToolDescriptor};

/// The question: `{"name": <tool_id>}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMetadataRequest {
    /// The tool's identifier.
    pub name: String,
}

/// The answer; not finding a tool is an answer, not a failure.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolMetadataResponse {
    /// The host serves it.
    Found {
        /// The whole descriptor.
        descriptor: Box<ToolDescriptor>,
    },
    /// The host does not.
    NotFound {
        /// The identifier that was asked for.
        name: String,
    },
}

/// Why a JSON value is no such message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolMetadataError {
    /// A member is missing or of another kind.
    #[error("a tool metadata message needs a text member `{0}`")]
    Member(&'static str),
    /// `type` is neither `found` nor `not_found`.
    #[error("a tool metadata answer's `type` is found or not_found")]
    UnknownType,
    /// The descriptor is none.
    #[error("a tool metadata answer has no valid descriptor: {0}")]
    Descriptor(#[from] DescriptorError),
}

impl ToolMetadataRequest {
    /// The JSON form.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::object().put("name", self.name.as_str()).build()
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// [`ToolMetadataError::Member`] without a name.
    pub fn from_value(value: View<'_>) -> Result<Self, ToolMetadataError> {
        Ok(Self {
            name: text(value, "name")?,
        })
    }
}

impl ToolMetadataResponse {
    /// The JSON form.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Found { descriptor } => Value::object()
                .put("type", "found")
                .put("descriptor", descriptor.to_value(SchemaForm::Text))
                .build(),
            Self::NotFound { name } => Value::object()
                .put("type", "not_found")
                .put("name", name.as_str())
                .build(),
        }
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// [`ToolMetadataError`] when it is another message or lacks something.
    pub fn from_value(value: View<'_>) -> Result<Self, ToolMetadataError> {
        match text(value, "type")?.as_str() {
            "found" => {
                let descriptor = value.get("descriptor").ok_or(DescriptorError::NotAnObject)?;
                Ok(Self::Found {
                    descriptor: Box::new(ToolDescriptor::from_value(descriptor)?),
                })
            }
            "not_found" => Ok(Self::NotFound {
                name: text(value, "name")?,
            }),
            _ => Err(ToolMetadataError::UnknownType),
        }
    }
}

impl Serialize for ToolMetadataRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolMetadataRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = <Value as Deserialize>::deserialize(deserializer)?;
        Self::from_value(value.view()).map_err(D::Error::custom)
    }
}

impl Serialize for ToolMetadataResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolMetadataResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = <Value as Deserialize>::deserialize(deserializer)?;
        Self::from_value(value.view()).map_err(D::Error::custom)
    }
}

fn text(value: View<'_>, name: &'static str) -> Result<String, ToolMetadataError> {
    value
        .get(name)
        .and_then(View::as_str)
        .map(str::to_owned)
        .ok_or(ToolMetadataError::Member(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_answers_come_back_as_they_went() {
        for answer in [
            ToolMetadataResponse::Found {
                descriptor: Box::new(ToolDescriptor::new("t")),
            },
            ToolMetadataResponse::NotFound { name: "t".into() },
        ] {
            assert_eq!(
                ToolMetadataResponse::from_value(answer.to_value().view()).unwrap(),
                answer
            );
        }
    }

    #[test]
    fn another_message_is_refused() {
        let other = toolmesh_json::parse(br#"{"type":"maybe"}"#).unwrap();
        assert_eq!(
            ToolMetadataResponse::from_value(other.view()),
            Err(ToolMetadataError::UnknownType)
        );
        let empty = toolmesh_json::parse(b"{}").unwrap();
        assert_eq!(
            ToolMetadataRequest::from_value(empty.view()),
            Err(ToolMetadataError::Member("name"))
        );
    }
}
