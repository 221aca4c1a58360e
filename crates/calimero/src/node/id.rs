//! What is an id, and what is an alias.

/// Whether a text is an id of a context, application or blob: 64 hexadecimal digits (newer nodes), or base58 of 32
/// bytes (older ones). Everything else is an alias.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex || ((32..=45).contains(&text.len()) && text.bytes().all(is_base58))
}

/// The letters and digits without those that look alike.
fn is_base58(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_ids_and_nothing_else_is() {
        assert!(is_id(&"aB".repeat(32)));
        assert!(is_id("9HHTg1hvhTqz6sJyszB6jNZTbWDeX1pVu7jsDrN3bBBm"));
        assert!(is_id(&"1".repeat(32)) && is_id(&"1".repeat(45)));
        for alias in [
            "room",
            &"1".repeat(31),
            &"1".repeat(46),
            &"g".repeat(64),
            &"a.".repeat(20),
            &"0".repeat(40),
        ] {
            assert!(!is_id(alias), "{alias}");
        }
    }
}
