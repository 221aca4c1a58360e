//! What another MCP server has.

use toolmesh_mcp::client::{Entry, EntryKind, Survey};
use toolmesh_tool::{InspectedEntry, Inspection, Prefix, Source as _, Toolbox};

use crate::{
    assemble::{AssembleError, Location, upstream},
    config::SourceConfig,
};

/// Starts or reaches an upstream server, and tells of every entry of its lists.
pub(crate) async fn inspect(source: &SourceConfig, text: &str) -> Result<Inspection, AssembleError> {
    let opened = upstream::open(source, text)?;
    let mount = Toolbox::new().mount(&source.name, Prefix::None)?;
    opened.start(mount).await.map_err(|error| AssembleError::Start {
        name: source.name.clone(),
        error,
    })?;
    Ok(of_survey(opened.survey(), &source.location))
}

fn of_survey(survey: Survey, location: &Location) -> Inspection {
    let server = survey
        .server
        .unwrap_or_else(|| "a server without a name".to_owned());
    let mut notes = vec![format!("{server}, protocol revision {}", survey.revision)];
    if !survey.tells_changes {
        notes.push("it does not tell when its lists change".to_owned());
    }
    Inspection {
        source: location.to_string(),
        kind: "mcp",
        functions: survey.entries.into_iter().map(entry).collect(),
        events: Vec::new(),
        errors: Vec::new(),
        notes,
    }
}

fn entry(entry: Entry) -> InspectedEntry {
    let is_tool = entry.kind == EntryKind::Tool;
    let tool = (is_tool && entry.reason.is_none()).then(|| entry.name.clone());
    let skipped = entry.reason.is_some();
    // What is no tool is offered as what it is.
    let reason = entry
        .reason
        .or_else(|| (!is_tool).then(|| format!("offered as a {}", entry.kind)));
    InspectedEntry {
        signature: entry.name,
        kind: entry.kind.to_string(),
        tool,
        reason,
        skipped,
    }
}
