//! How two nodes get to know each other.

use toolmesh_tool::is_plain_name;

use super::{Address, certificate::Proof, channel::Salt, secret::MeshSecret};
use crate::wire::bytes::{Reader, length};

/// Longest name of a node in bytes: that of a certificate's common name.
pub const MAX_NODE_NAME_BYTES: usize = 64;

/// Length of an X25519 key.
const KEY_BYTES: usize = 32;

/// What a node says of itself to another that it sees: who it is, its public key, and its random number for this meeting.
/// It is sealed under the key of the mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) name: String,
    pub(super) public_key: [u8; KEY_BYTES],
    pub(super) salt: Salt,
    /// Its certificate, where nodes have certificates.
    pub(super) proof: Option<Proof>,
    pub(super) word: Word,
}

/// Why a node greets. What answers has the number of the greeting that it answers, so an old answer is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It wants to meet the other.
    Asks,
    /// It meets whoever asked.
    Answers(Salt),
    /// It does not meet whoever greeted: another program with the same certificate was there before.
    Taken(Salt),
}

const ASKS: u8 = 0;
const ANSWERS: u8 = 1;
const TAKEN: u8 = 2;

impl Word {
    /// The number of the greeting that it answers.
    pub(super) fn answered(&self) -> Option<Salt> {
        match self {
            Self::Asks => None,
            Self::Answers(salt) | Self::Taken(salt) => Some(*salt),
        }
    }

    /// Whether it answers another greeting than that of this number: an old one, or that of somebody else.
    pub(super) fn answers_another(&self, salt: Salt) -> bool {
        self.answered().is_some_and(|answered| answered != salt)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.push(match self {
            Self::Asks => ASKS,
            Self::Answers(_) => ANSWERS,
            Self::Taken(_) => TAKEN,
        });
        out.extend(self.answered().iter().flatten());
    }

    fn take(reader: &mut Reader<'_>) -> Option<Self> {
        Some(match reader.byte().ok()? {
            ASKS => Self::Asks,
            ANSWERS => Self::Answers(reader.array().ok()?),
            TAKEN => Self::Taken(reader.array().ok()?),
            _ => return None,
        })
    }
}

impl Greeting {
    /// The sealed bytes.
    pub(super) fn seal(&self, secret: &MeshSecret, from: Address, to: Address) -> Option<Vec<u8>> {
        let mut plain = Vec::with_capacity(KEY_BYTES + 64 + self.name.len());
        plain.push(length(self.name.len()).ok()?);
        plain.extend_from_slice(self.name.as_bytes());
        plain.extend_from_slice(&self.public_key);
        plain.extend_from_slice(&self.salt);
        self.word.put(&mut plain);
        put_proof(&mut plain, self.proof.as_ref())?;
        secret.seal(from, to, plain).ok()
    }

    /// Opens the bytes; `None` when they are no greeting of this mesh, or not of whoever has the address.
    pub(super) fn open(secret: &MeshSecret, from: Address, to: Address, sealed: &[u8]) -> Option<Self> {
        let greeting = Self::decode(&secret.open(from, to, sealed)?)?;
        (Address::of(&greeting.public_key) == from).then_some(greeting)
    }

    fn decode(plain: &[u8]) -> Option<Self> {
        let mut reader = Reader(plain);
        let name_bytes = usize::from(reader.byte().ok()?);
        if name_bytes > MAX_NODE_NAME_BYTES {
            return None;
        }
        let greeting = Self {
            name: reader.text(name_bytes).ok()?.to_owned(),
            public_key: reader.array().ok()?,
            salt: reader.array().ok()?,
            word: Word::take(&mut reader)?,
            proof: proof(&mut reader)?,
        };
        reader.end().ok()?;
        is_plain_name(&greeting.name).then_some(greeting)
    }
}

/// How many certificates, each with its length; with the first one, the signature.
fn put_proof(out: &mut Vec<u8>, proof: Option<&Proof>) -> Option<()> {
    let Some(proof) = proof else {
        out.push(0);
        return Some(());
    };
    out.push(length(proof.chain.len()).ok()?);
    for certificate in &proof.chain {
        put(out, certificate)?;
    }
    out.extend_from_slice(&proof.scheme.to_le_bytes());
    put(out, &proof.signature)
}

fn proof(reader: &mut Reader<'_>) -> Option<Option<Proof>> {
    let certificates = reader.byte().ok()?;
    if certificates == 0 {
        return Some(None);
    }
    let chain: Option<Vec<_>> = (0..certificates).map(|_| taken(reader)).collect();
    let proof = Proof {
        chain: chain?,
        scheme: reader.u16().ok()?,
        signature: taken(reader)?,
    };
    proof.is_bounded().then_some(Some(proof))
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    out.extend_from_slice(&length::<u16>(bytes.len()).ok()?.to_le_bytes());
    out.extend_from_slice(bytes);
    Some(())
}

fn taken(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let bytes = usize::from(reader.u16().ok()?);
    Some(reader.take(bytes).ok()?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_of_the_mesh_and_of_whoever_has_the_address() {
        let secret = MeshSecret::of(&[1; 32]).unwrap();
        let (me, you) = (Address::of(&[3; 32]), Address::of(b"you"));
        for word in [Word::Asks, Word::Answers([9; 16]), Word::Taken([8; 16])] {
            let greeting = Greeting {
                name: "n".repeat(MAX_NODE_NAME_BYTES),
                public_key: [3; 32],
                salt: [4; 16],
                proof: word.answered().map(|_| Proof {
                    chain: vec![vec![5; 900], vec![6; 800]],
                    scheme: 0x0403,
                    signature: vec![7; 70],
                }),
                word,
            };
            let sealed = greeting.seal(&secret, me, you).unwrap();
            assert_eq!(Greeting::open(&secret, me, you, &sealed), Some(greeting.clone()));
            let stolen = greeting.seal(&secret, you, me).unwrap();
            assert_eq!(Greeting::open(&secret, you, me, &stolen), None);
            let too_long = "n".repeat(MAX_NODE_NAME_BYTES + 1);
            for name in [
                &too_long,
                "x\n WARN denied nothing",
                "\u{1b}[31mx",
                "a\u{202e}b",
                "a\u{200b}b",
            ] {
                let named = Greeting {
                    name: name.to_owned(),
                    ..greeting.clone()
                };
                let sealed = named.seal(&secret, me, you).unwrap();
                assert_eq!(Greeting::open(&secret, me, you, &sealed), None, "{name:?}");
            }
        }
    }
}
