//! The bytes of a source that is a file or standard input.

use super::{AssembleError, Location, Surroundings};
use crate::{config::SourceConfig, read};

/// The largest source that is read, in bytes. The build information of a large project has about 30 MB; its
/// artifacts, which are what is meant, have a few.
pub const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Reads what stands at a location.
///
/// # Errors
/// [`AssembleError::Unreadable`], or [`AssembleError::NotInThisBuild`] for a location that is neither a file nor
/// standard input.
pub fn read_location(location: &Location) -> Result<Vec<u8>, AssembleError> {
    let bytes = match location {
        Location::File(path) | Location::Descriptors(path) => read::file(path, MAX_SOURCE_BYTES),
        Location::Stdin => read::stdin(MAX_SOURCE_BYTES),
        other => return Err(not_in_this_build(other)),
    };
    bytes.map_err(|error| AssembleError::Unreadable {
        location: location.clone(),
        reason: error.to_string(),
    })
}

/// The bytes of a source that has any: a file, standard input, a document behind a URL. Its kind is theirs to say.
pub(crate) async fn source_bytes(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Option<Vec<u8>>, AssembleError> {
    match &source.location {
        Location::File(_) | Location::Stdin => read_location(&source.location).map(Some),
        #[cfg(feature = "evm")]
        Location::Url(url) => super::contract::fetched(&source.location, url, surroundings)
            .await
            .map(Some),
        _ => {
            let _ = surroundings;
            Ok(None)
        }
    }
}

/// The refusal of a location whose kind of source is not built, or is none that can be looked at by itself.
pub(crate) fn not_in_this_build(location: &Location) -> AssembleError {
    if cfg!(feature = "mesh") && *location == Location::Mesh {
        return AssembleError::Configuration {
            location: Location::Mesh,
            reason: "a mesh is no one source: `toolmesh tools mesh:` lists its tools, `toolmesh describe TOOL mesh:` shows one, \
                     `toolmesh mesh status` its nodes"
                .to_owned(),
        };
    }
    let (what, instead) = match location {
        Location::Calimero(_) => ("a Calimero node as a source", "build with the feature `calimero`"),
        Location::Mcp(_) => (
            "another MCP server as a source",
            "give a Solidity ABI or artifact as a file",
        ),
        Location::Mesh => ("the mesh as a source", "build with the feature `mesh`"),
        Location::File(_)
        | Location::Stdin
        | Location::Descriptors(_)
        | Location::Url(_)
        | Location::Contract { .. } => ("a Solidity source", "build with the feature `evm`"),
    };
    AssembleError::NotInThisBuild {
        what: what.to_owned(),
        instead,
    }
}
