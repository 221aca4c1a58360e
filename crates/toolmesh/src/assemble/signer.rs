//! The key that signs transactions, from the environment or from a file that it names.

use toolmesh_evm::chain::Signer;

use crate::config::{
    Environment, KEYSTORE_PASSWORD_FILE_VARIABLE, KEYSTORE_PASSWORD_VARIABLE, KEYSTORE_VARIABLE,
    MNEMONIC_FILE_VARIABLE, MNEMONIC_INDEX_VARIABLE, MNEMONIC_VARIABLE, SIGNING_KEY_FILE_VARIABLE,
    SIGNING_KEY_VARIABLE,
};

/// The variables that each say which key signs; at most one may.
const KINDS: [&str; 5] = [
    SIGNING_KEY_VARIABLE,
    SIGNING_KEY_FILE_VARIABLE,
    KEYSTORE_VARIABLE,
    MNEMONIC_VARIABLE,
    MNEMONIC_FILE_VARIABLE,
];

/// The key that signs, when the environment has one; else why it cannot be used, with nothing of it in the text.
pub(super) fn signer(environment: &Environment) -> Result<Option<Signer>, String> {
    let mut given = KINDS
        .iter()
        .filter_map(|variable| Some((*variable, environment.get(variable)?)));
    let Some((variable, value)) = given.next() else {
        return Ok(None);
    };
    if let Some((second, _)) = given.next() {
        return Err(format!(
            "{variable} and {second} both say which key signs; leave one of them out"
        ));
    }
    let signer = match variable {
        SIGNING_KEY_FILE_VARIABLE => Signer::from_private_key_file(value.as_ref()),
        KEYSTORE_VARIABLE => Signer::from_keystore(value.as_ref(), &password(environment)?),
        MNEMONIC_VARIABLE => Signer::from_mnemonic(value, index(environment)?),
        MNEMONIC_FILE_VARIABLE => Signer::from_mnemonic_file(value.as_ref(), index(environment)?),
        _ => Signer::from_private_key(value),
    };
    signer.map(Some).map_err(|error| format!("{variable}: {error}"))
}

fn password(environment: &Environment) -> Result<String, String> {
    if let Some(password) = environment.get(KEYSTORE_PASSWORD_VARIABLE) {
        return Ok(password.to_owned());
    }
    let Some(path) = environment.get(KEYSTORE_PASSWORD_FILE_VARIABLE) else {
        return Err(format!(
            "{KEYSTORE_VARIABLE} needs a password; give it in {KEYSTORE_PASSWORD_VARIABLE}, or in a file that \
             {KEYSTORE_PASSWORD_FILE_VARIABLE} names"
        ));
    };
    Signer::read_secret(path.as_ref()).map_err(|error| format!("{KEYSTORE_PASSWORD_FILE_VARIABLE}: {error}"))
}

fn index(environment: &Environment) -> Result<u32, String> {
    match environment.get(MNEMONIC_INDEX_VARIABLE) {
        None => Ok(0),
        Some(text) => text
            .parse()
            .map_err(|_| format!("{MNEMONIC_INDEX_VARIABLE} must be a whole number from 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "test test test test test test test test test test test junk";

    fn address(pairs: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment = Environment::from_pairs(pairs.iter().copied());
        Ok(signer(&environment)?.map(|signer| signer.address().to_string()))
    }

    #[test]
    fn a_mnemonic_signs_with_the_account_that_is_asked_for() {
        let first = address(&[(MNEMONIC_VARIABLE, WORDS)]).unwrap();
        assert_eq!(
            first.as_deref(),
            Some("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
        );
        let second = address(&[(MNEMONIC_VARIABLE, WORDS), (MNEMONIC_INDEX_VARIABLE, "1")]).unwrap();
        assert_eq!(
            second.as_deref(),
            Some("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
        );
        assert!(address(&[(MNEMONIC_VARIABLE, WORDS), (MNEMONIC_INDEX_VARIABLE, "-1")]).is_err());
    }

    #[test]
    fn two_keys_at_once_are_refused_without_being_shown() {
        let refusal = address(&[(MNEMONIC_VARIABLE, WORDS), (SIGNING_KEY_VARIABLE, "secret")]).unwrap_err();
        assert_eq!(
            refusal,
            "TOOLMESH_EVM_PRIVATE_KEY and TOOLMESH_EVM_MNEMONIC both say which key signs; leave one of them out"
        );
    }

    #[test]
    fn a_key_file_needs_its_password() {
        let refusal = address(&[(KEYSTORE_VARIABLE, "/nowhere")]).unwrap_err();
        assert!(refusal.contains(KEYSTORE_PASSWORD_FILE_VARIABLE), "{refusal}");
    }
}
