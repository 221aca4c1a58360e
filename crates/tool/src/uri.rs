//! Absolute URIs.

/// Longest URI of a resource in bytes: what HTTP servers take as a request target.
pub const MAX_URI_BYTES: usize = 8_192;

/// Why a text is no absolute URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// Over the bound in bytes.
    #[error("a URI has at most {0} bytes here")]
    TooLong(usize),
    /// It does not begin with a scheme, or nothing follows it.
    #[error("a URI begins with a scheme, such as `https:`, and goes on")]
    Relative,
    /// A character that stands in no URI.
    #[error("character {0} (counted from 1) stands in no URI; percent-encode it")]
    Character(usize),
    /// A percent sign without two hexadecimal digits.
    #[error("the `%` at character {0} (counted from 1) needs two hexadecimal digits")]
    Percent(usize),
}

/// Checks that `text` is an absolute URI (RFC 3986) of at most `max` bytes; characters of other alphabets may stand as they
/// are. It is not normalised, and its scheme is not looked at.
pub(crate) fn check_uri(text: &str, max: usize) -> Result<(), UriError> {
    if text.len() > max {
        return Err(UriError::TooLong(max));
    }
    let (scheme, rest) = text.split_once(':').ok_or(UriError::Relative)?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if !is_scheme || rest.is_empty() {
        return Err(UriError::Relative);
    }
    let bytes = text.as_bytes();
    for (place, (at, character)) in text.char_indices().enumerate() {
        if character == '%' {
            let digits = bytes.get(at + 1..at + 3);
            if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                return Err(UriError::Percent(place + 1));
            }
        } else if !stands_in_a_uri(character) {
            return Err(UriError::Character(place + 1));
        }
    }
    Ok(())
}

/// Scheme, host and port of a URL, to show it by: a path, a query and user information may hold keys.
#[must_use]
pub fn url_origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

fn stands_in_a_uri(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        _ if character.is_ascii() => "-._~:/?#[]@!$&'()*+,;=".contains(character),
        _ => !character.is_control() && !character.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_uri_has_a_scheme_and_allowed_characters() {
        for text in [
            "https://example.com/a?b=c#d",
            "urn:x",
            "data:image/png;base64,AA==",
            "test://größe/%C3%A9",
        ] {
            assert_eq!(check_uri(text, MAX_URI_BYTES), Ok(()), "{text}");
        }
        for (text, error) in [
            ("", UriError::Relative),
            ("icon.png", UriError::Relative),
            ("/a:b", UriError::Relative),
            ("1a:b", UriError::Relative),
            ("https:", UriError::Relative),
            ("a:b c", UriError::Character(4)),
            ("a:\n", UriError::Character(3)),
            ("a:<", UriError::Character(3)),
            ("a:%4", UriError::Percent(3)),
            ("a:%zz", UriError::Percent(3)),
        ] {
            assert_eq!(check_uri(text, MAX_URI_BYTES), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_uri_has_a_bound() {
        assert_eq!(check_uri("a:bcd", 5), Ok(()));
        assert_eq!(check_uri("a:bcde", 5), Err(UriError::TooLong(5)));
    }
}
