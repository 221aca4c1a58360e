//! The sealed form `soklet-mcp-protection-v1`: header, ciphertext, tag.

use aes_gcm::{
    Aes256Gcm, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{
    KeyRing, MasterKey,
    key::{EPOCH_BYTES, FORMAT, NoRandomness, fill_random},
};

/// What every sealed state begins with.
const PREFIX: &str = "soklet-mcp-request-state-v1.";

/// The first bytes of the authenticated data.
const AAD_PURPOSE: &[u8] = b"soklet-mcp-request-state-gcm-aad-v1\0";

/// The version of the header.
const HEADER_VERSION: u8 = 1;

/// Bytes of a nonce of AES-GCM.
const NONCE_BYTES: usize = 12;

/// Bytes of an authentication tag.
const TAG_BYTES: usize = 16;

/// Seals `plaintext` with the active key.
pub(super) fn seal(ring: &KeyRing, binding: &[u8; 32], plaintext: &[u8]) -> Result<String, NoRandomness> {
    let key = ring.active();
    let epoch = key.current_epoch()?;
    let mut nonce = [0; NONCE_BYTES];
    fill_random(&mut nonce)?;
    seal_with(&key, &epoch, &nonce, binding, plaintext).ok_or(NoRandomness)
}

fn seal_with(
    key: &MasterKey,
    epoch: &[u8; EPOCH_BYTES],
    nonce: &[u8; NONCE_BYTES],
    binding: &[u8; 32],
    plaintext: &[u8],
) -> Option<String> {
    let mut sealed = header(key, epoch, nonce)?;
    let payload = Payload {
        msg: plaintext,
        aad: &authenticated(&sealed, binding),
    };
    let cipher = Aes256Gcm::new((&*key.epoch_key(epoch)).into());
    sealed.extend(cipher.encrypt(&Nonce::from(*nonce), payload).ok()?);
    Some(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(sealed)))
}

fn header(key: &MasterKey, epoch: &[u8; EPOCH_BYTES], nonce: &[u8; NONCE_BYTES]) -> Option<Vec<u8>> {
    let mut header = vec![HEADER_VERSION, u8::try_from(key.id().len()).ok()?];
    header.extend(key.id().as_bytes());
    header.push(u8::try_from(FORMAT.len()).ok()?);
    header.extend(FORMAT);
    header.extend(epoch);
    header.extend(nonce);
    Some(header)
}

/// What is authenticated beside the ciphertext: the header with its nonce, and what the state belongs to.
fn authenticated(header: &[u8], binding: &[u8; 32]) -> Vec<u8> {
    let mut aad = AAD_PURPOSE.to_vec();
    for part in [header, binding] {
        // A header has at most 134 bytes.
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        aad.extend(length.to_be_bytes());
        aad.extend(part);
    }
    aad
}

/// Opens a sealed text of at most `max_bytes` bytes; `None` whatever is wrong with it.
pub(super) fn open(ring: &KeyRing, binding: &[u8; 32], text: &str, max_bytes: usize) -> Option<Vec<u8>> {
    let encoded = text.strip_prefix(PREFIX).filter(|_| text.len() <= max_bytes)?;
    let sealed = URL_SAFE_NO_PAD.decode(encoded).ok()?;
    let parts = Parts::read(&sealed)?;
    let key = ring.find(std::str::from_utf8(parts.key_id).ok()?)?;
    let cipher = Aes256Gcm::new((&*key.epoch_key(parts.epoch)).into());
    let payload = Payload {
        msg: parts.ciphertext,
        aad: &authenticated(parts.header, binding),
    };
    cipher.decrypt(&Nonce::from(*parts.nonce), payload).ok()
}

struct Parts<'a> {
    header: &'a [u8],
    key_id: &'a [u8],
    epoch: &'a [u8; EPOCH_BYTES],
    nonce: &'a [u8; NONCE_BYTES],
    ciphertext: &'a [u8],
}

impl<'a> Parts<'a> {
    fn read(sealed: &'a [u8]) -> Option<Self> {
        let (&version, rest) = sealed.split_first()?;
        let (key_id, rest) = prefixed(rest)?;
        let (format, rest) = prefixed(rest)?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (nonce, ciphertext) = rest.split_first_chunk()?;
        let header = sealed.get(..sealed.len() - ciphertext.len())?;
        let sound = version == HEADER_VERSION && format == FORMAT && ciphertext.len() >= TAG_BYTES;
        sound.then_some(Self {
            header,
            key_id,
            epoch,
            nonce,
            ciphertext,
        })
    }
}

/// The bytes that a length of one byte announces, and what follows them.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = bytes.split_first()?;
    rest.split_at_checked(usize::from(length))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const WIRE: &str = "soklet-mcp-request-state-v1.AQZhY3RpdmUYc29rbGV0LW1jcC1wcm90ZWN0aW9uLXYxQEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXAAAAAAAAAABgYWJjZGVmZ2hpams1IYFOeRW8Xb62L4ZXI9NiSNqcys3ypJOe5JyH9WQ";

    fn counted<const N: usize>(from: u8) -> [u8; N] {
        std::array::from_fn(|at| from + u8::try_from(at).unwrap())
    }

    pub(in crate::state) fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(in crate::state) fn vector_key() -> MasterKey {
        MasterKey::new("active", &counted::<32>(0x00)).unwrap()
    }

    pub(in crate::state) fn vector_epoch() -> [u8; EPOCH_BYTES] {
        let mut epoch = [0; EPOCH_BYTES];
        epoch[..24].copy_from_slice(&counted::<24>(0x40));
        epoch
    }

    #[test]
    fn the_sealed_form_is_that_of_the_test_vector_to_the_byte() {
        let sealed = seal_with(
            &vector_key(),
            &vector_epoch(),
            &counted(0x60),
            &counted(0x20),
            br#"{"state":"ok"}"#,
        );
        assert_eq!(sealed.as_deref(), Some(WIRE));
    }

    #[test]
    fn the_test_vector_opens() {
        let ring = KeyRing::new(vector_key());
        let opened = open(&ring, &counted(0x20), WIRE, WIRE.len());
        assert_eq!(opened.as_deref(), Some(br#"{"state":"ok"}"#.as_slice()));
        assert_eq!(open(&ring, &counted(0x20), WIRE, WIRE.len() - 1), None);
    }

    #[test]
    fn no_byte_can_be_changed_cut_or_added() {
        let ring = KeyRing::new(vector_key());
        let binding = counted(0x20);
        let encoded = WIRE.strip_prefix(PREFIX).unwrap();
        let sealed = URL_SAFE_NO_PAD.decode(encoded).unwrap();
        let wire = |bytes: &[u8]| format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(
                open(&ring, &binding, &wire(&changed), 1_000),
                None,
                "changed at {at}"
            );
            assert_eq!(
                open(&ring, &binding, &wire(&sealed[..at]), 1_000),
                None,
                "cut at {at}"
            );
        }
        assert_eq!(
            open(&ring, &binding, &wire(&[&sealed[..], &[0]].concat()), 1_000),
            None
        );
        assert_eq!(open(&ring, &counted(0x21), WIRE, 1_000), None);
        assert_eq!(open(&ring, &binding, &format!("{WIRE}="), 1_000), None);
        assert_eq!(open(&ring, &binding, encoded, 1_000), None);
    }
}
