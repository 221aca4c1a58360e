//! A tool call as a provider's model made it.

/// A tool call, whichever provider's model made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallSpec {
    /// The tool's name: in compat mode as the model spelled it, otherwise the tool's own identifier.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments_json: String,
    /// The provider's id of the call, under which the result goes back.
    pub provider_call_id: Option<String>,
}

/// Why a provider's reply holds no tool call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolCallParseError {
    /// A member is missing.
    #[error("tool-call reply missing field `{0}`")]
    MissingField(&'static str),
    /// A member is of another kind.
    #[error("tool-call reply field `{field}` is not {expected}")]
    WrongType {
        /// The member.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The arguments are no JSON.
    #[error("tool-call arguments were not valid JSON: {0}")]
    InvalidArgumentsJson(String),
}

#[cfg(test)]
mod tests {
    use super::ToolCallParseError;

    #[test]
    fn errors_keep_the_texts_that_other_languages_know() {
        assert_eq!(
            ToolCallParseError::MissingField("function").to_string(),
            "tool-call reply missing field `function`"
        );
        assert_eq!(
            ToolCallParseError::InvalidArgumentsJson("x".to_owned()).to_string(),
            "tool-call arguments were not valid JSON: x"
        );
    }
}
