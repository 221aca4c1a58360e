//! Which labels are internationalised: RFC 5891 to 5893.
//!
//! The code points are those of RFC 5892 by their general category; those that compatibility normalisation would change
//! are told by their blocks, because no normaliser is carried for this one format. Directions go by script.

use std::sync::LazyLock;

use regex::Regex;

/// Letters, digits and marks that a label may consist of, exceptions included. Everything else is refused.
static ALLOWED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:[[\p{Ll}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}\-",
        // Exceptions that are valid, and those whose context is looked at apart.
        r"\x{B7}\x{DF}\x{375}\x{3C2}\x{5F3}\x{5F4}\x{6FD}\x{6FE}\x{F0B}\x{3007}\x{30FB}\x{200C}\x{200D}]",
        r"--[",
        // Exceptions that are not.
        r"\x{640}\x{7FA}\x{302E}\x{302F}\x{3031}-\x{3035}\x{303B}",
        // Old Hangul jamo.
        r"\x{1100}-\x{11FF}\x{A960}-\x{A97C}\x{D7B0}-\x{D7FB}",
        // Compatibility forms.
        r"\x{AA}\x{B5}\x{BA}\x{132}-\x{133}\x{13F}\x{140}\x{149}\x{17F}\x{1C4}-\x{1CC}\x{1F1}-\x{1F3}\x{2B0}-\x{2B8}",
        r"\x{2E0}-\x{2E4}\x{340}\x{341}\x{343}\x{344}\x{37A}\x{1D2C}-\x{1D6A}\x{1D78}\x{1D9B}-\x{1DBF}",
        r"\x{2071}\x{207F}\x{2090}-\x{209C}\x{2100}-\x{214F}\x{3131}-\x{318E}\x{F900}-\x{FAFF}\x{FB00}-\x{FDFF}",
        r"\x{FE70}-\x{FEFF}\x{FF00}-\x{FFEF}\x{1D400}-\x{1D7FF}\x{1EE00}-\x{1EEFF}\x{2F800}-\x{2FA1F}",
        r"]])+$"
    ))
    .ok()
});
static BEGINS_WITH_MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{M}").ok());
static GREEK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Greek}").ok());
static HEBREW: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Hebrew}").ok());
static KANA_OR_HAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\p{Hiragana}\p{Katakana}\p{Han}]").ok());
static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Mn}").ok());
static RIGHT_TO_LEFT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let scripts = concat!(
        r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}\p{Samaritan}\p{Mandaic}\p{Adlam}",
        r"\p{Mende_Kikakui}\p{Hanifi_Rohingya}&&[\p{L}\x{6FD}\x{6FE}]]"
    );
    Regex::new(scripts).ok()
});

fn found(expression: &Option<Regex>, text: &str) -> bool {
    expression
        .as_ref()
        .is_some_and(|expression| expression.is_match(text))
}

fn is_one(expression: &Option<Regex>, character: char) -> bool {
    found(expression, character.encode_utf8(&mut [0; 4]))
}

/// Whether a text beyond ASCII is a U-label, its length apart.
pub(super) fn is_label(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let hyphens = characters.first() == Some(&'-')
        || characters.last() == Some(&'-')
        || characters.get(2..4) == Some(&['-', '-']);
    found(&ALLOWED, text)
        && !hyphens
        && !found(&BEGINS_WITH_MARK, text)
        && (0..characters.len()).all(|at| context_holds(&characters, at))
        && !mixes_arabic_digits(&characters)
}

/// RFC 5892, appendix A: characters that are only allowed beside certain others.
fn context_holds(label: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| label.get(before)).copied();
    let after = label.get(at + 1).copied();
    match label.get(at) {
        Some('\u{200C}') => before.is_some_and(is_virama) || joins(label, at),
        Some('\u{200D}') => before.is_some_and(is_virama),
        Some('\u{B7}') => before == Some('l') && after == Some('l'),
        Some('\u{375}') => after.is_some_and(|after| is_one(&GREEK, after)),
        Some('\u{5F3}' | '\u{5F4}') => before.is_some_and(|before| is_one(&HEBREW, before)),
        Some('\u{30FB}') => {
            let others: String = label.iter().filter(|other| **other != '\u{30FB}').collect();
            found(&KANA_OR_HAN, &others)
        }
        _ => true,
    }
}

fn mixes_arabic_digits(label: &[char]) -> bool {
    let has = |first: char, last: char| label.iter().any(|each| (first..=last).contains(each));
    has('\u{660}', '\u{669}') && has('\u{6F0}', '\u{6F9}')
}

fn is_virama(character: char) -> bool {
    const VIRAMAS: &str = "\u{94D}\u{9CD}\u{A4D}\u{ACD}\u{B4D}\u{BCD}\u{C4D}\u{CCD}\u{D3B}\u{D3C}\u{D4D}\u{DCA}\u{E3A}\
        \u{EBA}\u{F84}\u{1039}\u{103A}\u{1714}\u{1734}\u{17D2}\u{1A60}\u{1B44}\u{1BAA}\u{1BAB}\u{1BF2}\u{1BF3}\u{2D7F}\
        \u{A806}\u{A8C4}\u{A953}\u{A9C0}\u{AAF6}\u{ABED}\u{10A3F}\u{11046}\u{1107F}\u{110B9}\u{11133}\u{11134}\u{111C0}";
    VIRAMAS.contains(character)
}

/// Whether the letters around a zero width non-joiner would join without it: Arabic letters, of which some join to
/// what is before them only.
fn joins(label: &[char], at: usize) -> bool {
    let is_mark = |character: &&char| is_one(&MARK, **character);
    let before = label
        .get(..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .find(|each| !is_mark(each));
    let after = label
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .find(|each| !is_mark(each));
    let is_arabic = |character: char| matches!(character, '\u{620}'..='\u{64A}' | '\u{66E}'..='\u{6D3}' | '\u{6FA}'..='\u{6FC}' | '\u{710}'..='\u{77F}');
    let ends_here = |character: char| {
        matches!(character, '\u{621}'..='\u{625}' | '\u{627}' | '\u{629}' | '\u{62F}'..='\u{632}' | '\u{648}'
            | '\u{671}'..='\u{677}' | '\u{688}'..='\u{699}' | '\u{6C0}' | '\u{6C3}'..='\u{6CB}' | '\u{6CD}' | '\u{6CF}'
            | '\u{6D2}'..='\u{6D3}')
    };
    before.is_some_and(|before| is_arabic(*before) && !ends_here(*before))
        && after.is_some_and(|after| is_arabic(*after) && *after != '\u{621}')
}

/// Whether a label has a letter that is written from right to left.
pub(super) fn is_right_to_left(label: &str) -> bool {
    found(&RIGHT_TO_LEFT, label) || label.chars().any(is_arabic_digit)
}

fn is_arabic_digit(character: char) -> bool {
    ('\u{660}'..='\u{669}').contains(&character)
}

/// RFC 5893, section 2: no label changes its direction, none begins with a digit, and none has digits of both kinds.
pub(super) fn follows_bidi_rule(label: &str) -> bool {
    let Some(first) = label.chars().next() else {
        return false;
    };
    let is_european_digit =
        |character: char| character.is_ascii_digit() || ('\u{6F0}'..='\u{6F9}').contains(&character);
    if is_one(&RIGHT_TO_LEFT, first) {
        let neutral = |character: char| {
            is_arabic_digit(character)
                || is_european_digit(character)
                || character == '-'
                || character == '\u{200C}'
                || character == '\u{200D}'
                || is_one(&MARK, character)
                || "\u{5F3}\u{5F4}".contains(character)
        };
        let mixed = label.chars().any(is_arabic_digit) && label.chars().any(is_european_digit);
        return !mixed
            && label
                .chars()
                .all(|each| is_one(&RIGHT_TO_LEFT, each) || neutral(each));
    }
    // A label from left to right begins with a letter and has nothing from right to left. One of digits alone, as in
    // addresses, would begin with a digit.
    !is_european_digit(first) && !is_right_to_left(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        for expression in [
            &ALLOWED,
            &BEGINS_WITH_MARK,
            &GREEK,
            &HEBREW,
            &KANA_OR_HAN,
            &MARK,
            &RIGHT_TO_LEFT,
        ] {
            assert!(expression.is_some());
        }
    }

    #[test]
    fn labels_are_lower_case_letters_digits_and_marks() {
        assert!(is_label("bücher") && is_label("ßς") && is_label("e\u{301}"));
        for text in [
            "Ü", "\u{301}e", "ü ", "ü!", "-ü", "ü-", "ab--ü", "ﬁ", "１", "\u{640}",
        ] {
            assert!(!is_label(text), "{text:?}");
        }
    }

    #[test]
    fn directions_are_not_mixed_in_a_label() {
        assert!(follows_bidi_rule("אב1") && follows_bidi_rule("abc"));
        assert!(!follows_bidi_rule("aא") && !follows_bidi_rule("אa") && !follows_bidi_rule("0א"));
    }
}
