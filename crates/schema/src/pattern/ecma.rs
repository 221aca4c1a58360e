//! ECMA-262 syntax in the spelling of the engine.
//!
//! The two agree on most things; they differ in what `\d`, `\w`, `\s`, `\b` and `.` cover, in escapes, in brackets inside
//! brackets, and in what cannot be matched in linear time at all (look-around, back-references). Beside the strict
//! syntax of the `u` flag, the harmless liberties of old patterns are read as browsers read them: `\-`, a literal `{`,
//! `]` or `}`, a `-` beside a set.

use super::class::{Escape, read_class, read_escape, write_character};
use super::cursor::Cursor;
use super::pool::PatternFault;

/// ECMA-262 `.`: anything but a line end.
const ANY: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Writes a pattern of ECMA-262 in the engine's spelling.
pub(super) fn translate(source: &str) -> Result<String, PatternFault> {
    let mut translator = Translator {
        cursor: Cursor::new(source),
        out: String::new(),
        open: 0,
        repeatable: false,
    };
    while let Some(character) = translator.cursor.next() {
        translator.read(character)?;
    }
    if translator.open > 0 {
        return Err(malformed("a `(` is never closed"));
    }
    Ok(translator.out)
}

fn malformed(why: &str) -> PatternFault {
    PatternFault::Malformed(why.to_owned())
}

struct Translator<'p> {
    cursor: Cursor<'p>,
    out: String,
    /// Groups not yet closed.
    open: usize,
    /// Whether a quantifier may follow.
    repeatable: bool,
}

impl Translator<'_> {
    fn read(&mut self, character: char) -> Result<(), PatternFault> {
        match character {
            '\\' => return self.escape(),
            '[' => read_class(&mut self.cursor, &mut self.out)?,
            '(' => return self.open_group(),
            ')' => self.close_group()?,
            '.' => self.out.push_str(ANY),
            '^' | '$' | '|' => {
                self.out.push(character);
                self.repeatable = false;
                return Ok(());
            }
            '*' | '+' | '?' => return self.repeat(character.encode_utf8(&mut [0; 4])),
            '{' => {
                if let Some(counted) = counted(self.cursor.rest()) {
                    self.cursor.eat(counted);
                    return self.repeat(&format!("{{{counted}"));
                }
                write_character('{', &mut self.out);
            }
            other => write_character(other, &mut self.out),
        }
        self.repeatable = true;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), PatternFault> {
        self.repeatable = true;
        match read_escape(&mut self.cursor)? {
            Escape::Literal(character) => write_character(character, &mut self.out),
            Escape::Set(set) => {
                self.out.push('[');
                self.out.push_str(&set);
                self.out.push(']');
            }
            Escape::Assertion(assertion) => {
                self.out.push_str(assertion);
                self.repeatable = false;
            }
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), PatternFault> {
        self.open += 1;
        self.repeatable = false;
        if self.cursor.eat("?:") {
            self.out.push_str("(?:");
            return Ok(());
        }
        for (opening, what) in [
            ("?=", "look-ahead `(?=`"),
            ("?!", "negative look-ahead `(?!`"),
            ("?<=", "look-behind `(?<=`"),
            ("?<!", "negative look-behind `(?<!`"),
        ] {
            if self.cursor.eat(opening) {
                return Err(PatternFault::Unsupported(what.to_owned()));
            }
        }
        if self.cursor.eat("?<") {
            self.group_name()?;
        } else if self.cursor.peek() == Some('?') {
            return Err(malformed("`(?` must be followed by `:`, `=`, `!` or `<`"));
        }
        // Nobody reads what a group captured, so that its name does not matter.
        self.out.push_str("(?:");
        Ok(())
    }

    fn group_name(&mut self) -> Result<(), PatternFault> {
        let name = self.cursor.until('>').unwrap_or_default();
        let sound = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
        if name.is_empty() || name.starts_with(|first: char| first.is_numeric()) || !name.chars().all(sound) {
            return Err(malformed("`(?<` must be followed by a name and `>`"));
        }
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), PatternFault> {
        self.open = self
            .open
            .checked_sub(1)
            .ok_or_else(|| malformed("a `)` closes nothing"))?;
        self.out.push(')');
        Ok(())
    }

    fn repeat(&mut self, quantifier: &str) -> Result<(), PatternFault> {
        if !self.repeatable {
            return Err(PatternFault::Malformed(format!(
                "there is nothing that `{quantifier}` could repeat"
            )));
        }
        self.out.push_str(quantifier);
        if self.cursor.eat("?") {
            self.out.push('?');
        }
        self.repeatable = false;
        Ok(())
    }
}

/// The rest of a counted quantifier after its `{`: `3}`, `3,}` or `3,5}`. Anything else makes the brace a literal.
fn counted(rest: &str) -> Option<&str> {
    let end = rest.find('}')?;
    let (least, most) = rest.get(..end)?.split_once(',').unwrap_or((rest.get(..end)?, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let sound = !least.is_empty() && digits(least) && digits(most);
    if sound { rest.get(..=end) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn found(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern).unwrap();
        Regex::new(&translated)
            .unwrap_or_else(|error| panic!("{pattern} became {translated}: {error}"))
            .is_match(text)
    }

    fn refused(pattern: &str) -> PatternFault {
        translate(pattern).unwrap_err()
    }

    #[test]
    fn digits_and_words_are_ascii() {
        assert!(found(r"^\d$", "7") && !found(r"^\d$", "߀") && found(r"^\D$", "߀"));
        assert!(found(r"^\w$", "_") && !found(r"^\w$", "é") && found(r"^\W$", "é"));
        assert!(found(r"^[\d\-x]+$", "7-x") && found(r"^[^\D]$", "7") && !found(r"^[^\W]$", "é"));
    }

    #[test]
    fn space_is_what_ecma_262_says() {
        for text in [
            "\t", "\n", "\u{b}", "\u{c}", "\r", " ", "\u{a0}", "\u{feff}", "\u{2029}", "\u{2003}",
        ] {
            assert!(found(r"^\s$", text) && !found(r"^\S$", text), "{text:?}");
        }
        for text in ["\u{1}", "\u{85}", "\u{2013}", "a"] {
            assert!(!found(r"^\s$", text) && found(r"^\S$", text), "{text:?}");
        }
    }

    #[test]
    fn the_dollar_is_the_very_end() {
        assert!(found("^abc$", "abc") && !found("^abc$", "abc\n"));
    }

    #[test]
    fn a_dot_is_anything_but_a_line_end() {
        assert!(found("^.$", "é") && found("^.$", "🐲"));
        for text in ["\n", "\r", "\u{2028}", "\u{2029}"] {
            assert!(!found("^.$", text), "{text:?}");
        }
    }

    #[test]
    fn word_boundaries_are_ascii() {
        assert!(found(r"\bcat\b", "a cat!") && !found(r"\bcat\b", "concat") && found(r"cat\b", "caté"));
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        assert!(found(r"^\/\.\-\_\@\ $", "/.-_@ "));
        assert!(found(
            r"^\cA\cz\0\x41\u0042\u{43}\uD83D\uDC32$",
            "\u{1}\u{1a}\0ABC🐲"
        ));
        assert!(found(r"^[\b\cA\x41-\x43]+$", "\u{8}\u{1}ABC"));
        assert!(found(r"^\t\n\v\f\r$", "\t\n\u{b}\u{c}\r"));
    }

    #[test]
    fn properties_are_unicode() {
        assert!(found(r"^\p{Letter}cole$", "école") && found(r"^\p{Lu}\P{Lu}$", "Éé"));
        assert!(found(r"^[\p{Script=Greek}\d]+$", "αβ1"));
    }

    #[test]
    fn brackets_inside_brackets_are_literal() {
        assert!(found(r"^[[&&~~#-]+$", "[&~") && found(r"^[a&&b]+$", "&ab") && found("^[]$|x", "x"));
        assert!(
            found("^[^]$", "\n") && !found("[]", "a") && found(r"^[\w-.]+$", "a-.") && found("^[a-]+$", "-a")
        );
    }

    #[test]
    fn a_brace_that_counts_nothing_is_literal() {
        assert!(found("^a{2}$", "aa") && found("^a{1,}$", "aaa") && found("^a{1,2}?$", "aa"));
        assert!(found("^{a}$", "{a}") && found("^a{,2}$", "a{,2}") && found("^a]}$", "a]}"));
    }

    #[test]
    fn groups_are_read_with_and_without_names() {
        assert!(found("^(a|(?:b))(?<tail>c)+$", "bcc"));
    }

    #[test]
    fn what_takes_more_than_linear_time_is_named() {
        for (pattern, what) in [
            ("a(?=b)", "look-ahead `(?=`"),
            ("a(?!b)", "negative look-ahead `(?!`"),
            ("(?<=a)b", "look-behind `(?<=`"),
            ("(?<!a)b", "negative look-behind `(?<!`"),
            (r"(a)\1", r"the back-reference `\1`"),
            (r"(?<n>a)\k<n>", r"the back-reference `\k`"),
            (r"\uD800", r"the lone surrogate `\uD800`"),
        ] {
            assert_eq!(
                refused(pattern),
                PatternFault::Unsupported(what.to_owned()),
                "{pattern}"
            );
        }
    }

    #[test]
    fn what_is_no_expression_is_malformed() {
        for pattern in [
            "(", ")", "a)", "[a", "*a", "a**", "a{1}{2}", "(?i)a", r"\Z", r"\a", r"\", "[z-a]", r"\p{",
            r"\pL", r"\u00", r"^*",
        ] {
            assert!(
                matches!(refused(pattern), PatternFault::Malformed(_)),
                "{pattern}"
            );
        }
    }
}
