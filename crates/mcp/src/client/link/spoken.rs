//! What a connection speaks.

use crate::revision::Era;

/// What a connection speaks, once that is agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) struct Spoken {
    /// The revision's name on the wire.
    pub(in crate::client) version: &'static str,
    /// How it came to be spoken.
    pub(in crate::client) era: Era,
}

/// The revision in which every request describes itself.
pub(in crate::client) const STATELESS: Spoken = Spoken {
    version: "2026-07-28",
    era: Era::Stateless,
};

/// The revisions that begin with a handshake, newest first. The two before 2025-06-18 are read as that one: what
/// they lack, a server of theirs does not send.
const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

impl Spoken {
    /// The revision that a handshake is begun with.
    pub(in crate::client) const OFFERED: &'static str = "2025-11-25";

    /// The revision of this name that has a handshake.
    pub(in crate::client) fn by_handshake(version: &str) -> Option<Self> {
        let version = HANDSHAKE.into_iter().find(|known| *known == version)?;
        Some(Self {
            version,
            era: Era::Handshake,
        })
    }

    pub(in crate::client) fn is_stateless(self) -> bool {
        self.era == Era::Stateless
    }
}
