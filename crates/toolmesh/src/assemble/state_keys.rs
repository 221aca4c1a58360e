//! The keys that seal the state of calls.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolmesh_tool::{
    StateProtector,
    state::{KeyError, KeyRing, KeyRingError, MasterKey},
};

use crate::config::{Environment, STATE_KEY_FILE_VARIABLE, STATE_KEY_VARIABLE};

/// Most bytes of a file of keys: more than as many as a ring holds.
const MAX_FILE_BYTES: u64 = 65_536;

/// What is wrong with the keys. No text repeats any part of one.
#[derive(Debug, thiserror::Error)]
pub enum StateKeyError {
    /// Both variables are set.
    #[error("set one of {STATE_KEY_VARIABLE} and {STATE_KEY_FILE_VARIABLE}, not both")]
    Both,
    /// The file cannot be read.
    #[error("the file that {STATE_KEY_FILE_VARIABLE} names cannot be read: {0}")]
    Unreadable(String),
    /// A key is not written as it should be.
    #[error(
        "state key {0} (counted from 1) is not `ID:BASE64`, as in `2026-11:...` with at least 32 random bytes"
    )]
    Form(usize),
    /// A key cannot be used.
    #[error("state key {place} (counted from 1): {reason}")]
    Key {
        /// Which.
        place: usize,
        /// Why.
        reason: KeyError,
    },
    /// Two keys do not go together.
    #[error("the state keys: {0}")]
    Ring(#[from] KeyRingError),
}

/// What seals state, by the keys of the environment; `None` without any, for a key that lives as long as the process.
///
/// Keys are written `ID:BASE64` and parted by commas or white space: the first seals and opens, the others open.
///
/// # Errors
/// [`StateKeyError`] says which key is wrong, and how.
pub fn state_protector(environment: &Environment) -> Result<Option<StateProtector>, StateKeyError> {
    let text = match (
        environment.get(STATE_KEY_VARIABLE),
        environment.get(STATE_KEY_FILE_VARIABLE),
    ) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(StateKeyError::Both),
        (Some(text), None) => text.to_owned(),
        (None, Some(file)) => {
            let unreadable = |reason: String| StateKeyError::Unreadable(reason);
            let bytes = crate::read::file(file.as_ref(), MAX_FILE_BYTES);
            let bytes = bytes.map_err(|error| unreadable(error.to_string()))?;
            String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?
        }
    };
    let written = text
        .split([',', ' ', '\n', '\r', '\t'])
        .filter(|key| !key.is_empty());
    let mut keys = written.enumerate().map(|(at, text)| key(at + 1, text));
    let ring = KeyRing::new(keys.next().unwrap_or(Err(StateKeyError::Form(1)))?);
    for key in keys {
        ring.stage(key?)?;
    }
    Ok(Some(StateProtector::new(ring)))
}

fn key(place: usize, text: &str) -> Result<MasterKey, StateKeyError> {
    let (id, secret) = text.split_once(':').ok_or(StateKeyError::Form(place))?;
    let secret = STANDARD.decode(secret).map_err(|_| StateKeyError::Form(place))?;
    MasterKey::new(id, &secret).map_err(|reason| StateKeyError::Key { place, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Option<StateProtector>, StateKeyError> {
        state_protector(&Environment::from_pairs(pairs.iter().copied()))
    }

    fn written(id: &str, byte: u8, bytes: usize) -> String {
        format!("{id}:{}", STANDARD.encode(vec![byte; bytes]))
    }

    #[test]
    fn the_first_key_seals_and_the_others_open() {
        assert!(of(&[]).unwrap().is_none());
        let text = format!("{},\n{}", written("new", 1, 32), written("old", 2, 32));
        let protector = of(&[(STATE_KEY_VARIABLE, &text)]).unwrap().unwrap();
        assert_eq!(protector.ring().active_id(), "new");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys");
        std::fs::write(&file, &text).unwrap();
        let protector = of(&[(STATE_KEY_FILE_VARIABLE, file.to_str().unwrap())]).unwrap();
        assert_eq!(protector.unwrap().ring().active_id(), "new");
    }

    #[test]
    fn a_file_of_keys_has_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys");
        let bound = usize::try_from(MAX_FILE_BYTES).unwrap();
        for (bytes, fits) in [(bound, true), (bound + 1, false)] {
            let mut text = written("a", 1, 32).into_bytes();
            text.resize(bytes, b' ');
            std::fs::write(&file, text).unwrap();
            let read = of(&[(STATE_KEY_FILE_VARIABLE, file.to_str().unwrap())]);
            assert_eq!(read.is_ok(), fits, "{bytes}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_a_part_of_a_key() {
        let good = written("a", 1, 32);
        for (text, expected) in [
            ("c2VjcmV0", "state key 1 (counted from 1) is not `ID:BASE64`"),
            (
                &format!("{good},b:se-cret"),
                "state key 2 (counted from 1) is not",
            ),
            (&written("a", 1, 31), "state key 1 (counted from 1): "),
            (&format!("{good},{good}"), "the state keys: "),
        ] {
            let error = of(&[(STATE_KEY_VARIABLE, text)]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains("cret"), "{error}");
        }
        let both = [
            (STATE_KEY_VARIABLE, good.as_str()),
            (STATE_KEY_FILE_VARIABLE, "f"),
        ];
        assert!(matches!(of(&both), Err(StateKeyError::Both)));
    }
}
