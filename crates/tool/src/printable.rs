//! Texts of strangers on a terminal and in a log.

use std::borrow::Cow;

/// The text without what would steer a terminal or turn the direction of reading: such a character is shown as `�`. Tools come
/// from servers and nodes that the reader need not trust, and what they say of themselves must not colour, clear, or rewrite
/// what the program says. Line ends and tabs stay.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_shown_apart = |c: char| steers(c) && !matches!(c, '\n' | '\t');
    if text.contains(is_shown_apart) {
        Cow::Owned(text.replace(is_shown_apart, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text on one line, without anything that steers: such a character, a line end too, is written as Rust writes it in a
/// text (`\n`, `\u{1b}`). So nobody whose text is logged makes a line of the log.
#[must_use]
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(ends_or_steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if ends_or_steers(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a name is seen as it is: it has nothing that steers, ends a line, or is not seen at all.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let is_unseen = |c| {
        matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    !name.chars().any(|c| ends_or_steers(c) || is_unseen(c))
}

fn ends_or_steers(c: char) -> bool {
    steers(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether the character steers a terminal, or turns the direction of what follows.
#[must_use]
pub fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_on_one_line_ends_no_line_and_steers_nothing() {
        for (text, shown) in [
            ("a\nb\r\t", "a\\nb\\r\\t"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("a\u{2028}b\u{202e}", "a\\u{2028}b\\u{202e}"),
            ("Größe 漢字 \"x\" \\n", "Größe 漢字 \"x\" \\n"),
        ] {
            assert_eq!(on_one_line(text), shown);
        }
    }

    #[test]
    fn a_name_is_seen_as_it_is() {
        for name in ["edge", "Knoten 1", "узел", "節点", ""] {
            assert!(is_plain_name(name), "{name}");
        }
        for c in
            "\0\n\r\t\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{feff}".chars()
        {
            assert!(!is_plain_name(&format!("a{c}b")), "{c:?}");
        }
    }

    #[test]
    fn what_would_steer_a_terminal_is_shown_and_the_rest_stays() {
        for (text, shown) in [
            ("Sends a token.\n\tReally.", "Sends a token.\n\tReally."),
            ("\u{1b}[2Jgone", "\u{fffd}[2Jgone"),
            ("a\rb\u{7}\u{9b}c", "a\u{fffd}b\u{fffd}\u{fffd}c"),
            ("safe\u{202e}exe.", "safe\u{fffd}exe."),
            ("Größe 漢字", "Größe 漢字"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
