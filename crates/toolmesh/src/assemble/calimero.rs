//! Calimero applications as sources: one in a file, or those of a node.

use std::sync::Arc;

use toolmesh_calimero::{
    Application, ApplicationSource, Mapping, NodeOptions, NodeSettings, NodeSource, Problem, ReadError,
    Toolset,
};
use toolmesh_tool::{Inspection, Source};

use super::{AssembleError, Use};
use crate::config::{Environment, SourceConfig};

/// The variable that says which tools about a node are offered.
const TOOLSETS_VARIABLE: &str = "CALIMERO_MCP_TOOLSETS";

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

/// A node and its applications. `CALIMERO_...` variables say what the location does not.
pub(super) fn open_node(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<Arc<dyn Source>, AssembleError> {
    let configuration = |reason: String| AssembleError::Configuration {
        location: source.location.clone(),
        reason,
    };
    let get = |name: &str| environment.get(name).map(str::to_owned);
    let mut settings = NodeSettings::from_variables(get).map_err(|error| configuration(error.to_string()))?;
    if !url.is_empty() {
        settings.url = Some(url.to_owned());
    }
    let mut options = NodeOptions::new(settings);
    if let Some(toolsets) = environment.get(TOOLSETS_VARIABLE) {
        options.toolsets = Toolset::parse_list(toolsets).map_err(|error| configuration(error.to_string()))?;
    }
    Ok(Arc::new(NodeSource::new(&source.name, options)))
}

fn refusal(source: &SourceConfig, error: &ReadError) -> AssembleError {
    AssembleError::Invalid {
        location: source.location.clone(),
        reason: error.to_string(),
    }
}
