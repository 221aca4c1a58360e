//! Names in `_meta`.

use toolmesh_json::Value;

/// Why extension metadata cannot be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// It is not an object.
    #[error("the metadata must be an object")]
    NotAnObject,
    /// A name is not `prefix/name` or `name` of the allowed characters (MCP, "General fields: `_meta`").
    #[error(
        "`{0}` is no name for metadata: use letters, digits, `-`, `_` and `.`, and a prefix such as `com.example/`"
    )]
    Name(String),
    /// A name has a prefix that belongs to the protocol.
    #[error("the metadata name `{0}` has a prefix that is reserved for the protocol; use one of your own")]
    Reserved(String),
}

/// Checks metadata that a tool publishes: an object whose names are well formed and not the protocol's own.
///
/// # Errors
/// [`MetaError`] names what is wrong.
pub(crate) fn check_published_meta(meta: &Value) -> Result<(), MetaError> {
    let members = meta.view().as_object().ok_or(MetaError::NotAnObject)?;
    for (name, _) in members.iter() {
        let (prefix, rest) = match name.split_once('/') {
            Some((prefix, rest)) => (Some(prefix), rest),
            None => (None, name),
        };
        if !is_name(rest) || prefix.is_some_and(|prefix| !is_prefix(prefix)) {
            return Err(MetaError::Name(name.to_owned()));
        }
        if prefix.is_some_and(is_reserved) {
            return Err(MetaError::Reserved(name.to_owned()));
        }
    }
    Ok(())
}

/// Letters and digits, `-`, `_` and `.` between them; empty is allowed after a prefix.
fn is_name(text: &str) -> bool {
    let inside = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let ends = |c: char| c.is_ascii_alphanumeric();
    text.bytes().all(inside) && (text.is_empty() || (text.starts_with(ends) && text.ends_with(ends)))
}

/// Labels parted by dots; each begins with a letter, ends with a letter or digit, and has `-` in between at most.
fn is_prefix(text: &str) -> bool {
    text.split('.').all(|label| {
        label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label.ends_with(|c: char| c.is_ascii_alphanumeric())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

/// `io.modelcontextprotocol/`, `dev.mcp.x/` (the second label, 2025-11-25 and later), and `modelcontextprotocol.io/`,
/// `api.mcp.dev/` (the last label but one, 2025-06-18) are the protocol's own.
fn is_reserved(prefix: &str) -> bool {
    let labels: Vec<&str> = prefix.split('.').collect();
    let is_own = |label: Option<&&str>| {
        label.is_some_and(|label| {
            label.eq_ignore_ascii_case("mcp") || label.eq_ignore_ascii_case("modelcontextprotocol")
        })
    };
    is_own(labels.get(1)) || is_own(labels.iter().rev().nth(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) -> Result<(), MetaError> {
        check_published_meta(&Value::object().put(name, 1).build())
    }

    #[test]
    fn names_are_free_but_for_the_prefixes_of_the_protocol() {
        for name in [
            "kind",
            "a.b-c_d",
            "com.example/kind",
            "com.example/",
            "com.example.mcp/x",
            "mcp/x",
            "ui",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in [
            "io.modelcontextprotocol/x",
            "dev.mcp/",
            "com.MCP.tools/x",
            "modelcontextprotocol.io/x",
            "api.mcp.dev/x",
        ] {
            assert_eq!(check(name), Err(MetaError::Reserved(name.into())), "{name}");
        }
        for name in [
            "-a",
            "a b",
            "1com.example/x",
            "com..example/x",
            "com.example-/x",
            "/x",
            "a/b/c",
            "é",
        ] {
            assert_eq!(check(name), Err(MetaError::Name(name.into())), "{name}");
        }
        assert_eq!(check_published_meta(&Value::from(1)), Err(MetaError::NotAnObject));
    }
}
