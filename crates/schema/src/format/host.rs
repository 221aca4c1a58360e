//! `hostname` (RFC 1123, with the A-labels of RFC 5890) and `idn-hostname` (RFC 5890, 2.3.2.3).

use super::{idna, punycode};

/// Longest label and longest name, in bytes of their ASCII form.
const LONGEST_LABEL: usize = 63;
const LONGEST_NAME: usize = 253;

pub(super) fn is_hostname(text: &str) -> bool {
    text.is_ascii() && is_name(text, text.split('.'))
}

/// The dots of other scripts separate labels as well: RFC 3490, 3.1.
pub(super) fn is_idn_hostname(text: &str) -> bool {
    is_name(text, text.split(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}']))
}

fn is_name<'t>(text: &str, labels: impl Iterator<Item = &'t str> + Clone) -> bool {
    // No character takes fewer bytes in ASCII form than one.
    if text.chars().count() > LONGEST_NAME {
        return false;
    }
    let Some(read) = labels.map(Label::read).collect::<Option<Vec<Label>>>() else {
        return false;
    };
    let length: usize = read.iter().map(|label| label.ascii_length + 1).sum();
    let right_to_left = read.iter().any(|label| idna::is_right_to_left(&label.text));
    length <= LONGEST_NAME + 1
        && (!right_to_left || read.iter().all(|label| idna::follows_bidi_rule(&label.text)))
}

/// A sound label: its text, and how long its ASCII form is.
struct Label {
    text: String,
    ascii_length: usize,
}

impl Label {
    fn read(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return Self::read_unicode(text);
        }
        let lower = text.to_ascii_lowercase();
        match lower.strip_prefix("xn--") {
            Some(spelling) => {
                let decoded = punycode::decode(spelling)?;
                let label = Self::read_unicode(&decoded)?;
                (!decoded.is_ascii() && punycode::encode(&decoded)? == spelling).then_some(label)
            }
            None => is_plain(&lower).then_some(Self {
                ascii_length: lower.len(),
                text: lower,
            }),
        }
    }

    fn read_unicode(text: &str) -> Option<Self> {
        if !idna::is_label(text) {
            return None;
        }
        let ascii_length = punycode::encode(text)?.len() + "xn--".len();
        (ascii_length <= LONGEST_LABEL).then(|| Self {
            text: text.to_owned(),
            ascii_length,
        })
    }
}

/// Letters, digits and hyphens, no hyphen at either end.
fn is_plain(text: &str) -> bool {
    let sound = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let hyphens = text.starts_with('-') || text.ends_with('-') || text.get(2..4) == Some("--");
    sound && !hyphens && (1..=LONGEST_LABEL).contains(&text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_name_is_made_of_letters_digits_and_hyphens() {
        for text in [
            "a",
            "www.Example.com",
            "1host",
            "a-b",
            &"a".repeat(63),
            "xn--bcher-kva.de",
        ] {
            assert!(is_hostname(text), "{text}");
        }
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "-a",
            "a-",
            "a_b",
            "a b",
            "bücher.de",
            &"a".repeat(64),
            "xn--a",
            "ab--c",
        ] {
            assert!(!is_hostname(text), "{text}");
        }
    }

    #[test]
    fn a_name_may_be_253_characters_long_and_not_254() {
        let labels = |last: usize| format!("{0}.{0}.{0}.{1}", "a".repeat(63), "b".repeat(last));
        assert!(is_hostname(&labels(61)) && !is_hostname(&labels(62)));
    }

    #[test]
    fn international_names_are_read_in_both_forms() {
        assert!(
            is_idn_hostname("bücher.de")
                && is_idn_hostname("실례。테스트")
                && is_idn_hostname("xn--bcher-kva")
        );
        assert!(
            !is_idn_hostname("b\u{fc}cher..de")
                && !is_idn_hostname(&"ü".repeat(60))
                && !is_idn_hostname("0a.א")
        );
    }
}
