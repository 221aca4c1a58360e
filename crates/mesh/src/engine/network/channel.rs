//! The sealed way between two nodes.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use aws_lc_rs::{
    aead::{Aad, LessSafeKey, NONCE_LEN, Nonce},
    agreement::{self, PrivateKey, UnparsedPublicKey, X25519},
    hkdf::{HKDF_SHA256, Salt as Mixer},
};

use super::{
    Address,
    secret::{MeshSecret, NoSecret, expand, sealing_key},
};

/// A random number that one side adds to the keys of one meeting.
pub(super) type Salt = [u8; 16];

/// The first byte of a sealed text, which tells it from a greeting.
pub(super) const SEALED: u8 = 1;

/// The number of a text, after that byte.
const NUMBER_BYTES: usize = 8;

/// What stands before the sealed part.
const HEAD_BYTES: usize = 1 + NUMBER_BYTES;

/// What sealing adds to a text: that, and the tag of AES-GCM.
pub(super) const OVERHEAD_BYTES: usize = HEAD_BYTES + 16;

/// The sealed way between this node and one other, for as long as they see each other. Only these two have its keys: they
/// come of both nodes' own keys, a random number of each that is new with every meeting, and the key of the mesh. What is sent
/// is numbered without gaps, so nothing can be played again, and what was lost on the way is noticed.
pub(super) struct Channel {
    sealing: LessSafeKey,
    opening: LessSafeKey,
    next_out: AtomicU64,
    next_in: Mutex<u64>,
}

/// One end of it.
pub(super) struct End<'a> {
    pub(super) address: Address,
    pub(super) salt: &'a Salt,
}

/// Why a text is not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// It was there before.
    Again,
    /// Texts before it are missing.
    Gap,
    /// It was not sealed by the other end.
    Forged,
}

impl Channel {
    pub(super) fn new(
        secret: &MeshSecret,
        own_key: &PrivateKey,
        their_key: &[u8],
        me: &End<'_>,
        them: &End<'_>,
    ) -> Result<Self, NoSecret> {
        let their_key = UnparsedPublicKey::new(&X25519, their_key);
        agreement::agree(own_key, their_key, NoSecret, |shared| {
            let prk = Mixer::new(HKDF_SHA256, &secret.mixed_in).extract(shared);
            let key = |from: &End<'_>, to: &End<'_>| {
                let info = [from.address.bytes(), from.salt, to.address.bytes(), to.salt];
                sealing_key(&expand(&prk, &info)?)
            };
            Ok(Self {
                sealing: key(me, them)?,
                opening: key(them, me)?,
                next_out: AtomicU64::new(0),
                next_in: Mutex::new(0),
            })
        })
    }

    /// The beginning of a text, to be followed by what [`Channel::seal`] seals.
    pub(super) fn begin(capacity: usize) -> Vec<u8> {
        let mut text = Vec::with_capacity(capacity.saturating_add(OVERHEAD_BYTES));
        text.push(SEALED);
        text.extend_from_slice(&[0; NUMBER_BYTES]);
        text
    }

    /// Seals what stands after the beginning.
    pub(super) fn seal(&self, mut text: Vec<u8>) -> Result<Vec<u8>, NoSecret> {
        // Two to the 64 texts are never sent, so no number comes twice.
        let number = self.next_out.fetch_add(1, Ordering::Relaxed);
        let (head, plain) = text.split_at_mut_checked(HEAD_BYTES).ok_or(NoSecret)?;
        let (_, place) = head.split_at_mut_checked(1).ok_or(NoSecret)?;
        place.copy_from_slice(&number.to_be_bytes());
        let tag = self
            .sealing
            .seal_in_place_separate_tag(nonce(number), Aad::empty(), plain)
            .map_err(|_| NoSecret)?;
        text.extend_from_slice(tag.as_ref());
        Ok(text)
    }

    /// Opens what the other end sealed: the next in its order and nothing else.
    pub(super) fn open<'a>(&self, text: &'a mut [u8]) -> Result<&'a [u8], NotOpened> {
        let (head, sealed) = text.split_at_mut_checked(HEAD_BYTES).ok_or(NotOpened::Forged)?;
        let number = head.last_chunk().copied().map(u64::from_be_bytes);
        let number = number.ok_or(NotOpened::Forged)?;
        let mut next = self.next_in.lock().unwrap_or_else(PoisonError::into_inner);
        if number < *next {
            return Err(NotOpened::Again);
        }
        let opened = self.opening.open_in_place(nonce(number), Aad::empty(), sealed);
        let plain = opened.map_err(|_| NotOpened::Forged)?;
        if number > *next {
            return Err(NotOpened::Gap);
        }
        *next += 1;
        Ok(plain)
    }
}

fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; NONCE_LEN];
    let end = nonce.len() - NUMBER_BYTES;
    for (to, from) in nonce.iter_mut().skip(end).zip(number.to_be_bytes()) {
        *to = from;
    }
    Nonce::assume_unique_for_key(nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Side {
        key: PrivateKey,
        public: Vec<u8>,
        salt: Salt,
    }

    impl Side {
        fn new(salt: u8) -> Self {
            let key = PrivateKey::generate(&X25519).unwrap();
            let public = key.compute_public_key().unwrap().as_ref().to_vec();
            Self {
                key,
                public,
                salt: [salt; 16],
            }
        }

        fn end(&self) -> End<'_> {
            End {
                address: Address::of(&self.public),
                salt: &self.salt,
            }
        }

        fn to(&self, other: &Self, mesh: u8) -> Channel {
            let secret = MeshSecret::of(&[mesh; 32]).unwrap();
            Channel::new(&secret, &self.key, &other.public, &self.end(), &other.end()).unwrap()
        }
    }

    fn seal(channel: &Channel, text: &[u8]) -> Vec<u8> {
        let mut room = Channel::begin(text.len());
        room.extend_from_slice(text);
        channel.seal(room).unwrap()
    }

    #[test]
    fn the_other_end_opens_each_text_once_and_in_order() {
        let (a, b) = (Side::new(1), Side::new(2));
        let (to_b, to_a) = (a.to(&b, 7), b.to(&a, 7));
        let texts: Vec<_> = [b"one", b"two", b"3rd"].map(|text| seal(&to_b, text)).into();
        assert_eq!(texts[0].len(), 3 + OVERHEAD_BYTES);
        assert_eq!(to_a.open(&mut texts[0].clone()), Ok(&b"one"[..]));
        assert_eq!(to_a.open(&mut texts[0].clone()), Err(NotOpened::Again));
        assert_eq!(to_a.open(&mut texts[2].clone()), Err(NotOpened::Gap));
        let mut changed = texts[1].clone();
        changed[HEAD_BYTES] ^= 1;
        assert_eq!(to_a.open(&mut changed), Err(NotOpened::Forged));
        assert_eq!(to_a.open(&mut texts[1].clone()), Ok(&b"two"[..]));
        assert_eq!(to_a.open(&mut [1, 2]), Err(NotOpened::Forged));
        // What a node sent is not taken as an answer to itself.
        assert_eq!(to_b.open(&mut texts[0].clone()), Err(NotOpened::Forged));
    }

    #[test]
    fn another_mesh_another_meeting_or_another_node_opens_nothing() {
        let (a, b, c) = (Side::new(1), Side::new(2), Side::new(2));
        let sealed = seal(&a.to(&b, 7), b"text");
        assert_eq!(b.to(&a, 8).open(&mut sealed.clone()), Err(NotOpened::Forged));
        assert_eq!(c.to(&a, 7).open(&mut sealed.clone()), Err(NotOpened::Forged));
        let later = Side { salt: [3; 16], ..b };
        assert_eq!(later.to(&a, 7).open(&mut sealed.clone()), Err(NotOpened::Forged));
    }
}
