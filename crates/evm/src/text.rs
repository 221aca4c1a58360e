//! Text that comes from an interface, made fit to be shown.
//!
//! Names, comments and type names of an ABI are written by whoever wrote the contract, and a model
//! reads them: they are cut to a length, put on one line, and lose every character that changes how
//! the text around them is shown.

use toolmesh_json::Kind;

/// The most characters of a name that is shown.
pub(crate) const NAME_CHARS: usize = 128;

/// The most characters of a comment that is shown.
pub(crate) const COMMENT_CHARS: usize = 600;

/// `text` on one line, without invisible characters, at most `max_chars` long (a cut shows as `...`).
pub(crate) fn clean(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut kept = 0;
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            gap = !out.is_empty();
            continue;
        }
        if is_invisible(character) {
            continue;
        }
        let wanted = if gap { 2 } else { 1 };
        if kept + wanted > max_chars {
            out.push_str("...");
            return out;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(character);
        kept += wanted;
    }
    out
}

/// `text` with a full stop, unless it ends a sentence already.
pub(crate) fn as_sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// The name of a JSON kind in a sentence: `an object`.
pub(crate) fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// Whether a character takes no place of its own but changes its neighbours: direction marks,
/// zero-width characters, variation selectors, tags, and the private and interlinear ranges.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{E000}'..='\u{F8FF}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
            | '\u{F0000}'..='\u{10FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_put_on_one_line_without_direction_marks() {
        assert_eq!(clean(" a\n\tb\u{202e}c\u{0000}d\u{200b} ", 100), "a bc d");
    }

    #[test]
    fn a_text_is_cut_at_the_limit_and_shows_it() {
        assert_eq!(clean("abcd", 4), "abcd");
        assert_eq!(clean("abcde", 4), "abcd...");
        assert_eq!(clean("abc de", 4), "abc...");
    }
}
