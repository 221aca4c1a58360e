//! The key that signs transactions of a source, from the environment or from a file that it names.

use toolmesh_evm::chain::Signer;

use crate::config::{
    Environment, KEYSTORE_PASSWORD_FILE_VARIABLE, KEYSTORE_PASSWORD_VARIABLE, KEYSTORE_VARIABLE,
    MNEMONIC_FILE_VARIABLE, MNEMONIC_INDEX_VARIABLE, MNEMONIC_VARIABLE, SIGNING_KEY_FILE_VARIABLE,
    SIGNING_KEY_VARIABLE, of_source,
};

/// The variables that each say which key signs; at most one may.
const KINDS: [&str; 5] = [
    SIGNING_KEY_VARIABLE,
    SIGNING_KEY_FILE_VARIABLE,
    KEYSTORE_VARIABLE,
    MNEMONIC_VARIABLE,
    MNEMONIC_FILE_VARIABLE,
];

/// The key that signs for a source: its own, or that of all sources; `None` when the environment has neither. The error
/// says why a key cannot be used, with nothing of it in the text.
pub(super) fn signer(environment: &Environment, source: &str) -> Result<Option<Signer>, String> {
    let own = Variables {
        environment,
        source: Some(source),
    };
    let shared = Variables {
        environment,
        source: None,
    };
    let key = match own.key()? {
        None => shared.key()?,
        own => own,
    };
    let Some((variable, kind, value)) = key else {
        return Ok(None);
    };
    // What belongs to a key may be said for the source alone, also where the key is everyone's.
    let detail = |name: &str| own.get(name).or_else(|| shared.get(name));
    let signer = match kind {
        SIGNING_KEY_FILE_VARIABLE => Signer::from_private_key_file(value.as_ref()),
        KEYSTORE_VARIABLE => Signer::from_keystore(value.as_ref(), &password(&variable, detail)?),
        MNEMONIC_VARIABLE => Signer::from_mnemonic(value, index(detail)?),
        MNEMONIC_FILE_VARIABLE => Signer::from_mnemonic_file(value.as_ref(), index(detail)?),
        _ => Signer::from_private_key(value),
    };
    signer.map(Some).map_err(|error| format!("{variable}: {error}"))
}

/// The variables of one source, or those of all.
#[derive(Clone, Copy)]
struct Variables<'a> {
    environment: &'a Environment,
    source: Option<&'a str>,
}

impl<'a> Variables<'a> {
    fn name(self, variable: &str) -> String {
        self.source
            .map_or_else(|| variable.to_owned(), |source| of_source(variable, source))
    }

    /// The whole name and the value.
    fn get(self, variable: &str) -> Option<(String, &'a str)> {
        let name = self.name(variable);
        let value = self.environment.get(&name)?;
        Some((name, value))
    }

    /// Which key signs: the whole name, the kind and the value of the one variable that says so.
    fn key(self) -> Result<Option<(String, &'static str, &'a str)>, String> {
        let mut given = KINDS.iter().filter_map(|kind| {
            let (name, value) = self.get(kind)?;
            Some((name, *kind, value))
        });
        let (first, second) = (given.next(), given.next());
        if let (Some((first, ..)), Some((second, ..))) = (&first, &second) {
            return Err(format!(
                "{first} and {second} both say which key signs; leave one of them out"
            ));
        }
        Ok(first)
    }
}

type Found<'a> = Option<(String, &'a str)>;

fn password<'a>(keystore: &str, detail: impl Fn(&str) -> Found<'a>) -> Result<String, String> {
    if let Some((_, password)) = detail(KEYSTORE_PASSWORD_VARIABLE) {
        return Ok(password.to_owned());
    }
    let Some((variable, path)) = detail(KEYSTORE_PASSWORD_FILE_VARIABLE) else {
        return Err(format!(
            "{keystore} needs a password; give it in {KEYSTORE_PASSWORD_VARIABLE}, or in a file that \
             {KEYSTORE_PASSWORD_FILE_VARIABLE} names"
        ));
    };
    Signer::read_secret(path.as_ref()).map_err(|error| format!("{variable}: {error}"))
}

fn index<'a>(detail: impl Fn(&str) -> Found<'a>) -> Result<u32, String> {
    match detail(MNEMONIC_INDEX_VARIABLE) {
        None => Ok(0),
        Some((variable, text)) => text
            .parse()
            .map_err(|_| format!("{variable} must be a whole number from 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "test test test test test test test test test test test junk";

    fn address(pairs: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment = Environment::from_pairs(pairs.iter().copied());
        Ok(signer(&environment, "a")?.map(|signer| signer.address().to_string()))
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

    #[test]
    fn a_source_may_have_a_key_of_its_own_or_an_account_of_the_common_one() {
        let second = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
        let key = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
        let own = [
            (SIGNING_KEY_VARIABLE, "no key at all"),
            ("TOOLMESH_SOURCE_A_EVM_PRIVATE_KEY", key),
        ];
        assert_eq!(address(&own).unwrap().as_deref(), Some(second));
        let account = [
            (MNEMONIC_VARIABLE, WORDS),
            ("TOOLMESH_SOURCE_A_EVM_MNEMONIC_INDEX", "1"),
        ];
        assert_eq!(address(&account).unwrap().as_deref(), Some(second));
        let others = [("TOOLMESH_SOURCE_B_EVM_PRIVATE_KEY", key)];
        assert_eq!(address(&others).unwrap(), None);
        let both = [
            ("TOOLMESH_SOURCE_A_EVM_PRIVATE_KEY", key),
            ("TOOLMESH_SOURCE_A_EVM_MNEMONIC", WORDS),
        ];
        let refusal = address(&both).unwrap_err();
        assert!(
            refusal
                .starts_with("TOOLMESH_SOURCE_A_EVM_PRIVATE_KEY and TOOLMESH_SOURCE_A_EVM_MNEMONIC both say"),
            "{refusal}"
        );
    }
}
