//! What the key of a mesh gives its nodes.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
};

use super::Address;

/// What the key of a mesh gives its nodes: the prefix under which they meet, and the key under which they greet each other.
/// Nothing of it leads back to the key.
pub(super) struct MeshSecret {
    realm: String,
    greeting: LessSafeKey,
    /// Goes into the keys between two nodes, so that they are of this mesh.
    pub(super) mixed_in: [u8; 32],
}

/// The system gives no random bytes, or the cryptography refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoSecret;

impl MeshSecret {
    pub(super) fn of(key: &[u8; 32]) -> Result<Self, NoSecret> {
        let prk = Salt::new(HKDF_SHA256, b"toolmesh mesh 1").extract(key);
        let realm: [u8; 16] = expand(&prk, &[b"realm"])?;
        let greeting: [u8; 32] = expand(&prk, &[b"greeting"])?;
        Ok(Self {
            realm: format!("toolmesh/{}", hex::encode(realm)),
            greeting: sealing_key(&greeting)?,
            mixed_in: expand(&prk, &[b"pairs"])?,
        })
    }

    /// The prefix of every name that this mesh uses on the network.
    pub(super) fn realm(&self) -> &str {
        &self.realm
    }

    /// Seals a greeting from one address to another.
    pub(super) fn seal(&self, from: Address, to: Address, mut plain: Vec<u8>) -> Result<Vec<u8>, NoSecret> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| NoSecret)?;
        let aad = Aad::from([from.bytes(), to.bytes()].concat());
        self.greeting
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut plain)
            .map_err(|_| NoSecret)?;
        Ok([&nonce[..], &plain].concat())
    }

    /// Opens one; `None` when it was not sealed under this key, or not from here to there.
    pub(super) fn open(&self, from: Address, to: Address, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let aad = Aad::from([from.bytes(), to.bytes()].concat());
        let mut bytes = sealed.to_vec();
        let plain = self.greeting.open_in_place(nonce, aad, &mut bytes).ok()?.len();
        bytes.truncate(plain);
        Some(bytes)
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Derives so many bytes.
pub(super) fn expand<const N: usize>(prk: &Prk, info: &[&[u8]]) -> Result<[u8; N], NoSecret> {
    let mut out = [0; N];
    let okm = prk.expand(info, Length(N)).map_err(|_| NoSecret)?;
    okm.fill(&mut out).map_err(|_| NoSecret)?;
    Ok(out)
}

pub(super) fn sealing_key(key: &[u8; 32]) -> Result<LessSafeKey, NoSecret> {
    let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| NoSecret)?;
    Ok(LessSafeKey::new(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_opens_only_under_its_key_and_between_its_addresses() {
        let (ours, theirs) = (
            MeshSecret::of(&[1; 32]).unwrap(),
            MeshSecret::of(&[2; 32]).unwrap(),
        );
        assert_ne!(ours.realm(), theirs.realm());
        assert_eq!(ours.realm().len(), "toolmesh/".len() + 32);
        let (a, b) = (Address::of(b"a"), Address::of(b"b"));
        let sealed = ours.seal(a, b, b"hello".to_vec()).unwrap();
        assert_eq!(ours.open(a, b, &sealed), Some(b"hello".to_vec()));
        assert_eq!(ours.open(b, a, &sealed), None);
        assert_eq!(theirs.open(a, b, &sealed), None);
        let mut changed = sealed.clone();
        changed[20] ^= 1;
        assert_eq!(ours.open(a, b, &changed), None);
        assert_eq!(ours.open(a, b, &sealed[..5]), None);
    }
}
