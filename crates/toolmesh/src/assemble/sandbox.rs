//! The one sandbox chain of a configuration: every contract without a chain of its own stands on it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use toolmesh_evm::chain::{Clock, SandboxChain, StateError};

use super::AssembleError;
use crate::config::SandboxConfig;

/// The sandbox, made when the first source needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedSandbox(Arc<Mutex<Option<SandboxChain>>>);

impl SharedSandbox {
    /// The sandbox, from its state file when it has one.
    pub(super) fn open(&self, config: &SandboxConfig) -> Result<SandboxChain, AssembleError> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chain) = shared.as_ref() {
            return Ok(chain.clone());
        }
        let chain = match &config.state {
            Some(path) => kept(path)?,
            None => SandboxChain::new(),
        };
        *shared = Some(chain.clone());
        Ok(chain)
    }

    /// The sandbox, when a source needed it.
    pub(super) fn used(&self) -> Option<SandboxChain> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The sandbox that a file keeps.
pub(crate) fn kept(path: &Path) -> Result<SandboxChain, AssembleError> {
    SandboxChain::with_state_file(path, Clock::System).map_err(refusal)
}

fn refusal(error: StateError) -> AssembleError {
    let reason = error.to_string();
    match error {
        StateError::Locked { .. } | StateError::Unwritable { .. } => AssembleError::LocalResource(reason),
        StateError::Unreadable { .. } => AssembleError::StateUnreadable(reason),
        StateError::Invalid { .. } => AssembleError::StateInvalid(reason),
    }
}
