//! Words of names, texts and queries, in the form in which they are compared.

/// Most bytes of a query that are looked at.
pub const MAX_QUERY_BYTES: usize = 1_024;

/// Most different words of a query that are looked for.
pub const MAX_QUERY_WORDS: usize = 32;

/// Most bytes of a word that are compared: longer ones are no words of a language.
const MAX_WORD_BYTES: usize = 64;

/// The different words of a query, within its bounds.
pub(super) fn query_words(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    each_word(beginning(query, MAX_QUERY_BYTES), |word| {
        if words.len() < MAX_QUERY_WORDS && !words.iter().any(|other| other == word) {
            words.push(word.to_owned());
        }
    });
    words
}

/// The beginning of a text, at most `bytes` long.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Tells each word of a text: letters and digits in small letters, parted by everything else and where `camelCase`
/// parts, without the `s` of an English plural. A Chinese or Japanese character is a word of its own.
pub(super) fn each_word(text: &str, mut tell: impl FnMut(&str)) {
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        if is_ideograph(character) || starts_word(before, character, next) {
            end_word(&mut word, &mut tell);
        }
        if character.is_alphanumeric() && word.len() < MAX_WORD_BYTES {
            word.extend(character.to_lowercase());
        }
        if is_ideograph(character) || !character.is_alphanumeric() {
            end_word(&mut word, &mut tell);
        }
        before = character;
    }
    end_word(&mut word, &mut tell);
}

/// `balanceOf` is `balance` and `of`, `HTTPServer` is `http` and `server`.
fn starts_word(before: char, character: char, next: char) -> bool {
    character.is_uppercase() && (!before.is_uppercase() || next.is_lowercase())
}

fn end_word(word: &mut String, tell: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        tell(stem(word));
        word.clear();
    }
}

fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(singular) if singular.len() >= 3 && !singular.ends_with(['s', 'u', 'i']) => singular,
        _ => word,
    }
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn names_part_at_signs_and_where_capitals_begin() {
        for (text, expected) in [
            ("balance_of", "balance of"),
            ("balanceOf", "balance of"),
            ("HTTPServer.start-now", "http server start now"),
            ("ERC20", "erc20"),
            (
                "Lists all Transfers; an address, a status",
                "list all transfer an address a status",
            ),
            ("残高 を", "残 高 を"),
            ("Ünïted Öl", "ünïted öl"),
            (" _ ", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn of_a_word_so_many_bytes_are_compared() {
        for length in [MAX_WORD_BYTES, MAX_WORD_BYTES + 1] {
            assert_eq!(words(&"x".repeat(length)), ["x".repeat(MAX_WORD_BYTES)]);
        }
    }

    #[test]
    fn a_query_has_a_bound_on_its_bytes_and_its_words() {
        let many = |count: usize| (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(query_words(&many(MAX_QUERY_WORDS)).len(), MAX_QUERY_WORDS);
        assert_eq!(query_words(&many(MAX_QUERY_WORDS + 1)).len(), MAX_QUERY_WORDS);
        let last = |bytes: usize| query_words(&format!("{}z", " ".repeat(bytes - 1)));
        assert_eq!(last(MAX_QUERY_BYTES), ["z"]);
        assert!(last(MAX_QUERY_BYTES + 1).is_empty());
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(query_words("one One ONES"), ["one"]);
    }
}
