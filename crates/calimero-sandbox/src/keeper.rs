//! Who keeps the state of an application: this process, or a file too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolmesh_tool::{KeptFile, KeptFileError};

use crate::saved::Saved;
use crate::space::State;

/// The largest file of a state, in bytes: the state of one context at its bound, in base64, with room for another.
pub const MAX_STATE_FILE_BYTES: u64 = 192 << 20;

/// Why a state cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The file is another's, or cannot be read or written.
    #[error(transparent)]
    File(#[from] KeptFileError),
    /// The file holds something else.
    #[error(
        "{path} is no state file of this application ({reason}); move it away to begin anew, or take another file"
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// The one context in which a service runs here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) id: [u8; 32],
    /// Who calls, as the application sees it.
    pub(crate) executor: [u8; 32],
    /// The hash of the module that ran last.
    pub(crate) module: [u8; 32],
    pub(crate) state: State,
}

/// The contexts of an application.
#[derive(Debug)]
pub(crate) struct Keeper {
    application: String,
    file: Option<KeptFile>,
    /// By the service's name, empty for the only one.
    contexts: Mutex<BTreeMap<String, Context>>,
}

impl Keeper {
    /// The contexts of an application, from its file when there is one.
    pub(crate) fn open(application: &str, file: Option<&Path>) -> Result<Self, StateError> {
        let file = file
            .map(|path| KeptFile::open(path, MAX_STATE_FILE_BYTES))
            .transpose()?;
        let contexts = match &file {
            Some(file) => read(file, application)?,
            None => BTreeMap::new(),
        };
        Ok(Self {
            application: application.to_owned(),
            file,
            contexts: Mutex::new(contexts),
        })
    }

    /// The context of a service, when there is one.
    pub(crate) fn context(&self, service: &str) -> Option<Context> {
        self.lock().get(service).cloned()
    }

    /// Puts a context in the place of what it was. When it cannot be written, nothing changed.
    pub(crate) fn keep(&self, service: &str, context: Context) -> Result<(), StateError> {
        let mut contexts = self.lock();
        let old = contexts.insert(service.to_owned(), context);
        let written = self.write(&contexts);
        if written.is_err() {
            match old {
                Some(old) => contexts.insert(service.to_owned(), old),
                None => contexts.remove(service),
            };
        }
        written
    }

    fn write(&self, contexts: &BTreeMap<String, Context>) -> Result<(), StateError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let text = serde_json::to_vec(&Saved::of(&self.application, contexts));
        let text = text.map_err(|error| KeptFileError::Unwritable {
            path: file.path().to_owned(),
            reason: error.to_string(),
        })?;
        Ok(file.write(&text)?)
    }

    /// A panic elsewhere leaves the contexts as they are, and each is whole at any time.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Context>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(file: &KeptFile, application: &str) -> Result<BTreeMap<String, Context>, StateError> {
    let invalid = |reason: String| StateError::Invalid {
        path: file.path().to_owned(),
        reason,
    };
    let bytes = match file.read() {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(BTreeMap::new()),
        Err(KeptFileError::TooLarge { max, .. }) => {
            return Err(invalid(format!("it is larger than {max} bytes")));
        }
        Err(error) => return Err(error.into()),
    };
    let saved: Saved = serde_json::from_slice(&bytes)
        .map_err(|error| invalid(format!("line {}, column {}", error.line(), error.column())))?;
    saved.contexts(application).map_err(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(value: &[u8]) -> Context {
        let mut state = State::default();
        state.public.set(b"k", value);
        state.index.set(b"i", b"\0\xff");
        state.private.set(b"p", b"");
        Context {
            id: [1; 32],
            executor: [2; 32],
            module: [3; 32],
            state,
        }
    }

    #[test]
    fn what_a_file_keeps_is_read_again_exactly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let keeper = Keeper::open("com.x.store", Some(&path)).unwrap();
        assert_eq!(keeper.context(""), None);
        keeper.keep("", context(b"1")).unwrap();
        keeper.keep("other", context(b"2")).unwrap();
        assert!(matches!(
            Keeper::open("com.x.store", Some(&path)),
            Err(StateError::File(KeptFileError::Locked { .. }))
        ));
        drop(keeper);
        let again = Keeper::open("com.x.store", Some(&path)).unwrap();
        assert_eq!(again.context(""), Some(context(b"1")));
        assert_eq!(again.context("other"), Some(context(b"2")));
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let keeper = Keeper::open("com.x.store", Some(&path)).unwrap();
        keeper.keep("", context(b"1")).unwrap();
        drop(keeper);
        let good = std::fs::read_to_string(&path).unwrap();
        let reason = |application: &str, text: &str| {
            std::fs::write(&path, text).unwrap();
            let refused = Keeper::open(application, Some(&path)).unwrap_err();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            match refused {
                StateError::Invalid { reason, .. } => reason,
                StateError::File(error) => panic!("{error}"),
            }
        };
        assert_eq!(
            reason("com.y.store", &good),
            "it keeps the state of `com.x.store`"
        );
        assert_eq!(reason("com.x.store", "{}"), "line 1, column 2");
        let other = |old: &str, new: &str| reason("com.x.store", &good.replacen(old, new, 1));
        assert_eq!(
            other("toolmesh-calimero", "other"),
            "it says that it is something else"
        );
        assert_eq!(
            other("\"version\":1", "\"version\":2"),
            "it is of another version"
        );
        assert_eq!(
            other(&"01".repeat(32), &"0z".repeat(32)),
            "its contents are damaged"
        );
        assert_eq!(other("\"aw==\"", "\"a\""), "its contents are damaged");
    }

    #[test]
    fn a_change_that_cannot_be_written_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let keeper = Keeper::open("a", Some(&inner.join("state"))).unwrap();
        keeper.keep("", context(b"1")).unwrap();
        std::fs::remove_dir_all(&inner).unwrap();
        assert!(keeper.keep("", context(b"2")).is_err());
        assert!(keeper.keep("new", context(b"2")).is_err());
        assert_eq!(keeper.context(""), Some(context(b"1")));
        assert_eq!(keeper.context("new"), None);
    }
}
