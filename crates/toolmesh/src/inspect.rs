//! What is in a source, and what became of each entry.

use toolmesh_tool::ToolDescriptor;
pub use toolmesh_tool::{InspectedEntry, Inspection};

#[cfg(feature = "calimero")]
use crate::assemble::{calimero, calimero_node};
use crate::{
    assemble::{AssembleError, Location, Surroundings, read_descriptors, source_bytes},
    config::SourceConfig,
};

/// Reads a source and tells what is in it. Only a source at a URL or an address asks the network,
/// and only another server or node is started or reached; nothing of it is called.
///
/// # Errors
/// [`AssembleError`] when it cannot be read, or nothing of its kind is in it.
pub async fn inspect(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Inspection, AssembleError> {
    look(source, surroundings, Demand::Readable).await
}

/// Inspects a source and insists that it can be used: something in it can be called, and it breaks no rule of its
/// format.
///
/// # Errors
/// As [`inspect`], and when nothing in the source can be called, or it breaks rules.
pub async fn validate(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Inspection, AssembleError> {
    look(source, surroundings, Demand::Usable).await
}

/// What a source has to be.
#[derive(Clone, Copy)]
enum Demand {
    Readable,
    Usable,
}

async fn look(
    source: &SourceConfig,
    surroundings: &Surroundings,
    demand: Demand,
) -> Result<Inspection, AssembleError> {
    if let Location::Descriptors(_) = &source.location {
        return descriptors(&source.location);
    }
    #[cfg(feature = "mcp")]
    if let Location::Mcp(text) = &source.location {
        return crate::inspect_upstream::inspect(source, text).await;
    }
    #[cfg(feature = "calimero")]
    if let Location::Calimero(url) = &source.location {
        let environment = surroundings.environment();
        return match demand {
            Demand::Readable => calimero_node::inspect(source, url, environment).await,
            Demand::Usable => calimero_node::validate(source, url, environment).await,
        };
    }
    let bytes = source_bytes(source, surroundings).await?;
    #[cfg(feature = "calimero")]
    if let Some(bytes) = bytes
        .as_deref()
        .filter(|bytes| toolmesh_calimero::recognises(bytes))
    {
        let application = match demand {
            Demand::Readable => calimero::application(source, bytes)?,
            Demand::Usable => calimero::sound_application(source, bytes)?,
        };
        return Ok(calimero::inspect(source, &application));
    }
    solidity(source, surroundings, bytes.as_deref(), demand).await
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
async fn solidity(
    source: &SourceConfig,
    surroundings: &Surroundings,
    bytes: Option<&[u8]>,
    demand: Demand,
) -> Result<Inspection, AssembleError> {
    let interface = match demand {
        Demand::Readable => crate::assemble::interface_in(source, surroundings, bytes).await?,
        Demand::Usable => crate::assemble::callable_interface(source, surroundings, bytes).await?,
    };
    Ok(toolmesh_evm::inspect(&interface, source.location.to_string()))
}

#[cfg(not(feature = "evm"))]
async fn solidity(
    source: &SourceConfig,
    _surroundings: &Surroundings,
    _bytes: Option<&[u8]>,
    _demand: Demand,
) -> Result<Inspection, AssembleError> {
    Err(crate::assemble::not_in_this_build(&source.location))
}
