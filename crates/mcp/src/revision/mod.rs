//! The revisions of the protocol as data: methods, projection, failures, rules. Code that depends on the revision asks
//! its table and never compares version texts.

mod failure;
mod method;
mod projection;
mod v2025_06_18;
mod v2025_11_25;
mod v2026_07_28;

pub(crate) use failure::{Declared, Failure, NOT_OFFERED, UNKNOWN_PARAMETER_HEADER};
pub(crate) use method::Method;
pub(crate) use projection::{Asking, LinkIcons, Projection, ServerForm, Structured};

use crate::jsonrpc::UnreadableId;

/// A revision of the protocol.
#[derive(Debug)]
pub(crate) struct Revision {
    /// Its name on the wire.
    pub(crate) version: &'static str,
    /// How a connection comes to speak it.
    pub(crate) era: Era,
    /// Its requests, as far as this server answers them, by name.
    pub(crate) methods: &'static [(&'static str, Method)],
    /// What it can express.
    pub(crate) projection: Projection,
    /// How it tells that arguments do not fit a tool's input schema.
    pub(crate) argument_failure: ArgumentFailure,
    /// How an error says that the id could not be read.
    pub(crate) unreadable_id: UnreadableId,
    /// What the end of an HTTP request's connection means for the call.
    pub(crate) disconnect: Disconnect,
    /// The failure of an unknown resource says which URI was asked for.
    pub(crate) names_unknown_resource: bool,
    /// A stream that can be resumed begins with an event without a message, for the client to know where it is.
    pub(crate) primes_streams: bool,
    /// The table of failures.
    failures: fn(Failure) -> Declared,
}

/// How a connection comes to speak a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// By a handshake (`initialize`).
    Handshake,
    /// Every request says so itself (`_meta` and headers).
    Stateless,
}

/// How a revision tells that arguments do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentFailure {
    /// As a protocol error.
    ProtocolError,
    /// As a tool result with `isError`, for the agent to repair.
    ToolError,
}

/// What a client's going away means for its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disconnect {
    /// The call is cancelled.
    Cancels,
    /// Once a stream has begun, the call goes on to its end without a listener.
    Detaches,
}

/// The revisions that are served, newest first.
pub(crate) static REVISIONS: [&Revision; 3] = [
    &v2026_07_28::REVISION,
    &v2025_11_25::REVISION,
    &v2025_06_18::REVISION,
];

/// What an `initialize` gets that asks for a revision that has no handshake here.
pub(crate) static NEWEST_HANDSHAKE: &Revision = &v2025_11_25::REVISION;

/// What a request without any word about its revision is served by: it comes from a client that knows no version
/// header, so the oldest served revision is the nearest.
pub(crate) static OLDEST: &Revision = &v2025_06_18::REVISION;

/// Whose table answers a request that is stateless by its signals before a revision could be selected.
pub(crate) static NEWEST_STATELESS: &Revision = &v2026_07_28::REVISION;

impl Revision {
    /// The served revision of this name.
    pub(crate) fn find(version: &str) -> Option<&'static Self> {
        REVISIONS.into_iter().find(|revision| revision.version == version)
    }

    /// The request of this name.
    pub(crate) fn method(&self, name: &str) -> Option<Method> {
        self.entry(name).map(|(_, method)| *method)
    }

    /// The name as this revision's table has it, for those who keep it.
    pub(crate) fn spelled(&self, name: &str) -> Option<&'static str> {
        self.entry(name).map(|(known, _)| *known)
    }

    fn entry(&self, name: &str) -> Option<&'static (&'static str, Method)> {
        self.methods.iter().find(|(known, _)| *known == name)
    }

    /// How this revision tells `failure`.
    pub(crate) fn declare(&self, failure: Failure) -> Declared {
        (self.failures)(failure)
    }
}

/// The names of the revisions that are served, newest first.
#[must_use]
pub fn supported_versions() -> Vec<&'static str> {
    REVISIONS.iter().map(|revision| revision.version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_found_by_its_exact_name_only() {
        for revision in REVISIONS {
            assert_eq!(
                Revision::find(revision.version).map(|found| found.version),
                Some(revision.version)
            );
        }
        assert!(Revision::find("2025-03-26").is_none());
        assert!(Revision::find("").is_none());
    }

    #[test]
    fn the_handshake_belongs_to_the_2025_revisions_and_discovery_to_2026() {
        for revision in REVISIONS {
            let handshake = revision.era == Era::Handshake;
            assert_eq!(revision.method("initialize").is_some(), handshake);
            assert_eq!(revision.method("ping").is_some(), handshake);
            assert_eq!(revision.method("server/discover").is_some(), !handshake);
            assert_eq!(revision.method("tools/call"), Some(Method::CallTool));
            assert_eq!(revision.method("tasks/list"), None);
        }
    }

    /// Every failure in every revision, as one reads it in a table.
    #[test]
    fn the_tables_of_failures_say_what_the_error_map_says() {
        let mut lines = Vec::new();
        for revision in REVISIONS {
            for failure in ALL {
                let row = revision.declare(*failure);
                lines.push(format!(
                    "{} {failure:?}: {} {} {}",
                    revision.version, row.code, row.status, row.text
                ));
            }
        }
        insta::assert_snapshot!(lines.join("\n"));
    }

    /// Rows that no message brings about: what they tell belongs to another era, or is told in another way.
    const UNREACHABLE: &[(&str, Failure)] = &[
        ("2025-06-18", Failure::UnknownTask),
        ("2025-06-18", Failure::UnknownParameterHeader),
        ("2025-11-25", Failure::InvalidArguments),
        ("2025-11-25", Failure::UnknownTask),
        ("2025-11-25", Failure::UnknownParameterHeader),
        ("2026-07-28", Failure::InvalidArguments),
        ("2026-07-28", Failure::UnknownSession),
    ];

    /// The golden files of the wire in which a revision is named.
    fn golden_files(version: &str) -> String {
        let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
        let named = version.replace('-', "_");
        let folders = ["snapshots", "faults/snapshots"].map(|folder| tests.join(folder));
        let files = folders
            .iter()
            .flat_map(|folder| folder.read_dir().expect("golden files"));
        let files = files.map(|file| file.expect("readable").path());
        let files = files.filter(|path| path.to_string_lossy().contains(&named));
        files
            .map(|path| std::fs::read_to_string(path).expect("readable"))
            .collect()
    }

    #[test]
    fn every_row_of_the_error_map_stands_in_a_golden_file_of_the_wire() {
        for revision in REVISIONS {
            let golden = golden_files(revision.version);
            for failure in ALL {
                let Declared { code, status, text } = revision.declare(*failure);
                let (status, error) = (
                    format!("< {status} "),
                    format!(r#""error":{{"code":{code},"message":"{text}""#),
                );
                let stands = golden
                    .lines()
                    .any(|line| line.starts_with(&status) && line.contains(&error));
                let reachable = !UNREACHABLE.contains(&(revision.version, *failure));
                assert_eq!(stands, reachable, "{} {failure:?}", revision.version);
            }
        }
    }

    #[test]
    fn no_text_of_a_failure_is_empty_or_ends_in_a_stop() {
        for failure in ALL {
            for revision in REVISIONS {
                let text = revision.declare(*failure).text;
                assert!(!text.is_empty() && !text.ends_with('.'), "{failure:?}: {text}");
            }
        }
    }

    const ALL: &[Failure] = &[
        Failure::Parse,
        Failure::InvalidRequest,
        Failure::HeaderMismatch,
        Failure::MissingCapability,
        Failure::UnsupportedVersion,
        Failure::UnknownMethod,
        Failure::InvalidParams,
        Failure::InvalidCursor,
        Failure::InvalidArguments,
        Failure::UnknownTool,
        Failure::UnknownPrompt,
        Failure::UnknownResource,
        Failure::UnknownTask,
        Failure::UnknownSession,
        Failure::UnknownParameterHeader,
        Failure::UnusableOutput,
        Failure::InputUnavailable,
        Failure::OperationFailed,
        Failure::Internal,
        Failure::PolicyRefused,
        Failure::Unauthenticated,
        Failure::Forbidden,
        Failure::RateLimited,
        Failure::QueueFull,
        Failure::DeadlineWaiting,
        Failure::DeadlineRunning,
        Failure::StateUnavailable,
        Failure::Cancelled,
    ];
}
