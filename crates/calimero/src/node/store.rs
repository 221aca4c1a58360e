//! Tokens that outlive the process: one file for each node and user, for the owner alone.
//!
//! A refresh token works once, so two processes that share a file must not both use it: whoever refreshes holds the lock
//! of the file, looks again at what is in it, and takes what another process put there.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toolmesh_json::{Value, View, parse};

use super::NodeError;

/// A pair of tokens. Its debug form shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    /// What goes along with each request.
    pub access: String,
    /// What gets a new pair, once.
    pub refresh: Option<String>,
    /// When the access token ends, in milliseconds of the epoch.
    pub expires_at: u64,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// The file of the tokens of one user at one node.
#[derive(Clone, Debug)]
pub struct TokenStore {
    path: PathBuf,
}

impl TokenStore {
    /// The store of `username` (empty for tokens that were handed in) at the node with `url`.
    #[must_use]
    pub fn new(folder: &Path, url: &str, username: &str) -> Self {
        let digest = Sha256::digest(format!("{url}\0{username}"));
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self {
            path: folder.join(format!("tokens-{name}.json")),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tokens; `None` when there are none. A file that cannot be understood counts as none, with a warning.
    #[must_use]
    pub fn load(&self) -> Option<Tokens> {
        let bytes = fs::read(&self.path).ok()?;
        let tokens = parse(&bytes).ok().and_then(|value| tokens(value.view()));
        if tokens.is_none() {
            tracing::warn!(file = %self.path.display(), "the stored tokens cannot be read; they count as none");
        }
        tokens
    }

    /// Keeps tokens: the file is there whole or not at all.
    ///
    /// # Errors
    /// [`NodeError::Store`] when it cannot be written.
    pub fn save(&self, tokens: &Tokens) -> Result<(), NodeError> {
        let text = Value::object()
            .put("access_token", tokens.access.as_str())
            .put_opt("refresh_token", tokens.refresh.as_deref())
            .put("expires_at", tokens.expires_at)
            .build()
            .to_text();
        self.make_folder().map_err(store_error)?;
        let draft = self.beside(&format!("{}.tmp", std::process::id()));
        let written = private_file(&draft, true).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&draft, &self.path))
            .inspect_err(|_| drop(fs::remove_file(&draft)))
            .map_err(store_error)
    }

    /// Forgets the tokens.
    pub fn clear(&self) {
        // There may be none.
        let _ = fs::remove_file(&self.path);
    }

    /// Waits until no other process changes the tokens; the lock ends with what is given back, or with the process.
    ///
    /// # Errors
    /// [`NodeError::Store`] when there can be no lock.
    pub async fn lock(&self) -> Result<File, NodeError> {
        self.make_folder().map_err(store_error)?;
        let path = self.beside("lock");
        let locked = tokio::task::spawn_blocking(move || {
            let file = private_file(&path, false)?;
            file.lock()?;
            Ok(file)
        });
        locked
            .await
            .map_err(|error| NodeError::Store(error.to_string()))?
            .map_err(store_error)
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(ending);
        self.path.with_file_name(name)
    }

    fn make_folder(&self) -> std::io::Result<()> {
        let Some(folder) = self.path.parent() else {
            return Ok(());
        };
        if folder.is_dir() {
            return Ok(());
        }
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)
    }
}

/// A file that only its owner reads.
fn private_file(path: &Path, truncate: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err wants")]
fn store_error(error: std::io::Error) -> NodeError {
    NodeError::Store(error.to_string())
}

fn tokens(value: View<'_>) -> Option<Tokens> {
    let text = |key| {
        value
            .get(key)
            .and_then(View::as_str)
            .filter(|text| !text.is_empty())
    };
    Some(Tokens {
        access: text("access_token")?.to_owned(),
        refresh: text("refresh_token").map(str::to_owned),
        expires_at: value.get("expires_at").and_then(View::as_u64).unwrap_or_default(),
    })
}
