//! Names as identifiers.

use std::collections::HashSet;

use crate::name::snake_case;

/// `name` with `_` for every character that cannot stand in an identifier, and `_` behind a reserved word. What
/// would be empty, only underscores, or begin with a digit begins with `v`.
pub(super) fn identifier(name: &str, reserved: &[&str]) -> String {
    let mut word: String = name
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect();
    let has_letter = word.chars().any(|character| character != '_');
    if !has_letter || word.starts_with(|first: char| first.is_ascii_digit()) {
        word.insert(0, 'v');
    }
    if reserved.contains(&word.as_str()) {
        word.push('_');
    }
    word
}

/// `transfer_from` is `TransferFrom`.
pub(crate) fn upper_camel(name: &str) -> String {
    snake_case(name)
        .split(|character: char| !character.is_ascii_alphanumeric())
        .map(|word| {
            let mut characters = word.chars();
            characters.next().map_or_else(String::new, |first| {
                format!("{}{}", first.to_ascii_uppercase(), characters.as_str())
            })
        })
        .collect()
}

/// `transfer_from` is `transferFrom`.
pub(crate) fn lower_camel(name: &str) -> String {
    let upper = upper_camel(name);
    let mut characters = upper.chars();
    characters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_ascii_lowercase(), characters.as_str())
    })
}

/// A name in snake case as rustc wants it: one underscore between words and none around them.
pub(crate) fn plain_snake(name: &str) -> String {
    let snake = snake_case(name);
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}

/// `wishes`, numbered where they are equal.
pub(crate) fn distinct(wishes: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    wishes
        .map(|wish| crate::mapper::first_free(wish, &mut taken))
        .collect()
}
