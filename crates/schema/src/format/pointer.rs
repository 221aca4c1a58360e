//! `json-pointer` (RFC 6901) and `relative-json-pointer`.

pub(super) fn is_pointer(text: &str) -> bool {
    let starts = text.is_empty() || text.starts_with('/');
    starts
        && text
            .split('~')
            .skip(1)
            .all(|escape| escape.starts_with(['0', '1']))
}

/// How many levels up, then a pointer or `#`.
pub(super) fn is_relative_pointer(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (levels, rest) = text.split_at(digits);
    let plain = levels == "0" || !levels.starts_with('0');
    !levels.is_empty() && plain && (rest == "#" || is_pointer(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_always_an_escape() {
        assert!(is_pointer("") && is_pointer("/a~0b~1/") && is_pointer("/é"));
        assert!(!is_pointer("a") && !is_pointer("/~") && !is_pointer("/~2") && !is_pointer("/~0~"));
    }

    #[test]
    fn a_relative_pointer_begins_with_a_plain_number() {
        assert!(is_relative_pointer("0") && is_relative_pointer("10/a") && is_relative_pointer("1#"));
        assert!(
            !["", "01", "-1", "/a", "1a", "1##"]
                .into_iter()
                .any(is_relative_pointer)
        );
    }
}
