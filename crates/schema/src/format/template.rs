//! `uri-template`: RFC 6570, section 2.

use super::uri::{is_ucschar, skip_percent};

pub(super) fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        let next = match character {
            '{' => after
                .split_once('}')
                .filter(|(expression, _)| is_expression(expression))
                .map(|(_, after)| after),
            '%' => skip_percent(rest),
            other => is_literal(other).then_some(after),
        };
        match next {
            Some(next) => rest = next,
            None => return false,
        }
    }
    true
}

fn is_literal(character: char) -> bool {
    match character {
        '"' | '\'' | '%' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' | ' ' => false,
        other if other.is_ascii() => !other.is_ascii_control(),
        other => is_ucschar(other),
    }
}

fn is_expression(text: &str) -> bool {
    let list = text
        .strip_prefix(['+', '#', '.', '/', ';', '?', '&'])
        .unwrap_or(text);
    list.split(',').all(is_variable)
}

/// A name, then `*` or a length.
fn is_variable(text: &str) -> bool {
    let name = match (text.strip_suffix('*'), text.split_once(':')) {
        (Some(name), _) => name,
        (None, Some((name, length))) => {
            let digits = (1..=4).contains(&length.len()) && length.bytes().all(|byte| byte.is_ascii_digit());
            if !digits || length.starts_with('0') {
                return false;
            }
            name
        }
        (None, None) => text,
    };
    name.split('.').all(is_name)
}

fn is_name(text: &str) -> bool {
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        let next = match byte {
            b'%' => skip_percent(rest),
            b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => rest.get(1..),
            _ => None,
        };
        match next {
            Some(next) => rest = next,
            None => return false,
        }
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_hold_names() {
        for text in ["", "/a/{b}", "{+x,y*}{#z:30}", "{?a.b,%20c}", "ä"] {
            assert!(is_template(text), "{text}");
        }
        for text in [
            "{",
            "}",
            "{}",
            "{a",
            "{a:0}",
            "{a:10000}",
            "{a..b}",
            "{=a}",
            "%zz",
            "a b",
            "{a-b}",
        ] {
            assert!(!is_template(text), "{text}");
        }
    }
}
