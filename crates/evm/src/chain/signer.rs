//! The key that signs transactions on an RPC chain.

use std::{fmt, path::Path, path::PathBuf};

use alloy_network::TxSignerSync;
use alloy_primitives::{Address, Signature};
use alloy_signer_local::PrivateKeySigner;
use thiserror::Error;

/// The largest key file that is read, in bytes: a key is 66 characters, and a larger file is another one.
const MAX_KEY_FILE_BYTES: u64 = 1_024;

/// A private key, ready to sign. It can be used but not read: its debug form shows the address only.
#[derive(Clone)]
pub struct Signer {
    key: PrivateKeySigner,
}

/// Why a key could not be taken. No text here holds a part of a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignerError {
    /// There is no key in the text.
    #[error("the private key is empty: put 64 hexadecimal digits there, with or without 0x")]
    Empty,
    /// The text is no key.
    #[error(
        "the private key is not valid: it must be 64 hexadecimal digits, with or without 0x, and a number \
         of the curve secp256k1"
    )]
    Malformed,
    /// The file could not be read.
    #[error("the private key file {path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

impl Signer {
    /// Takes a key as text: 64 hexadecimal digits, with or without `0x`; white space around it is
    /// ignored, so that a file may end with a line break.
    ///
    /// # Errors
    /// When the text is empty or no key.
    pub fn from_private_key(text: &str) -> Result<Self, SignerError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SignerError::Empty);
        }
        let key = text.parse().map_err(|_| SignerError::Malformed)?;
        Ok(Self { key })
    }

    /// Takes the key that stands alone in a file.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 1,024 bytes, or holds no key.
    pub fn from_private_key_file(path: &Path) -> Result<Self, SignerError> {
        let unreadable = |reason: String| SignerError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        let size = std::fs::metadata(path)
            .map_err(|error| unreadable(error.to_string()))?
            .len();
        if size > MAX_KEY_FILE_BYTES {
            return Err(unreadable(format!(
                "it is larger than {MAX_KEY_FILE_BYTES} bytes, so it holds no key"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        Self::from_private_key(&text)
    }

    /// The account that this key signs for.
    #[must_use]
    pub fn address(&self) -> Address {
        self.key.address()
    }

    pub(super) fn sign<T>(&self, transaction: &mut T) -> Result<Signature, super::ChainError>
    where
        T: alloy_consensus::SignableTransaction<Signature>,
    {
        self.key
            .sign_transaction_sync(transaction)
            .map_err(|_| super::ChainError::Internal("the transaction could not be signed".to_owned()))
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Signer")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The public key of the first development account of anvil and hardhat.
    const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    #[test]
    fn a_key_may_have_a_prefix_and_white_space_around_it() {
        for text in [KEY.to_owned(), format!("0x{KEY}"), format!("  0x{KEY}\r\n")] {
            assert_eq!(
                Signer::from_private_key(&text).unwrap().address().to_string(),
                ADDRESS
            );
        }
    }

    #[test]
    fn the_debug_form_shows_the_address_and_nothing_of_the_key() {
        let shown = format!("{:?}", Signer::from_private_key(KEY).unwrap());
        assert_eq!(
            shown.to_lowercase(),
            format!("signer {{ address: {ADDRESS}, .. }}").to_lowercase()
        );
    }

    #[test]
    fn a_text_that_is_no_key_is_refused_without_being_shown() {
        let zero = "0".repeat(64);
        for text in [&KEY[1..], &format!("{}zz", &KEY[2..]), zero.as_str(), "secret"] {
            let refusal = Signer::from_private_key(text).unwrap_err();
            assert_eq!(refusal, SignerError::Malformed);
            assert!(!refusal.to_string().contains(text));
        }
        assert_eq!(Signer::from_private_key(" \n").unwrap_err(), SignerError::Empty);
    }

    #[test]
    fn a_key_file_is_read_up_to_its_size_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let padded = |size: usize| format!("{KEY}{}", "\n".repeat(size - KEY.len()));
        std::fs::write(&path, padded(1_024)).unwrap();
        assert_eq!(
            Signer::from_private_key_file(&path)
                .unwrap()
                .address()
                .to_string(),
            ADDRESS
        );
        std::fs::write(&path, padded(1_025)).unwrap();
        assert!(matches!(
            Signer::from_private_key_file(&path),
            Err(SignerError::Unreadable { .. })
        ));
        let missing = folder.path().join("missing");
        assert!(
            Signer::from_private_key_file(&missing)
                .unwrap_err()
                .to_string()
                .contains("cannot be read")
        );
    }
}
