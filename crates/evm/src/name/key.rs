//! Names of values in JSON objects.

use super::snake_case;

/// The most characters of a key. A client that finds a longer one refuses the whole list of tools.
pub(crate) const MAX_KEY_CHARS: usize = 64;

/// Whether `name` can be a key as it is: 1 to 64 of `A-Z a-z 0-9 _ . -`.
pub(crate) fn is_valid_key(name: &str) -> bool {
    (1..=MAX_KEY_CHARS).contains(&name.len()) && name.chars().all(is_key_character)
}

/// `name` as a key: other characters become `_`, and what is too long is cut. `None` for no name.
pub(crate) fn valid_key(name: &str) -> Option<String> {
    let replaced: String = name
        .chars()
        .take(MAX_KEY_CHARS)
        .map(|character| {
            if is_key_character(character) {
                character
            } else {
                '_'
            }
        })
        .collect();
    (!replaced.is_empty()).then_some(replaced)
}

fn is_key_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// The first `max` characters of an ASCII text.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..max).unwrap_or(text)
}

/// The form in which two spellings of a name are the same: snake case without underscores at its ends,
/// so that `from_`, `tokenIn` and `_to` are found as `from`, `token_in` and `to`.
pub(crate) fn fold(name: &str) -> String {
    snake_case(name).trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_up_to_their_length_limit() {
        assert!(is_valid_key(&"k".repeat(MAX_KEY_CHARS)));
        assert!(!is_valid_key(&"k".repeat(MAX_KEY_CHARS + 1)));
        assert_eq!(
            valid_key(&"k".repeat(MAX_KEY_CHARS + 1)),
            Some("k".repeat(MAX_KEY_CHARS))
        );
        assert_eq!(valid_key(""), None);
    }

    #[test]
    fn spellings_of_one_name_fold_to_one_form() {
        for spelling in ["tokenIn", "token_in", "_tokenIn", "tokenIn_", "TokenIn"] {
            assert_eq!(fold(spelling), "token_in");
        }
    }
}
