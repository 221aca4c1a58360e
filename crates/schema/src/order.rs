//! The order of names, and what sorting them costs.

use std::cmp::Ordering;

/// Compares two names, given as UTF-8, by UTF-16 units, the order that Profile 1 visits names in.
///
/// It differs from the order of the UTF-8 bytes in one place: a character beyond the basic plane (first byte `F0` and
/// up) is a surrogate pair in UTF-16 and so comes before `U+E000` to `U+FFFF` (first byte `EE` or `EF`).
pub(crate) fn by_utf16(left: impl AsRef<[u8]>, right: impl AsRef<[u8]>) -> Ordering {
    let (left, right) = (left.as_ref(), right.as_ref());
    let differing = left.iter().zip(right).find(|(left, right)| left != right);
    match differing {
        None => left.len().cmp(&right.len()),
        Some((0xEE | 0xEF, 0xF0..)) => Ordering::Greater,
        Some((0xF0.., 0xEE | 0xEF)) => Ordering::Less,
        Some((left, right)) => left.cmp(right),
    }
}

/// Length of a text in UTF-16 units.
pub(crate) fn utf16_length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    }
}

/// The charge for putting `count` names in order: `count * ceil(log2 count)`.
pub(crate) fn sort_estimate(count: u64) -> u64 {
    if count <= 1 {
        return 0;
    }
    count.saturating_mul(u64::from(u64::BITS - (count - 1).leading_zeros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_names_is_that_of_their_utf16_units() {
        let names = [
            "",
            "a",
            "ab",
            "b",
            "é",
            "\u{d7ff}",
            "\u{10000}",
            "\u{10ffff}",
            "\u{e000}",
            "\u{ffff}",
            "\u{ffff}a",
        ];
        for left in names {
            for right in names {
                let expected = left.encode_utf16().cmp(right.encode_utf16());
                assert_eq!(by_utf16(left, right), expected, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn sorting_is_charged_by_the_bit_length_of_the_last_index() {
        let charges: Vec<u64> = [0, 1, 2, 3, 4, 5, 60_000]
            .into_iter()
            .map(sort_estimate)
            .collect();
        assert_eq!(charges, [0, 0, 2, 6, 8, 15, 960_000]);
    }

    #[test]
    fn length_counts_a_character_beyond_the_basic_plane_twice() {
        assert_eq!(utf16_length("a🚀"), 3);
    }
}
