//! A Calimero application that runs in this process.

use std::sync::Arc;

use toolmesh_calimero::{Application, ServiceModule};
use toolmesh_tool::Source;

use super::{AssembleError, Surroundings};
use crate::config::SourceConfig;

/// This build cannot run it.
#[cfg(not(feature = "calimero-sandbox"))]
pub(super) async fn open(
    _: &SourceConfig,
    _: Application,
    _: Vec<ServiceModule>,
    _: &Surroundings,
) -> Result<Arc<dyn Source>, AssembleError> {
    Err(AssembleError::NotInThisBuild {
        what: "running a Calimero application".to_owned(),
        instead: "build with the feature `calimero-sandbox`, or name a node that has it installed (`calimero:URL`)",
    })
}

#[cfg(feature = "calimero-sandbox")]
pub(super) use here::open;

#[cfg(feature = "calimero-sandbox")]
mod here {
    use std::path::PathBuf;

    use toolmesh_calimero_sandbox::{LocalOptions, LocalSource, OpenError, StateError};
    use toolmesh_tool::KeptFileError;

    use super::{Application, Arc, AssembleError, ServiceModule, Source, SourceConfig, Surroundings};

    /// Runs it in this process.
    pub(in super::super) async fn open(
        source: &SourceConfig,
        application: Application,
        modules: Vec<ServiceModule>,
        surroundings: &Surroundings,
    ) -> Result<Arc<dyn Source>, AssembleError> {
        let options = LocalOptions {
            state: state(source, surroundings)?,
            init: source.constructor_arguments.clone(),
            ..LocalOptions::default()
        };
        let opened = LocalSource::open(&source.name, application, modules, options).await;
        Ok(Arc::new(opened.map_err(|error| refusal(source, error))?))
    }

    /// The file that keeps its state: its own, or that of the sandbox where nothing else would want it.
    fn state(source: &SourceConfig, surroundings: &Surroundings) -> Result<Option<PathBuf>, AssembleError> {
        let config = surroundings.config();
        match (&source.state, &config.sandbox.state) {
            (Some(own), _) => Ok(Some(own.clone())),
            (None, Some(shared)) if config.sources.len() == 1 => Ok(Some(shared.clone())),
            (None, Some(_)) => Err(AssembleError::Configuration {
                location: source.location.clone(),
                reason: "several sources cannot keep their states in one file; give this one a `state` of its own in \
                         the configuration file"
                    .to_owned(),
            }),
            (None, None) => Ok(None),
        }
    }

    fn refusal(source: &SourceConfig, error: OpenError) -> AssembleError {
        let reason = error.to_string();
        let location = source.location.clone();
        match error {
            OpenError::State(StateError::File(error)) => match error {
                KeptFileError::Unreadable { .. } => AssembleError::StateUnreadable(reason),
                _ => AssembleError::LocalResource(reason),
            },
            OpenError::State(StateError::Invalid { .. }) => AssembleError::StateInvalid(reason),
            OpenError::Init { .. } => AssembleError::Configuration { location, reason },
            OpenError::Process(_) => AssembleError::LocalResource(reason),
            _ => AssembleError::Invalid { location, reason },
        }
    }
}
