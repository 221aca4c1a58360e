//! Opening a store.

use std::{fmt::Write as _, fs, io, path::Path, sync::Arc, time::Duration};

use sqlx::{AnyPool, Executor, any::AnyPoolOptions};
use toolmesh_tool::{MemoryTaskStore, TaskStore};

use crate::{
    StoreLocation,
    migrate::migrate,
    sql::SqlTaskStore,
    statements::{POSTGRES, SQLITE},
};

/// Connections to a PostgreSQL server; it serves others as well.
const POSTGRES_CONNECTIONS: u32 = 8;

/// Connections to a SQLite file; one writes at a time anyway.
const SQLITE_CONNECTIONS: u32 = 4;

/// How long a connection is waited for.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How often a SQLite file is tried that others open at the same moment: only one of them can turn it to write-ahead
/// logging, and SQLite does not wait for that.
const OPEN_TRIES: u32 = 50;

/// How long between two tries.
const OPEN_PAUSE: Duration = Duration::from_millis(100);

/// What every connection to a SQLite file is set to: readers do not wait for the writer, a writer waits up to 10
/// seconds for another one, and what was said to be written survives a loss of power.
const SQLITE_PRAGMAS: &str =
    "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

/// Most tasks of an endpoint that are not over, unless set: a full store refuses a new task rather than forget a live
/// one. Those that are over go when their time is over.
pub const DEFAULT_LIVE_TASKS: u32 = 10_000;

/// How much a store keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreSettings {
    /// Most tasks of one endpoint that are not over, in a database; [`DEFAULT_LIVE_TASKS`] by default. Two servers
    /// that create tasks in the same moment may go over it by one each.
    pub live_tasks: u32,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            live_tasks: DEFAULT_LIVE_TASKS,
        }
    }
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be made or opened.
    #[error("the task store {file} cannot be opened: {source}; check the folder and its permissions")]
    File {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// The database was written by a newer version.
    #[error("the task store was written by a newer version: this one knows its schema up to version {known}")]
    Newer {
        /// The highest version of the schema that is known here.
        known: usize,
    },
    /// The database cannot be reached, or does not do what it is asked.
    #[error("the task store cannot be opened: {0}")]
    Database(#[from] sqlx::Error),
}

/// Opens the store at `location`, makes it if it is not there, and brings its schema up to date.
///
/// # Errors
/// [`OpenError`] says what is wrong; a password in the location is never part of it.
pub async fn open(location: &StoreLocation) -> Result<Arc<dyn TaskStore>, OpenError> {
    open_with(location, StoreSettings::default()).await
}

/// As [`open()`], with settings of one's own; a store in memory has its own bounds.
///
/// # Errors
/// As [`open()`].
pub async fn open_with(
    location: &StoreLocation,
    settings: StoreSettings,
) -> Result<Arc<dyn TaskStore>, OpenError> {
    let (pool, statements) = match location {
        StoreLocation::Memory => return Ok(Arc::new(MemoryTaskStore::new())),
        StoreLocation::Sqlite(file) => (connect_sqlite(file).await?, &SQLITE),
        StoreLocation::Postgres(url) => (options(POSTGRES_CONNECTIONS).connect(url).await?, &POSTGRES),
    };
    migrate(&pool, statements).await?;
    Ok(Arc::new(SqlTaskStore::new(pool, statements, settings)))
}

async fn connect_sqlite(file: &Path) -> Result<AnyPool, OpenError> {
    let told = |source| OpenError::File {
        file: file.display().to_string(),
        source,
    };
    let file = std::path::absolute(file).map_err(told)?;
    make_private(&file).map_err(told)?;
    let url = sqlite_url(&file);
    let mut tries = 0;
    loop {
        let connected = options(SQLITE_CONNECTIONS)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    connection.execute(sqlx::raw_sql(SQLITE_PRAGMAS)).await?;
                    Ok(())
                })
            })
            .connect(&url)
            .await;
        tries += 1;
        match connected {
            Ok(pool) => return Ok(pool),
            Err(sqlx::Error::Database(error)) if is_busy(error.as_ref()) && tries < OPEN_TRIES => {
                tokio::time::sleep(OPEN_PAUSE).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether another process is at the same moment doing what only one can.
fn is_busy(error: &dyn sqlx::error::DatabaseError) -> bool {
    // SQLITE_BUSY is 5; the extended codes have it in their low byte.
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

fn options(connections: u32) -> AnyPoolOptions {
    sqlx::any::install_default_drivers();
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECT_LIMIT)
}

/// Makes the file if it is not there, readable for its owner alone: arguments and results are in it. SQLite gives the
/// files beside it the same permissions.
fn make_private(file: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}

/// The URL of an absolute path, whatever characters are in it.
fn sqlite_url(file: &Path) -> String {
    let mut url = "sqlite://".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            url.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_has_a_url() {
        let url = sqlite_url(Path::new("/a b/c?d#e%f/ü.db"));
        assert_eq!(url, "sqlite:///a%20b/c%3Fd%23e%25f/%C3%BC.db");
    }
}
