//! What is in a source, and what became of each entry.

use toolmesh_tool::ToolDescriptor;
pub use toolmesh_tool::{InspectedEntry, Inspection};

use crate::{
    assemble::{AssembleError, Location, Surroundings, read_descriptors},
    config::SourceConfig,
};

/// Reads a source and tells what is in it. Only a source at a URL or an address asks the network.
///
/// # Errors
/// [`AssembleError`] when it cannot be read, or nothing of its kind is in it.
pub async fn inspect(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Inspection, AssembleError> {
    match &source.location {
        Location::Descriptors(_) => descriptors(&source.location),
        _ => solidity(source, surroundings).await,
    }
}

/// Inspects a source and insists that it can be used: something in it can be called.
///
/// # Errors
/// As [`inspect`], and when nothing in the source can be called.
pub async fn validate(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Inspection, AssembleError> {
    #[cfg(feature = "evm")]
    if !matches!(source.location, Location::Descriptors(_)) {
        let interface = crate::assemble::callable_interface(source, surroundings).await?;
        return Ok(toolmesh_evm::inspect(&interface, source.location.to_string()));
    }
    inspect(source, surroundings).await
}

fn descriptors(location: &Location) -> Result<Inspection, AssembleError> {
    let descriptors = read_descriptors(location)?;
    Ok(Inspection {
        source: location.to_string(),
        kind: "descriptors",
        functions: descriptors.into_iter().map(described).collect(),
        events: Vec::new(),
        errors: Vec::new(),
        notes: vec!["these tools are known by their descriptors alone and cannot be called".to_owned()],
    })
}

fn described(descriptor: ToolDescriptor) -> InspectedEntry {
    InspectedEntry {
        signature: format!("{} {}", descriptor.name, descriptor.version),
        kind: "descriptor".to_owned(),
        tool: Some(descriptor.tool_id),
        reason: None,
        skipped: false,
    }
}

#[cfg(feature = "evm")]
async fn solidity(source: &SourceConfig, surroundings: &Surroundings) -> Result<Inspection, AssembleError> {
    let interface = crate::assemble::interface(source, surroundings).await?;
    Ok(toolmesh_evm::inspect(&interface, source.location.to_string()))
}

#[cfg(not(feature = "evm"))]
async fn solidity(source: &SourceConfig, _surroundings: &Surroundings) -> Result<Inspection, AssembleError> {
    Err(crate::assemble::not_in_this_build(&source.location))
}
