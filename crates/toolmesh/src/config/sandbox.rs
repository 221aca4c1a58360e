//! `[sandbox]`: the chain inside the process.

use std::path::PathBuf;

use super::key::{Key, Section};

/// The chain inside the process, on which every contract without a chain of its own stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxConfig {
    /// The file that keeps its state; without one it is gone with the process.
    pub state: Option<PathBuf>,
    /// Whether its owner's tools are offered: accounts, balances, time, blocks, snapshots.
    pub tools: bool,
}

impl Section for SandboxConfig {
    const PLACE: &'static str = "in [sandbox]";
    const VARIABLE: &'static str = "TOOLMESH_SANDBOX_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "state",
            about: "the file that keeps the chain; a path in a file is relative to that file",
            set: |sandbox, value| {
                sandbox.state = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "tools",
            about: "offer tools for accounts, balances, time, blocks and snapshots",
            set: |sandbox, value| {
                sandbox.tools = value.flag()?;
                Ok(())
            },
        },
    ];
}
