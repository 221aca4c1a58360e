//! Names as numbers, so that most comparisons of names are comparisons of numbers.

/// The length of a name with its first and last bytes: the name itself up to sixteen bytes, and beyond that enough to
/// tell most names apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameKey {
    head: u64,
    tail: u64,
    length: usize,
}

/// The longest name that its key holds whole.
const WHOLE: usize = 16;

impl NameKey {
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (head, tail) = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => (short(bytes), 0),
        };
        Self {
            head,
            tail,
            length: bytes.len(),
        }
    }

    /// Whether names with this key are equal for certain.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        self.length <= WHOLE
    }
}

/// Fewer than eight bytes as one number, different for all texts of one length.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*head)) << 32 | u64::from(u32::from_le_bytes(*tail));
    }
    match *bytes {
        [] => 0,
        [first] => u64::from(first),
        [first, last] => u64::from(u16::from_le_bytes([first, last])),
        [first, middle, last, ..] => u64::from(u32::from_le_bytes([first, middle, last, 0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> NameKey {
        NameKey::of(name.as_bytes())
    }

    #[test]
    fn names_of_two_lengths_differ_and_long_ones_may_not() {
        let names = [
            "",
            "a",
            "aa",
            "aaa",
            "aaaa",
            "aaaaaaa",
            "aaaaaaaa",
            "aaaaaaaaa",
            "é",
            "🚀",
        ];
        for (place, name) in names.iter().enumerate() {
            for (other_place, other) in names.iter().enumerate() {
                assert_eq!(key(name) == key(other), place == other_place, "{name} {other}");
            }
        }
        let (left, right) = ("12345678-one-12345678", "12345678-two-12345678");
        assert!(key(left) == key(right) && !key(left).is_whole());
    }

    #[test]
    fn every_byte_of_a_short_name_counts() {
        for length in 1..=WHOLE {
            let name = "n".repeat(length);
            for place in 0..length {
                let mut other = name.clone();
                other.replace_range(place..=place, "x");
                assert!(key(&name) != key(&other), "{name} {other}");
            }
        }
        assert!(!key(&"n".repeat(WHOLE + 1)).is_whole());
    }
}
