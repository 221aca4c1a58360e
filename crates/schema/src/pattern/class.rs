//! What a backslash means, and what stands between brackets.

use super::cursor::Cursor;
use super::pool::PatternFault;

/// ECMA-262 `\s`: white space and line ends. Wider than Unicode's property by the byte order mark, narrower by U+0085.
const SPACE: &str =
    r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const DIGIT: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";

/// What one escape stands for.
pub(super) enum Escape {
    /// One character.
    Literal(char),
    /// A set: what stands between the brackets of the equivalent class.
    Set(String),
    /// A place between characters, ready to be written.
    Assertion(&'static str),
}

/// Reads an escape after its backslash.
pub(super) fn read_escape(cursor: &mut Cursor<'_>) -> Result<Escape, PatternFault> {
    let Some(character) = cursor.next() else {
        return Err(PatternFault::Malformed("it ends in a backslash".to_owned()));
    };
    Ok(match character {
        'd' => Escape::Set(DIGIT.to_owned()),
        'D' => Escape::Set(format!("[^{DIGIT}]")),
        'w' => Escape::Set(WORD.to_owned()),
        'W' => Escape::Set(format!("[^{WORD}]")),
        's' => Escape::Set(SPACE.to_owned()),
        'S' => Escape::Set(format!("[^{SPACE}]")),
        'p' | 'P' => Escape::Set(read_property(character, cursor)?),
        'b' => Escape::Assertion(r"(?-u:\b)"),
        'B' => Escape::Assertion(r"(?-u:\B)"),
        't' => Escape::Literal('\t'),
        'n' => Escape::Literal('\n'),
        'v' => Escape::Literal('\u{B}'),
        'f' => Escape::Literal('\u{C}'),
        'r' => Escape::Literal('\r'),
        '0' if !cursor.peek().is_some_and(|next| next.is_ascii_digit()) => Escape::Literal('\0'),
        '0'..='9' => {
            return Err(PatternFault::Unsupported(format!(
                "the back-reference `\\{character}`"
            )));
        }
        'k' => return Err(PatternFault::Unsupported("the back-reference `\\k`".to_owned())),
        'c' => Escape::Literal(read_control(cursor)?),
        'x' => Escape::Literal(read_hexadecimal(cursor)?),
        'u' => Escape::Literal(read_unicode(cursor)?),
        other if other.is_ascii_punctuation() || other == ' ' => Escape::Literal(other),
        other => {
            return Err(PatternFault::Malformed(format!(
                "`\\{other}` is no escape of ECMA-262"
            )));
        }
    })
}

fn read_property(letter: char, cursor: &mut Cursor<'_>) -> Result<String, PatternFault> {
    let malformed =
        || PatternFault::Malformed(format!("`\\{letter}` must be followed by a property in braces"));
    if !cursor.eat("{") {
        return Err(malformed());
    }
    let name = cursor.until('}').ok_or_else(malformed)?;
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'=';
    if name.is_empty() || !name.bytes().all(sound) {
        return Err(malformed());
    }
    Ok(format!("\\{letter}{{{name}}}"))
}

fn read_control(cursor: &mut Cursor<'_>) -> Result<char, PatternFault> {
    match cursor.next() {
        Some(letter) if letter.is_ascii_alphabetic() => Ok(char::from(letter as u8 & 0x1F)),
        _ => Err(PatternFault::Malformed(
            "`\\c` must be followed by a letter".to_owned(),
        )),
    }
}

fn read_hexadecimal(cursor: &mut Cursor<'_>) -> Result<char, PatternFault> {
    let code = cursor.hex(2).and_then(char::from_u32);
    code.ok_or_else(|| PatternFault::Malformed("`\\x` must be followed by two hexadecimal digits".to_owned()))
}

/// `\uHHHH`, a surrogate pair of two of them, or `\u{H...}`.
fn read_unicode(cursor: &mut Cursor<'_>) -> Result<char, PatternFault> {
    let malformed = || PatternFault::Malformed("`\\u` must be followed by a code point".to_owned());
    if cursor.eat("{") {
        let digits = cursor.until('}').ok_or_else(malformed)?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| malformed())?;
        return char::from_u32(code).ok_or_else(malformed);
    }
    let high = cursor.hex(4).ok_or_else(malformed)?;
    if let Some(character) = char::from_u32(high) {
        return Ok(character);
    }
    let low = if cursor.eat("\\u") { cursor.hex(4) } else { None };
    let pair = [
        u16::try_from(high).ok(),
        low.and_then(|low| u16::try_from(low).ok()),
    ];
    let units = pair.into_iter().flatten();
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => Ok(character),
        _ => Err(PatternFault::Unsupported(format!(
            "the lone surrogate `\\u{high:04X}`"
        ))),
    }
}

/// One thing between brackets.
enum Atom {
    Character(char),
    Set(String),
}

/// Reads a class after its opening bracket and writes its equivalent.
pub(super) fn read_class(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), PatternFault> {
    let negated = cursor.eat("^");
    let mut body = String::new();
    loop {
        match read_atom(cursor)? {
            None => break,
            Some(Atom::Set(set)) => body.push_str(&set),
            Some(Atom::Character(first)) => write_range(first, cursor, &mut body)?,
        }
    }
    // An empty class has its own spelling in the engine: nothing, or anything, is in it.
    out.push_str(match (body.is_empty(), negated) {
        (true, true) => r"[\x{0}-\x{10FFFF}]",
        (true, false) => r"[^\x{0}-\x{10FFFF}]",
        (false, true) => "[^",
        (false, false) => "[",
    });
    if !body.is_empty() {
        out.push_str(&body);
        out.push(']');
    }
    Ok(())
}

/// The next atom; nothing at the closing bracket.
fn read_atom(cursor: &mut Cursor<'_>) -> Result<Option<Atom>, PatternFault> {
    match cursor.next() {
        None => Err(PatternFault::Malformed("a `[` is never closed".to_owned())),
        Some(']') => Ok(None),
        Some('\\') => read_class_escape(cursor).map(Some),
        Some(character) => Ok(Some(Atom::Character(character))),
    }
}

fn read_class_escape(cursor: &mut Cursor<'_>) -> Result<Atom, PatternFault> {
    if cursor.eat("b") {
        return Ok(Atom::Character('\u{8}'));
    }
    match read_escape(cursor)? {
        Escape::Literal(character) => Ok(Atom::Character(character)),
        Escape::Set(set) => Ok(Atom::Set(set)),
        Escape::Assertion(_) => Err(PatternFault::Malformed(
            "`\\B` has no meaning between brackets".to_owned(),
        )),
    }
}

/// Writes a character, or the range that it begins. A `-` beside a set or the closing bracket is itself.
fn write_range(first: char, cursor: &mut Cursor<'_>, body: &mut String) -> Result<(), PatternFault> {
    let mut ahead = cursor.clone();
    let begins_range = ahead.eat("-") && ahead.peek().is_some_and(|next| next != ']');
    if !begins_range {
        write_character(first, body);
        return Ok(());
    }
    *cursor = ahead;
    match read_atom(cursor)? {
        Some(Atom::Character(last)) if last < first => Err(PatternFault::Malformed(format!(
            "the range `{first}-{last}` is out of order"
        ))),
        Some(Atom::Character(last)) => {
            write_character(first, body);
            body.push('-');
            write_character(last, body);
            Ok(())
        }
        Some(Atom::Set(set)) => {
            write_character(first, body);
            write_character('-', body);
            body.push_str(&set);
            Ok(())
        }
        None => Ok(()),
    }
}

/// Writes one character so that the engine reads it as itself.
pub(super) fn write_character(character: char, out: &mut String) {
    if character.is_ascii_alphanumeric() {
        out.push(character);
    } else {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(character)));
    }
}
