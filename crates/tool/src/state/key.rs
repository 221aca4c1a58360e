//! A master key, and what is derived from it.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Fewest bytes of a master key: as many as the strength of AES-256 asks for.
pub const MIN_KEY_BYTES: usize = 32;

/// Most bytes of a master key: more add nothing, and a file read by mistake is no key.
pub const MAX_KEY_BYTES: usize = 1_024;

/// Most characters of a key's name; its length is one byte of the sealed header.
pub const MAX_KEY_ID_CHARS: usize = 64;

/// The name of the format; it is hashed into every derived key and written into every header.
pub(super) const FORMAT: &[u8] = b"soklet-mcp-protection-v1";

/// What the keys of epochs are derived for.
const AEAD_PURPOSE: &[u8] = b"soklet-mcp-request-state-aead-v1";

/// Seals with the key of one epoch: far below the 2^32 random nonces that AES-GCM allows a key
/// (NIST SP 800-38D, 8.3) even if two processes drew the same epoch.
const MAX_SEALS: u64 = 1 << 32;

/// Bytes of an epoch: 24 random ones and a counter.
pub(super) const EPOCH_BYTES: usize = 32;

/// A key of 32 bytes that is wiped when dropped.
pub(super) type Secret = Zeroizing<[u8; 32]>;

/// A master key with a name. The key itself is forgotten once it is extracted; nothing here prints it.
pub struct MasterKey {
    id: String,
    extracted: Secret,
    epoch: Mutex<Option<CurrentEpoch>>,
    max_seals: u64,
}

/// The epoch under which this process seals, and how often it did.
struct CurrentEpoch {
    epoch: [u8; EPOCH_BYTES],
    counter: u64,
    seals: u64,
}

/// Why bytes are no master key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The name is empty, too long, or has other characters than those of an HTTP token.
    #[error("a key's name has 1 to {MAX_KEY_ID_CHARS} letters, digits or of !#$%&'*+-.^_`|~")]
    Id,
    /// Too few or too many bytes.
    #[error("a key has {MIN_KEY_BYTES} to {MAX_KEY_BYTES} bytes, and this one {0}")]
    Length(usize),
}

/// Random bytes cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoRandomness;

impl MasterKey {
    /// Takes a key of [`MIN_KEY_BYTES`] to [`MAX_KEY_BYTES`] under a name of 1 to [`MAX_KEY_ID_CHARS`] characters.
    /// The name travels in the open, the key never.
    ///
    /// # Errors
    /// [`KeyError`] says which of the two does not fit.
    pub fn new(id: impl Into<String>, key: &[u8]) -> Result<Self, KeyError> {
        let id = id.into();
        if id.is_empty() || id.len() > MAX_KEY_ID_CHARS || !id.bytes().all(is_token) {
            return Err(KeyError::Id);
        }
        if !(MIN_KEY_BYTES..=MAX_KEY_BYTES).contains(&key.len()) {
            return Err(KeyError::Length(key.len()));
        }
        Ok(Self {
            id,
            extracted: mac(&salt(), &[key]),
            epoch: Mutex::new(None),
            max_seals: MAX_SEALS,
        })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key of an epoch.
    pub(super) fn epoch_key(&self, epoch: &[u8; EPOCH_BYTES]) -> Secret {
        mac(&self.extracted, &[AEAD_PURPOSE, &[0], epoch, &[1]])
    }

    /// The epoch to seal under; a new one when the last one is used up.
    pub(super) fn current_epoch(&self) -> Result<[u8; EPOCH_BYTES], NoRandomness> {
        let mut current = self.epoch.lock().unwrap_or_else(PoisonError::into_inner);
        let used_up = current.as_ref().is_none_or(|now| now.seals >= self.max_seals);
        if used_up {
            let counter = current.as_ref().map_or(0, |now| now.counter.wrapping_add(1));
            *current = Some(begin_epoch(counter)?);
        }
        let now = current.as_mut().ok_or(NoRandomness)?;
        now.seals += 1;
        Ok(now.epoch)
    }
}

fn begin_epoch(counter: u64) -> Result<CurrentEpoch, NoRandomness> {
    let mut epoch = [0; EPOCH_BYTES];
    let (random, number) = epoch.split_at_mut(EPOCH_BYTES - 8);
    fill_random(random)?;
    number.copy_from_slice(&counter.to_be_bytes());
    Ok(CurrentEpoch {
        epoch,
        counter,
        seals: 0,
    })
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MasterKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Fills `bytes` from the operating system.
pub(super) fn fill_random(bytes: &mut [u8]) -> Result<(), NoRandomness> {
    getrandom::fill(bytes).map_err(|_| NoRandomness)
}

/// The salt of the extraction: the format's name, hashed.
fn salt() -> Secret {
    let mut hash = Sha256::new();
    hash.update(FORMAT);
    hash.update([0]);
    Zeroizing::new(hash.finalize().into())
}

/// HMAC-SHA256 over the parts.
fn mac(key: &[u8; 32], parts: &[&[u8]]) -> Secret {
    // A key shorter than a block of the hash is filled up with zeros (RFC 2104, 2).
    let mut block = Zeroizing::new([0; 64]);
    let (head, _) = block.split_at_mut(key.len());
    head.copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    for part in parts {
        mac.update(part);
    }
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// Whether the byte may stand in an HTTP token (RFC 9110, 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::seal::tests::{hex, vector_epoch, vector_key};

    #[test]
    fn the_derived_keys_are_those_of_the_test_vector() {
        let key = vector_key();
        assert_eq!(
            hex(&*salt()),
            "e32752b853923d1dec2b9fd7f9c6768d7669006cf82dc8a4bc5ffd1fb167e99c"
        );
        assert_eq!(
            hex(&*key.extracted),
            "d475b6dd059c218b22c4fc1bd3277462abb8e25482a65edaa3066d1437dff53a"
        );
        assert_eq!(
            hex(&*key.epoch_key(&vector_epoch())),
            "6afbea4eb96db3a304ae39bde5e8e30faa29fb5babc2220f7cfec6a9aeb5afda"
        );
    }

    #[test]
    fn a_key_has_bounds_on_its_bytes_and_on_its_name() {
        for (bytes, fits) in [
            (MIN_KEY_BYTES - 1, false),
            (MIN_KEY_BYTES, true),
            (MAX_KEY_BYTES, true),
            (MAX_KEY_BYTES + 1, false),
        ] {
            let key = MasterKey::new("k", &vec![7; bytes]);
            assert_eq!(key.is_ok(), fits, "{bytes}");
        }
        let long = "k".repeat(MAX_KEY_ID_CHARS);
        assert!(MasterKey::new(long.clone(), &[7; 32]).is_ok());
        for id in ["", "a b", "é", &format!("{long}k")] {
            assert_eq!(MasterKey::new(id, &[7; 32]).unwrap_err(), KeyError::Id, "{id}");
        }
    }

    #[test]
    fn an_epoch_that_is_used_up_gives_way_to_the_next_one() {
        let key = MasterKey {
            max_seals: 2,
            ..MasterKey::new("k", &[7; 32]).unwrap()
        };
        let epochs: Vec<_> = (0..3).map(|_| key.current_epoch().unwrap()).collect();
        assert_eq!(epochs[0], epochs[1]);
        assert_ne!(epochs[1][..24], epochs[2][..24]);
        assert_eq!(epochs[1][24..], 0_u64.to_be_bytes());
        assert_eq!(epochs[2][24..], 1_u64.to_be_bytes());
    }

    #[test]
    fn a_key_is_never_printed() {
        assert_eq!(format!("{:?}", vector_key()), "MasterKey { id: \"active\", .. }");
    }
}
