//! What a source may use beside its own keys.

use crate::config::{Config, Environment};

/// What a source may use beside its own keys: networks, explorers, secrets.
#[derive(Clone, Default)]
pub struct Surroundings {
    config: Config,
    environment: Environment,
    #[cfg(feature = "evm")]
    progress: Option<toolmesh_evm::fetch::Progress>,
    #[cfg(feature = "evm")]
    sandbox: super::sandbox::SharedSandbox,
}

impl Surroundings {
    /// The networks, explorers and policies of `config`, and the secrets of `environment`.
    #[must_use]
    pub fn new(config: Config, environment: Environment) -> Self {
        Self {
            config,
            environment,
            #[cfg(feature = "evm")]
            progress: None,
            #[cfg(feature = "evm")]
            sandbox: super::sandbox::SharedSandbox::default(),
        }
    }

    /// Tells how long answers come in: bytes so far, and of how many when that is known.
    #[cfg(feature = "evm")]
    #[must_use]
    pub fn progress(mut self, progress: toolmesh_evm::fetch::Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The sandbox of all sources that have no chain of their own.
    #[cfg(feature = "evm")]
    pub(super) fn sandbox(&self) -> &super::sandbox::SharedSandbox {
        &self.sandbox
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    #[cfg(feature = "evm")]
    pub(super) fn told(&self) -> Option<&toolmesh_evm::fetch::Progress> {
        self.progress.as_ref()
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("config", &self.config)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}
