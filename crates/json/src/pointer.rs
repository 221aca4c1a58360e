//! JSON Pointer (RFC 6901): a path from a document's root to one of its values.

use crate::view::View;
use std::{borrow::Cow, fmt, str::FromStr};

/// A path of decoded tokens. Displays with `~0` and `~1`; the empty pointer is the root.
///
/// ```
/// use toolmesh_json::Pointer;
///
/// let mut pointer: Pointer = "/paths/~1mcp".parse()?;
/// assert_eq!(pointer.tokens(), ["paths", "/mcp"]);
/// pointer.push("a~b");
/// assert_eq!(pointer.to_string(), "/paths/~1mcp/a~0b");
/// # Ok::<(), toolmesh_json::pointer::PointerError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer {
    tokens: Vec<String>,
}

/// Why a text is no JSON Pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointerError {
    /// It is not empty and does not begin with a slash.
    #[error("a JSON Pointer begins with a slash, or is empty to mean the whole document")]
    NoSlash,
    /// A tilde is followed by neither 0 nor 1.
    #[error(
        "a JSON Pointer has a tilde that is followed by neither 0 nor 1: write a tilde as ~0 and a slash as ~1"
    )]
    InvalidEscape,
}

/// Reads a pointer.
///
/// # Errors
/// [`PointerError`] when the text is no JSON Pointer.
pub fn parse(text: &str) -> Result<Pointer, PointerError> {
    let tokens = raw_tokens(text)?.map(|raw| decode(raw).map(Cow::into_owned));
    Ok(Pointer {
        tokens: tokens.collect::<Result<_, _>>()?,
    })
}

impl Pointer {
    /// The pointer to the whole document.
    pub const fn root() -> Pointer {
        Pointer { tokens: Vec::new() }
    }

    /// The decoded tokens, outermost first.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Whether this is the whole document.
    pub fn is_root(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether this is the whole document.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Goes one step further in, to the member of this (decoded) name.
    pub fn push(&mut self, token: impl Into<String>) {
        self.tokens.push(token.into());
    }

    /// Goes one step further in, to the element at this position.
    pub fn push_index(&mut self, index: usize) {
        self.tokens.push(index.to_string());
    }

    /// Goes one step back out and returns the token left behind.
    pub fn pop(&mut self) -> Option<String> {
        self.tokens.pop()
    }

    /// A copy that goes one step further in.
    #[must_use]
    pub fn join(&self, token: impl Into<String>) -> Pointer {
        let mut pointer = self.clone();
        pointer.push(token);
        pointer
    }

    /// The value this pointer leads to from `root`.
    pub fn resolve<'a>(&self, root: View<'a>) -> Option<View<'a>> {
        self.tokens.iter().try_fold(root, |view, token| step(view, token))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            f.write_str("/")?;
            write_token(f, token)?;
        }
        Ok(())
    }
}

fn write_token(f: &mut fmt::Formatter<'_>, token: &str) -> fmt::Result {
    for piece in token.split_inclusive(['~', '/']) {
        if let Some(plain) = piece.strip_suffix('~') {
            write!(f, "{plain}~0")?;
        } else if let Some(plain) = piece.strip_suffix('/') {
            write!(f, "{plain}~1")?;
        } else {
            f.write_str(piece)?;
        }
    }
    Ok(())
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Pointer, PointerError> {
        parse(text)
    }
}

impl<T: Into<String>> FromIterator<T> for Pointer {
    fn from_iter<I: IntoIterator<Item = T>>(tokens: I) -> Pointer {
        Pointer {
            tokens: tokens.into_iter().map(Into::into).collect(),
        }
    }
}

/// Follows a pointer without building one.
pub(crate) fn resolve<'a>(root: View<'a>, pointer: &str) -> Option<View<'a>> {
    raw_tokens(pointer)
        .ok()?
        .try_fold(root, |view, raw| step(view, &decode(raw).ok()?))
}

fn raw_tokens(text: &str) -> Result<impl Iterator<Item = &str>, PointerError> {
    if !text.is_empty() && !text.starts_with('/') {
        return Err(PointerError::NoSlash);
    }
    Ok(text.split('/').skip(1))
}

fn decode(raw: &str) -> Result<Cow<'_, str>, PointerError> {
    if !raw.contains('~') {
        return Ok(Cow::Borrowed(raw));
    }
    let mut pieces = raw.split('~');
    let mut token = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (escaped, rest) = match piece.as_bytes() {
            [b'0', ..] => ('~', piece.get(1..)),
            [b'1', ..] => ('/', piece.get(1..)),
            _ => return Err(PointerError::InvalidEscape),
        };
        token.push(escaped);
        token.push_str(rest.unwrap_or_default());
    }
    Ok(Cow::Owned(token))
}

fn step<'a>(view: View<'a>, token: &str) -> Option<View<'a>> {
    match view.as_array() {
        Some(array) => array.get(array_index(token)?),
        None => view.get(token),
    }
}

/// RFC 6901 section 4: decimal digits without leading zeros.
fn array_index(token: &str) -> Option<usize> {
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || (token.len() > 1 && token.starts_with('0')) {
        None
    } else {
        token.parse().ok()
    }
}
