//! Strings and names as they are spelled: finding their end, decoding their escapes.

use crate::{
    error::ParseErrorKind,
    limits::Limits,
    scan::{plain_end, utf16_units},
};

/// A fault and the byte it is at.
pub(crate) type Fault = (ParseErrorKind, usize);

/// Where a string's spelling ends.
pub(crate) struct Spelling {
    /// Position of the closing quote.
    pub(crate) end: usize,
    /// Whether there is anything to decode.
    pub(crate) escaped: bool,
}

/// Finds the end of the string whose spelling starts at `start`, behind its quote, and checks its length.
pub(crate) fn spelling(bytes: &[u8], start: usize, limits: &Limits) -> Result<Spelling, Fault> {
    let mut at = start;
    let mut escaped = false;
    let end = loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => break at,
            Some(b'\\') => {
                escaped = true;
                // What follows the backslash is judged by `decode`; it only must not end the string.
                at += 2;
            }
            Some(_) => return Err((ParseErrorKind::ControlCharacter, at)),
            None => return Err((ParseErrorKind::UnexpectedEnd, bytes.len())),
        }
    };
    let token = bytes.get(start..end).unwrap_or_default();
    // A unit takes at least one byte, so that units need not be counted in a short string.
    if token.len() > limits.token_units().min(limits.string_units()) {
        long_token(token, start, limits)?;
    }
    Ok(Spelling { end, escaped })
}

fn long_token(token: &[u8], start: usize, limits: &Limits) -> Result<(), Fault> {
    if utf16_units(token) > limits.token_units() {
        return Err((ParseErrorKind::TokenTooLong, start));
    }
    if decoded_units(token) > limits.string_units() {
        return Err((ParseErrorKind::StringTooLong, start));
    }
    Ok(())
}

/// UTF-16 units of the decoded string, provided its escapes are right.
fn decoded_units(token: &[u8]) -> usize {
    let mut units = 0;
    let mut rest = token;
    while let Some(backslash) = rest.iter().position(|&byte| byte == b'\\') {
        let (plain, escape) = rest.split_at(backslash);
        let length = if escape.get(1) == Some(&b'u') { 6 } else { 2 };
        units += utf16_units(plain) + 1;
        rest = escape.get(length..).unwrap_or_default();
    }
    units + utf16_units(rest)
}

/// Appends the decoded text of a spelling that starts at byte `start` of the document.
pub(crate) fn decode(token: &str, start: usize, into: &mut String) -> Result<(), Fault> {
    let mut rest = token;
    while let Some(backslash) = rest.find('\\') {
        let at = start + token.len() - rest.len() + backslash;
        let (plain, escape) = rest.split_at(backslash);
        into.push_str(plain);
        let (character, length) = escape_at(escape.as_bytes()).map_err(|kind| (kind, at))?;
        into.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    into.push_str(rest);
    Ok(())
}

/// The character of the escape at the start of `bytes` and the escape's length.
fn escape_at(bytes: &[u8]) -> Result<(char, usize), ParseErrorKind> {
    let simple = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape_at(bytes),
        _ => return Err(ParseErrorKind::InvalidEscape),
    };
    Ok((simple, 2))
}

fn unicode_escape_at(bytes: &[u8]) -> Result<(char, usize), ParseErrorKind> {
    let unit = unit_at(bytes, 0).ok_or(ParseErrorKind::InvalidEscape)?;
    if let Some(character) = char::from_u32(unit) {
        return Ok((character, 6));
    }
    // A surrogate: the first half must be high and the second, directly behind it, low.
    let low = unit_at(bytes, 6).ok_or(ParseErrorKind::UnpairedSurrogate)?;
    if !(0xD800..0xDC00).contains(&unit) || !(0xDC00..0xE000).contains(&low) {
        return Err(ParseErrorKind::UnpairedSurrogate);
    }
    let scalar = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    char::from_u32(scalar)
        .map(|character| (character, 12))
        .ok_or(ParseErrorKind::UnpairedSurrogate)
}

/// The code unit of the `\uXXXX` at this position.
fn unit_at(bytes: &[u8], from: usize) -> Option<u32> {
    let escape = bytes.get(from..from + 6)?;
    let hex = escape.strip_prefix(b"\\u")?;
    hex.iter().try_fold(0, |unit, &digit| {
        Some(unit * 16 + char::from(digit).to_digit(16)?)
    })
}
