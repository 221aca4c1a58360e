//! Where a store is.

use std::{fmt, path::PathBuf};

/// Where a store is: `memory`, `sqlite:FILE`, or a `postgres://` URL.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// In this process; gone with it.
    Memory,
    /// In one SQLite file.
    Sqlite(PathBuf),
    /// In a PostgreSQL database; the URL may hold a password.
    Postgres(String),
}

/// Why a text names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a store is `memory`, `sqlite:FILE` or `postgres://...`")]
pub struct StoreLocationError;

impl StoreLocation {
    /// Reads the text of a configuration.
    ///
    /// # Errors
    /// [`StoreLocationError`] for any other form.
    pub fn parse(text: &str) -> Result<Self, StoreLocationError> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if let Some(file) = text.strip_prefix("sqlite:").filter(|file| !file.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(file)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(StoreLocationError)
    }
}

impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("Memory"),
            Self::Sqlite(file) => f.debug_tuple("Sqlite").field(file).finish(),
            Self::Postgres(_) => f.write_str("Postgres(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_its_store_and_another_is_refused() {
        assert_eq!(StoreLocation::parse("memory"), Ok(StoreLocation::Memory));
        assert_eq!(
            StoreLocation::parse("sqlite:a.db"),
            Ok(StoreLocation::Sqlite("a.db".into()))
        );
        assert!(matches!(
            StoreLocation::parse("postgres://u:p@h/d"),
            Ok(StoreLocation::Postgres(_))
        ));
        for other in ["", "sqlite:", "mysql://h", "Memory"] {
            assert_eq!(StoreLocation::parse(other), Err(StoreLocationError), "{other}");
        }
    }

    #[test]
    fn a_password_is_never_printed() {
        let location = StoreLocation::parse("postgres://u:secret@h/d").unwrap();
        assert!(!format!("{location:?}").contains("secret"));
    }
}
