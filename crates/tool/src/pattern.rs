//! Patterns over tool names.

/// Longest pattern, in bytes: a tool name has at most 128, and so no longer pattern without `*` fits any.
const MAX_PATTERN_BYTES: usize = 256;

/// A pattern over tool names: `*` stands for any characters, `?` for one, everything else for itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

/// A text that is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no pattern of tool names: {reason}; use letters, digits, `_`, `-`, `.`, `*` and `?`")]
pub struct PatternError {
    pattern: String,
    reason: &'static str,
}

impl Pattern {
    /// The characters that stand for others.
    const WILD: [char; 2] = ['*', '?'];

    /// Takes a pattern.
    ///
    /// # Errors
    /// [`PatternError`] when it is empty, longer than 256 bytes, or has a character that no tool name has.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let refuse = |reason| {
            Err(PatternError {
                pattern: text.chars().take(64).collect(),
                reason,
            })
        };
        if text.is_empty() {
            return refuse("it is empty");
        }
        if text.len() > MAX_PATTERN_BYTES {
            return refuse("it is longer than 256 bytes");
        }
        if !text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.*?".contains(c))
        {
            return refuse("it has a character that no tool name has");
        }
        Ok(Self(text.to_owned()))
    }

    /// Takes a text as it stands, whatever its characters: aliases, such as the signatures of functions, have some that no
    /// name of a tool has.
    #[must_use]
    pub fn of_any_name(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text of the pattern.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many characters stand for themselves.
    #[must_use]
    pub fn fixed_chars(&self) -> usize {
        self.0.chars().filter(|c| !Self::WILD.contains(c)).count()
    }

    /// Whether it has neither `*` nor `?`, and so fits one name alone.
    #[must_use]
    pub fn is_whole_name(&self) -> bool {
        !self.0.contains(Self::WILD)
    }

    /// Whether the whole of `name` fits.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut here) = (0, 0);
        // Where to go on after the last `*`, which then takes one character more. That is at most
        // pattern times name steps, and never a recursion.
        let mut retry: Option<(usize, usize)> = None;
        while here < name.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    retry = Some((at + 1, here));
                    at += 1;
                }
                Some(wanted) if *wanted == b'?' || Some(wanted) == name.get(here) => {
                    at += 1;
                    here += 1;
                }
                _ => {
                    let Some((after, from)) = retry else { return false };
                    retry = Some((after, from + 1));
                    (at, here) = (after, from + 1);
                }
            }
        }
        pattern.iter().skip(at).all(|rest| *rest == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, name, fits) in [
            ("transfer", "transfer", true),
            ("transfer", "transfer_from", false),
            ("transfer*", "transfer_from", true),
            ("*_of", "balance_of", true),
            ("*_of", "balance_off", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "xxaxxbxbx", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("?", "", false),
            ("**", "x", true),
            ("Transfer", "transfer", false),
        ] {
            assert_eq!(
                Pattern::parse(pattern).unwrap().matches(name),
                fits,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn what_stands_for_itself_is_counted() {
        for (pattern, fixed, is_whole) in [("evm_*", 4, false), ("t?r", 2, false), ("a(b,c)", 6, true)] {
            let pattern = Pattern::of_any_name(pattern);
            assert_eq!(
                (pattern.fixed_chars(), pattern.is_whole_name()),
                (fixed, is_whole)
            );
        }
    }

    #[test]
    fn many_stars_do_not_make_it_slow() {
        let pattern = Pattern::parse(&"*a".repeat(128)).unwrap();
        assert!(!pattern.matches(&"a".repeat(127)));
    }

    #[test]
    fn what_no_name_can_have_is_refused() {
        for text in ["", "a b", "a/b", "[ab]", &"*".repeat(257)] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
        assert!(Pattern::parse(&"*".repeat(256)).is_ok());
    }
}
