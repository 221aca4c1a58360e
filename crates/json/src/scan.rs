//! Finding the end of plain text, eight bytes at a time.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The first position from `from` on that holds a quote, a backslash, or a control character; the length when there is none.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    plain_end_of_few(bytes, at)
}

fn plain_end_of_few(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let plain = rest.iter().position(|&byte| is_special(byte));
    from + plain.unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of every special byte, exact up to the lowest one: a borrow can only disturb bytes above it.
#[inline]
fn special_bytes(word: u64) -> u64 {
    // The bytes looked for are below 0x80, and so is what they become by exclusive or, so that one `!word` serves all.
    let quote = (word ^ (LOW * 0x22)).wrapping_sub(LOW);
    let backslash = (word ^ (LOW * 0x5c)).wrapping_sub(LOW);
    let control = word.wrapping_sub(LOW * 0x20);
    (quote | backslash | control) & !word & HIGH
}

/// How many UTF-16 units a text has.
pub(crate) fn utf16_units(text: &[u8]) -> usize {
    // A character has one unit per lead byte, and a second one when it takes four bytes.
    let units = |byte: &u8| usize::from(*byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0);
    text.iter().map(units).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found_at_every_position_and_length() {
        for length in 0..40 {
            for position in 0..length {
                for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                    let mut text = vec![b'a'; length];
                    text[position] = special;
                    for from in 0..=position {
                        assert_eq!(plain_end(&text, from), position);
                    }
                }
            }
            assert_eq!(plain_end(&vec![0xff; length], 0), length);
        }
    }

    #[test]
    fn every_byte_is_classified_alike_alone_and_in_a_word() {
        for byte in 0..=255 {
            let mut word = [b'x'; 32];
            word[1] = byte;
            let expected = if is_special(byte) { 1 } else { 32 };
            assert_eq!(plain_end(&word, 0), expected, "byte {byte}");
        }
    }

    #[test]
    fn utf16_units_are_those_of_the_standard_library() {
        for text in ["", "abc", "é", "世界", "🚀 a 🚀", "\u{ffff}\u{10000}"] {
            assert_eq!(utf16_units(text.as_bytes()), text.encode_utf16().count());
        }
    }
}
