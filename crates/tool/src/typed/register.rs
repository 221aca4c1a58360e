//! Puts a tool of one's own into a toolbox in one step.

use crate::{Mount, MountError, Tool, ToolBuildError};

/// Why a tool could not be put into a toolbox.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// It cannot be built.
    #[error(transparent)]
    Build(#[from] ToolBuildError),
    /// It does not fit into the toolbox.
    #[error(transparent)]
    Mount(#[from] MountError),
}

/// Offers a tool beside those that the mount offers already. The function `<fn>_register` of [`macro@crate::tool`] is this
/// with the tool filled in.
///
/// # Errors
/// [`RegisterError`] when the tool could not be built, or does not fit into the toolbox.
pub fn register(mount: &Mount, tool: Result<Tool, ToolBuildError>) -> Result<(), RegisterError> {
    Ok(mount.add(vec![tool?])?)
}
