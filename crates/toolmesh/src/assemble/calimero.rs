//! A Calimero application in a file as a source.

use std::sync::Arc;

use toolmesh_calimero::{Application, ApplicationSource, Mapping, Problem, ReadError};
use toolmesh_tool::{Inspection, Source};

use super::{AssembleError, Location, Surroundings, Use};
use crate::config::SourceConfig;

/// Reads the application in the bytes of a source; the source's name is its package when the bytes say none.
pub(crate) fn application(source: &SourceConfig, bytes: &[u8]) -> Result<Application, AssembleError> {
    toolmesh_calimero::read(bytes, &source.name).map_err(|error| refusal(source, &error))
}

/// Whether a source is a Calimero application in a file.
pub(crate) fn is_application(source: &SourceConfig) -> bool {
    matches!(source.location, Location::File(_))
        && super::read_location(&source.location).is_ok_and(|bytes| toolmesh_calimero::recognises(&bytes))
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

pub(super) async fn open(
    source: &SourceConfig,
    bytes: &[u8],
    surroundings: &Surroundings,
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    let application = application(source, bytes)?;
    if purpose == Use::Listing {
        return Ok(Arc::new(ApplicationSource::new(
            &source.name,
            application,
            Mapping::default(),
            None,
        )));
    }
    let modules = toolmesh_calimero::modules(bytes).map_err(|error| refusal(source, &error))?;
    if modules.is_empty() {
        return Err(AssembleError::Configuration {
            location: source.location.clone(),
            reason: "this is the interface of a Calimero application without its module; give the application's .wasm or \
                     .mpk, or a node that has it installed (`calimero:URL`)"
                .to_owned(),
        });
    }
    super::application::open(source, application, modules, surroundings).await
}

fn refusal(source: &SourceConfig, error: &ReadError) -> AssembleError {
    AssembleError::Invalid {
        location: source.location.clone(),
        reason: error.to_string(),
    }
}
