//! Patterns of tool names.

/// A pattern in which `*` stands for any text and `?` for one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob(Vec<char>);

impl Glob {
    pub(super) fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    /// Whether the whole name is of this pattern; linear in name times stars.
    pub(super) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut at, mut in_name) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while in_name < name.len() {
            match (self.0.get(at), name.get(in_name)) {
                (Some('*'), _) => {
                    star = Some((at, in_name));
                    at += 1;
                }
                (Some('?'), Some(_)) => (at, in_name) = (at + 1, in_name + 1),
                (Some(one), Some(other)) if one == other => (at, in_name) = (at + 1, in_name + 1),
                _ => {
                    // The last star takes one character more.
                    let Some((star_at, taken)) = star else {
                        return false;
                    };
                    star = Some((star_at, taken + 1));
                    (at, in_name) = (star_at + 1, taken + 1);
                }
            }
        }
        self.0.iter().skip(at).all(|rest| *rest == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("transfer*", "transfer_from", true),
            ("transfer*", "token_transfer", false),
            ("*_transfer", "token_transfer", true),
            ("t?ken*f", "token_transfer_of", true),
            ("a*b*c", "aXbXbc", true),
            ("a?", "a", false),
            ("a", "A", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(name), fits, "{pattern} {name}");
        }
    }
}
