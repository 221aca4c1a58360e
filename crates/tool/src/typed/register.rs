//! Offers a tool of one's own in one step.

use crate::{Mount, MountError, Tool, ToolBuildError};

/// Where a program offers tools of its own: a place in a toolbox ([`Mount`]), or a node of a mesh.
pub trait Registry {
    /// What is given for an offered tool: nothing, or a handle that takes it back.
    type Registered;

    /// Why a tool is not offered.
    type Error: From<ToolBuildError>;

    /// Offers a tool beside those that are offered already.
    ///
    /// # Errors
    /// When the tool does not fit in; then nothing changed.
    fn register(&self, tool: Tool) -> Result<Self::Registered, Self::Error>;
}

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

impl Registry for Mount {
    type Registered = ();
    type Error = RegisterError;

    fn register(&self, tool: Tool) -> Result<(), RegisterError> {
        Ok(self.add(vec![tool])?)
    }
}

/// Offers a tool that is just built. The function `<fn>_register` of [`macro@crate::tool`] is this with the tool filled in.
///
/// # Errors
/// When the tool could not be built, or does not fit in: [`RegisterError`] for a toolbox.
pub fn register<R: Registry + ?Sized>(
    registry: &R,
    tool: Result<Tool, ToolBuildError>,
) -> Result<R::Registered, R::Error> {
    registry.register(tool?)
}
