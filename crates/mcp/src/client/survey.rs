//! What became of each entry of an upstream server.

use std::fmt;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A tool.
    Tool,
    /// A resource at one URI.
    Resource,
    /// A family of resources.
    Template,
    /// A prompt.
    Prompt,
}

/// An entry of an upstream server, and why it is not offered when it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name, URI or URI template, as the server gave it; empty when it gave none.
    pub name: String,
    /// Why it is not offered.
    pub reason: Option<String>,
}

/// What an upstream server is and has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The server's own word for its name and version.
    pub server: Option<String>,
    /// The protocol revision that is spoken with it.
    pub revision: String,
    /// Whether it tells when its lists change.
    pub tells_changes: bool,
    /// Its entries, list after list, each in the server's order.
    pub entries: Vec<Entry>,
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Template => "resource template",
            Self::Prompt => "prompt",
        })
    }
}
