//! The key that signs transactions on an RPC chain.

use std::{fmt, path::Path, path::PathBuf};

use alloy_network::TxSignerSync;
use alloy_primitives::{Address, Signature};
use alloy_signer_local::{MnemonicBuilder, PrivateKeySigner, coins_bip39::English};
use thiserror::Error;

/// The largest file with a key, a mnemonic or a password that is read, in bytes: an encrypted key has about 500, and a
/// larger file is another one.
const MAX_SECRET_FILE_BYTES: u64 = 4_096;

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
    /// The text is no mnemonic.
    #[error(
        "the mnemonic is not valid: it must be 12, 15, 18, 21 or 24 words of the English BIP-39 list, and the last \
         must fit the others"
    )]
    Mnemonic,
    /// The encrypted key cannot be opened.
    #[error(
        "the key file {path} cannot be opened: the password is wrong, or it is no encrypted key of version 3"
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read.
    #[error("the file {path} cannot be read: {reason}")]
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
    /// When the file cannot be read, is larger than 4,096 bytes, or holds no key.
    pub fn from_private_key_file(path: &Path) -> Result<Self, SignerError> {
        Self::from_private_key(&Self::read_secret(path)?)
    }

    /// Takes the account with this index of a mnemonic: English words of BIP-39, derived by `m/44'/60'/0'/0/index`
    /// without a passphrase, as wallets do.
    ///
    /// # Errors
    /// When the words are no mnemonic.
    pub fn from_mnemonic(words: &str, index: u32) -> Result<Self, SignerError> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let key = MnemonicBuilder::<English>::default()
            .phrase(words.join(" "))
            .index(index)
            .and_then(|builder| builder.build())
            .map_err(|_| SignerError::Mnemonic)?;
        Ok(Self { key })
    }

    /// Takes an account of the mnemonic that stands alone in a file.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 4,096 bytes, or holds no mnemonic.
    pub fn from_mnemonic_file(path: &Path, index: u32) -> Result<Self, SignerError> {
        Self::from_mnemonic(&Self::read_secret(path)?, index)
    }

    /// Opens an encrypted key file (version 3, as geth writes it). That takes about a second, on purpose: the file's
    /// own parameters make guessing a password slow.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 4,096 bytes, is no such file, or the password is wrong.
    pub fn from_keystore(path: &Path, password: &str) -> Result<Self, SignerError> {
        Self::read_secret(path)?;
        let key = PrivateKeySigner::decrypt_keystore(path, password).map_err(|_| SignerError::Locked {
            path: path.to_owned(),
        })?;
        Ok(Self { key })
    }

    /// The text of a small file, without white space around it.
    ///
    /// # Errors
    /// When the file cannot be read, or is larger than 4,096 bytes.
    pub fn read_secret(path: &Path) -> Result<String, SignerError> {
        let unreadable = |reason: String| SignerError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        let size = std::fs::metadata(path)
            .map_err(|error| unreadable(error.to_string()))?
            .len();
        if size > MAX_SECRET_FILE_BYTES {
            return Err(unreadable(format!(
                "it is larger than {MAX_SECRET_FILE_BYTES} bytes, so it holds no key"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        Ok(text.trim().to_owned())
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

    /// That key, encrypted by an independent program with the password `correct horse`, at a low cost.
    const KEYSTORE: &str = concat!(
        r#"{"version":3,"id":"00000000-0000-4000-8000-000000000000","crypto":{"cipher":"aes-128-ctr","#,
        r#""ciphertext":"ef2890872fe4ff7cde2bbb3a4ce1673aa95289122d7be40a3ac165faf7df4924","cipherpar"#,
        r#"ams":{"iv":"000102030405060708090a0b0c0d0e0f"},"kdf":"scrypt","kdfparams":{"dklen":32,"n":"#,
        r#"1024,"r":8,"p":1,"salt":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f""#,
        r#"},"mac":"75de722134d04f1074d5e431859d774614fad81989ce526525baca5bc1610175"}}"#,
    );

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
        std::fs::write(&path, padded(4_096)).unwrap();
        assert_eq!(
            Signer::from_private_key_file(&path)
                .unwrap()
                .address()
                .to_string(),
            ADDRESS
        );
        std::fs::write(&path, padded(4_097)).unwrap();
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

    #[test]
    fn a_mnemonic_gives_the_accounts_that_wallets_show() {
        let words = "test test test test test test\n test test test test test junk\n";
        let account = |index| Signer::from_mnemonic(words, index).unwrap().address().to_string();
        assert_eq!(account(0), ADDRESS);
        assert_eq!(account(9), "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720");
        for wrong in ["", "test test", &words.replace("junk", "test")] {
            assert_eq!(
                Signer::from_mnemonic(wrong, 0).unwrap_err(),
                SignerError::Mnemonic
            );
        }
    }

    #[test]
    fn an_encrypted_key_file_opens_with_its_password_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        std::fs::write(&path, KEYSTORE).unwrap();
        let signer = Signer::from_keystore(&path, "correct horse").unwrap();
        assert_eq!(signer.address().to_string(), ADDRESS);
        let refusal = Signer::from_keystore(&path, "wrong horse").unwrap_err();
        assert!(matches!(refusal, SignerError::Locked { .. }));
        assert!(!refusal.to_string().contains("horse"), "{refusal}");
    }
}
