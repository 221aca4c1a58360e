//! Texts of strangers on a terminal.

use std::borrow::Cow;

/// The text without what would steer a terminal or turn the direction of reading: such a character is shown as `�`. Tools come
/// from servers and nodes that the reader need not trust, and what they say of themselves must not colour, clear, or rewrite
/// what the program says. Line ends and tabs stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_shown_apart = |c: char| steers(c) && !matches!(c, '\n' | '\t');
    if text.contains(is_shown_apart) {
        Cow::Owned(text.replace(is_shown_apart, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the character steers a terminal, or turns the direction of what follows.
pub(crate) fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

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
