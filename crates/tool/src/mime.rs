//! Media types.

/// Longest media type in bytes: a line that a person reads.
pub const MAX_MIME_TYPE_BYTES: usize = 1_024;

/// Why a text is no media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MimeTypeError {
    /// Over [`MAX_MIME_TYPE_BYTES`].
    #[error("a media type has at most {MAX_MIME_TYPE_BYTES} bytes")]
    TooLong,
    /// It is not `type/subtype` of token characters.
    #[error("a media type is `type/subtype` in ASCII, such as `image/png`")]
    Type,
    /// A parameter is not `name=token` or `name="text"` in ASCII.
    #[error("a parameter of a media type is `; name=token` or `; name=\"text\"` in ASCII")]
    Parameter,
    /// A parameter's name appears twice.
    #[error("a parameter of a media type appears twice")]
    Duplicate,
}

/// Checks the syntax of a media type (RFC 9110, 8.3.1): ASCII `type/subtype` and parameters whose values are tokens or
/// quoted, each name once. Whether the type is registered, or fits the bytes, is nobody's business here.
///
/// # Errors
/// [`MimeTypeError`] says what is wrong.
pub fn check_mime_type(text: &str) -> Result<(), MimeTypeError> {
    if text.len() > MAX_MIME_TYPE_BYTES {
        return Err(MimeTypeError::TooLong);
    }
    let (essence, mut rest) = match text.split_once(';') {
        None => (text, None),
        Some((essence, rest)) => (essence, Some(rest)),
    };
    let (kind, subtype) = essence
        .trim_end_matches(BLANK)
        .split_once('/')
        .ok_or(MimeTypeError::Type)?;
    if !is_token(kind) || !is_token(subtype) {
        return Err(MimeTypeError::Type);
    }
    let mut names = Vec::new();
    while let Some(parameters) = rest {
        let (name, after) = parameter(parameters.trim_start_matches(BLANK))?;
        let name = name.to_ascii_lowercase();
        if names.contains(&name) {
            return Err(MimeTypeError::Duplicate);
        }
        names.push(name);
        let after = after.trim_start_matches(BLANK);
        rest = match after.strip_prefix(';') {
            None if after.is_empty() => None,
            None => return Err(MimeTypeError::Parameter),
            Some(after) => Some(after),
        };
    }
    Ok(())
}

const BLANK: [char; 2] = [' ', '\t'];

/// The name of the first parameter, and what comes after its value.
fn parameter(text: &str) -> Result<(&str, &str), MimeTypeError> {
    let (name, value) = text.split_once('=').ok_or(MimeTypeError::Parameter)?;
    let after = match value.strip_prefix('"') {
        Some(quoted) => after_quoted(quoted).ok_or(MimeTypeError::Parameter)?,
        None => {
            let end = value.find([';', ' ', '\t']).unwrap_or(value.len());
            let (token, after) = value.split_at_checked(end).ok_or(MimeTypeError::Parameter)?;
            if !is_token(token) {
                return Err(MimeTypeError::Parameter);
            }
            after
        }
    };
    if is_token(name) {
        Ok((name, after))
    } else {
        Err(MimeTypeError::Parameter)
    }
}

/// What comes after the closing quote.
fn after_quoted(text: &str) -> Option<&str> {
    let is_text = |c: char| matches!(c, ' '..='~' | '\t');
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return text.get(at + 1..),
            '\\' => is_text(characters.next()?.1).then_some(())?,
            other => is_text(other).then_some(())?,
        }
    }
    None
}

fn is_token(text: &str) -> bool {
    let is_token_byte = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_has_a_type_a_subtype_and_parameters() {
        for text in [
            "image/png",
            "IMAGE/X-Thing+xml",
            "text/plain;charset=utf-8",
            "text/html ; profile=\"a \\\" b;c\" ;x=1",
        ] {
            assert_eq!(check_mime_type(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn malformed_controls_other_alphabets_and_repeated_parameters_are_refused() {
        for (text, error) in [
            ("", MimeTypeError::Type),
            ("image", MimeTypeError::Type),
            ("image/", MimeTypeError::Type),
            ("/png", MimeTypeError::Type),
            (" image/png", MimeTypeError::Type),
            ("image/png/x", MimeTypeError::Type),
            ("bild/größe", MimeTypeError::Type),
            ("image/png\n", MimeTypeError::Type),
            ("a/b;", MimeTypeError::Parameter),
            ("a/b;c", MimeTypeError::Parameter),
            ("a/b;c=", MimeTypeError::Parameter),
            ("a/b;c=d e", MimeTypeError::Parameter),
            ("a/b;c=\"d", MimeTypeError::Parameter),
            ("a/b;c=\"\u{1}\"", MimeTypeError::Parameter),
            ("a/b;c=\"é\"", MimeTypeError::Parameter),
            ("a/b;c=1;C=2", MimeTypeError::Duplicate),
        ] {
            assert_eq!(check_mime_type(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_media_type_has_a_bound() {
        let of = |bytes: usize| format!("a/{}", "b".repeat(bytes - 2));
        assert_eq!(check_mime_type(&of(MAX_MIME_TYPE_BYTES)), Ok(()));
        assert_eq!(
            check_mime_type(&of(MAX_MIME_TYPE_BYTES + 1)),
            Err(MimeTypeError::TooLong)
        );
    }
}
