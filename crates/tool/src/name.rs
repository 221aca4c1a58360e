//! The name of a tool.

use std::{fmt, sync::Arc};

/// Longest tool name in characters: the upper end of what MCP 2025-11-25 allows (1 to 128).
pub const MAX_NAME_CHARS: usize = 128;

/// A checked tool name: 1 to 128 of `[A-Za-z0-9_.-]`, case-sensitive (MCP 2025-11-25 and later, "Tool Names").
///
/// Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

/// Why a text is no tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("a tool name needs at least one character")]
    Empty,
    /// The text has more than [`MAX_NAME_CHARS`] characters.
    #[error("a tool name has at most {MAX_NAME_CHARS} characters, this one has {0}")]
    TooLong(usize),
    /// A character is outside `[A-Za-z0-9_.-]`.
    #[error("a tool name is made of A-Z a-z 0-9 _ . - only; character {0} (counted from 1) is another")]
    Character(usize),
}

impl ToolName {
    /// Checks `text` and keeps it.
    ///
    /// # Errors
    /// [`NameError`] when the text is empty, too long, or holds a character that is not allowed.
    pub fn new(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if let Some(place) = text.chars().position(|c| !is_name_char(c)) {
            return Err(NameError::Character(place + 1));
        }
        if text.len() > MAX_NAME_CHARS {
            return Err(NameError::TooLong(text.len()));
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::borrow::Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_to_128_characters() {
        assert_eq!(ToolName::new(""), Err(NameError::Empty));
        assert!(ToolName::new("a").is_ok());
        assert!(ToolName::new(&"a".repeat(128)).is_ok());
        assert_eq!(ToolName::new(&"a".repeat(129)), Err(NameError::TooLong(129)));
    }

    #[test]
    fn a_name_holds_only_the_allowed_characters() {
        assert!(ToolName::new("Az09_.-").is_ok());
        assert_eq!(ToolName::new("a b"), Err(NameError::Character(2)));
        assert_eq!(ToolName::new("é"), Err(NameError::Character(1)));
        assert_eq!(ToolName::new("a/b"), Err(NameError::Character(2)));
    }
}
