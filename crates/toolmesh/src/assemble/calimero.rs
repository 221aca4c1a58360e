//! A Calimero application in a file as a source.

use std::sync::Arc;

use toolmesh_calimero::{Application, ApplicationSource, Mapping, Problem, ReadError};
use toolmesh_tool::{Inspection, Source};

use super::{AssembleError, Use};
use crate::config::SourceConfig;

/// Reads the application in the bytes of a source; the source's name is its package when the bytes say none.
pub(crate) fn application(source: &SourceConfig, bytes: &[u8]) -> Result<Application, AssembleError> {
    toolmesh_calimero::read(bytes, &source.name).map_err(|error| refusal(source, &error))
}

/// Reads an application that breaks no rule of its format.
pub(crate) fn sound_application(source: &SourceConfig, bytes: &[u8]) -> Result<Application, AssembleError> {
    let problems = toolmesh_calimero::check(bytes).map_err(|error| refusal(source, &error))?;
    if !problems.is_empty() {
        return Err(AssembleError::Problems {
            location: source.location.clone(),
            problems: problems.iter().map(Problem::to_string).collect(),
        });
    }
    application(source, bytes)
}

/// The report on an application.
pub(crate) fn inspect(source: &SourceConfig, application: &Application) -> Inspection {
    toolmesh_calimero::inspect(application, &Mapping::default(), source.location.to_string())
}

pub(super) fn open(
    source: &SourceConfig,
    bytes: &[u8],
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    let application = application(source, bytes)?;
    match purpose {
        Use::Listing => Ok(Arc::new(ApplicationSource::new(
            &source.name,
            application,
            Mapping::default(),
            None,
        ))),
        Use::Calling => Err(AssembleError::Configuration {
            location: source.location.clone(),
            reason: "this is the interface of a Calimero application; calls go to a node that has it installed: give \
                     `calimero:URL`"
                .to_owned(),
        }),
    }
}

fn refusal(source: &SourceConfig, error: &ReadError) -> AssembleError {
    AssembleError::Invalid {
        location: source.location.clone(),
        reason: error.to_string(),
    }
}
