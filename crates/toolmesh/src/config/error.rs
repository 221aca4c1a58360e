//! What can be wrong with a configuration.

use std::{fmt, path::PathBuf};

/// Where in the configuration something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of a file.
    File {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A variable of the environment.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line } => write!(f, "{}, line {line}", file.display()),
            Self::Environment(variable) => write!(f, "environment variable {variable}"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A configuration that cannot be used. No text here repeats a value: an RPC URL may hold a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read.
    #[error("the configuration {} cannot be read: {reason}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is not TOML.
    #[error("{place}: not TOML: {reason}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong there.
        reason: String,
    },
    /// A key that no section has.
    #[error("{place}: unknown key `{key}` {section}; known there: {}", known.join(", "))]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// The section, as a phrase such as `in [server]`.
        section: &'static str,
        /// The keys that would be right.
        known: Vec<&'static str>,
    },
    /// A value that does not fit its key.
    #[error("{place}: `{key}` must be {expected}")]
    BadValue {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What it must be.
        expected: String,
    },
    /// A source without a location.
    #[error("{place}: a [[source]] needs `location`: a file, an address or a URL")]
    NoLocation {
        /// Where the source begins.
        place: Place,
    },
    /// Two sources of one name.
    #[error(
        "two sources are called `{name}` (names are compared as in the environment, `{variable}`); give one of them another `name`"
    )]
    SameName {
        /// The name of the second one.
        name: String,
        /// What the variables of both would begin with.
        variable: String,
    },
}
