//! The escapes that JSON demands: a short one where there is one, else `\u00xx` in lowercase.

use crate::scan::{plain_end, utf16_units};

/// How many UTF-16 units a text has as [`write_string`](crate::write_string) spells it, quotes excluded.
pub fn written_units(text: &str) -> usize {
    utf16_units(text.as_bytes()) + escape_growth(text.as_bytes())
}

/// Appends a text as it stands between quotes.
pub(crate) fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut at = 0;
    loop {
        let end = plain_end(text, at);
        out.extend_from_slice(text.get(at..end).unwrap_or_default());
        let Some(&special) = text.get(end) else { return };
        match short_escape(special) {
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            None => {
                let hex = |digit: u8| {
                    if digit < 10 {
                        b'0' + digit
                    } else {
                        b'a' + digit - 10
                    }
                };
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[hex(special >> 4), hex(special & 0xF)]);
            }
        }
        at = end + 1;
    }
}

const fn short_escape(special: u8) -> Option<u8> {
    Some(match special {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return None,
    })
}

/// How many characters escaping adds.
pub(crate) fn escape_growth(text: &[u8]) -> usize {
    let mut growth = 0;
    let mut at = plain_end(text, 0);
    while let Some(&special) = text.get(at) {
        growth += if short_escape(special).is_some() { 1 } else { 5 };
        at = plain_end(text, at + 1);
    }
    growth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_as_they_are_written() {
        for text in [
            "",
            "plain",
            "a\"b\\c",
            "\n\r\t\u{8}\u{c}",
            "\u{1}\u{1f}",
            "é世🚀\n",
        ] {
            let mut written = Vec::new();
            write_escaped(&mut written, text.as_bytes());
            let written = String::from_utf8(written).unwrap();
            assert_eq!(written_units(text), written.encode_utf16().count(), "{written}");
        }
    }
}
