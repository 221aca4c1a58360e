//! `uri`, `uri-reference` (RFC 3986) and `iri`, `iri-reference` (RFC 3987).

use super::address::is_ipv6;
use crate::uri::is_scheme;

/// Which characters beyond ASCII are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Ascii,
    Unicode,
}

pub(super) fn is_uri(text: &str) -> bool {
    is_absolute(text, Alphabet::Ascii)
}

pub(super) fn is_iri(text: &str) -> bool {
    is_absolute(text, Alphabet::Unicode)
}

pub(super) fn is_uri_reference(text: &str) -> bool {
    is_reference(text, Alphabet::Ascii)
}

pub(super) fn is_iri_reference(text: &str) -> bool {
    is_reference(text, Alphabet::Unicode)
}

fn is_absolute(text: &str, alphabet: Alphabet) -> bool {
    text.split_once(':')
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && is_hierarchy(rest, alphabet))
}

fn is_reference(text: &str, alphabet: Alphabet) -> bool {
    if is_absolute(text, alphabet) {
        return true;
    }
    // Without a scheme, a colon in the first segment would be taken for the end of one.
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && is_hierarchy(text, alphabet)
}

/// Authority, path, query and fragment.
fn is_hierarchy(text: &str, alphabet: Alphabet) -> bool {
    let (text, fragment) = cut(text, '#');
    let (text, query) = cut(text, '?');
    let (authority, path) = match text.strip_prefix("//") {
        None => (None, text),
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority), path)
        }
    };
    authority.is_none_or(|authority| is_authority(authority, alphabet))
        && consists_of(path, alphabet, "/:@")
        && fragment.is_none_or(|fragment| consists_of(fragment, alphabet, "/?:@"))
        && query.is_none_or(|query| is_query(query, alphabet))
}

fn cut(text: &str, delimiter: char) -> (&str, Option<&str>) {
    match text.split_once(delimiter) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_query(query: &str, alphabet: Alphabet) -> bool {
    let private = |character: char| {
        alphabet == Alphabet::Unicode
            && matches!(character, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
    };
    query
        .split(private)
        .all(|part| consists_of(part, alphabet, "/?:@"))
}

fn is_authority(text: &str, alphabet: Alphabet) -> bool {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", text),
    };
    consists_of(user, alphabet, ":") && is_host_and_port(host, alphabet)
}

fn is_host_and_port(text: &str, alphabet: Alphabet) -> bool {
    if let Some((literal, port)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return port && (is_ipv6(literal) || is_future_address(literal));
    }
    match text.split_once(':') {
        Some((host, port)) => consists_of(host, alphabet, "") && is_port(port),
        None => consists_of(text, alphabet, ""),
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `v`, hexadecimal digits, a dot, and what that version of IP will have.
fn is_future_address(text: &str) -> bool {
    let Some((version, address)) = text
        .strip_prefix(['v', 'V'])
        .and_then(|rest| rest.split_once('.'))
    else {
        return false;
    };
    let version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    version && !address.is_empty() && !address.contains('%') && consists_of(address, Alphabet::Ascii, ":")
}

/// Unreserved characters, sub-delimiters, percent escapes, and `more`.
fn consists_of(text: &str, alphabet: Alphabet, more: &str) -> bool {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let next = match character {
            '%' => skip_percent(rest),
            other if is_plain(other, alphabet) || more.contains(other) => rest.get(other.len_utf8()..),
            _ => None,
        };
        match next {
            Some(next) => rest = next,
            None => return false,
        }
    }
    true
}

fn is_plain(character: char, alphabet: Alphabet) -> bool {
    if character.is_ascii() {
        character.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(character)
    } else {
        alphabet == Alphabet::Unicode && is_ucschar(character)
    }
}

/// What follows a percent escape at the start of a text.
pub(super) fn skip_percent(text: &str) -> Option<&str> {
    let digits = text.get(1..3)?;
    let sound = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if sound { text.get(3..) } else { None }
}

/// RFC 3987, 2.2: characters beyond ASCII that are neither private nor no characters at all.
pub(super) fn is_ucschar(character: char) -> bool {
    match u32::from(character) {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        code @ 0x1_0000..=0xE_FFFD => code & 0xFFFF <= 0xFFFD && !(0xE_0000..0xE_1000).contains(&code),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_has_a_scheme_and_a_reference_may_do_without() {
        for text in [
            "a:",
            "http://a",
            "http://u@[::1]:80/p?q#f",
            "urn:a:b",
            "http://[v1.x:y]/",
            "http://a:/",
        ] {
            assert!(is_uri(text) && is_uri_reference(text), "{text}");
        }
        for text in ["", "/a", "//a", "a", "?q", "#f", "./a:b"] {
            assert!(!is_uri(text) && is_uri_reference(text), "{text}");
        }
    }

    #[test]
    fn other_characters_must_be_escaped() {
        for text in [
            "http://a/ b",
            "http://a/%",
            "http://a/%zz",
            "http://[::1",
            "http://a:b/",
            "a:[",
            "http://[x]/",
            "a:\\",
            ":a",
        ] {
            assert!(!is_uri_reference(text), "{text}");
        }
        assert!(!is_uri("http://ä/") && is_iri("http://ä/ö?\u{E000}#ü") && !is_iri("http://a/\u{E000}"));
    }
}
