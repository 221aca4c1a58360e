//! Where a node takes messages.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};

/// Where a node takes messages: the beginning of the digest of its public key, so that nobody can take the address of
/// another. A program that starts again has a new key, and so a new address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address([u8; Self::BYTES]);

impl Address {
    /// Enough that nobody finds a second key for an address.
    const BYTES: usize = 16;

    /// The address of whoever has this public key.
    pub(super) fn of(public_key: &[u8]) -> Self {
        let mut address = [0; Self::BYTES];
        let digest = digest(&SHA256, public_key);
        for (to, from) in address.iter_mut().zip(digest.as_ref()) {
            *to = *from;
        }
        Self(address)
    }

    /// The address of this text, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 2 * Self::BYTES || !text.bytes().all(digits) {
            return None;
        }
        let number = u128::from_str_radix(text, 16).ok()?;
        Some(Self(number.to_be_bytes()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The number of a node that has no other.
    pub(super) fn number(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let address = Address::of(b"a public key");
        assert_eq!(Address::parse(&address.to_string()), Some(address));
        assert_ne!(address, Address::of(b"another"));
        let text = address.to_string();
        for wrong in [
            "",
            &text[1..],
            &format!("{text}0"),
            &text.replace('a', "A").replace('0', "+"),
        ] {
            assert_ne!(Address::parse(wrong), Some(address), "{wrong}");
        }
    }
}
