//! Which rules a mapping follows.

/// Which rules a mapping follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// What Toolmesh serves: exact schemas with bounds and descriptions, closed objects, parameters under
    /// their names in the interface.
    #[default]
    Default,
    /// What abi-to-mcp's mapper documents: `uint256` is any text of digits, objects are open, patterns are
    /// bare, parameters are in snake case and a word that Python reserves gets `_` behind it.
    Compatibility,
}

impl Profile {
    pub(crate) fn is_compatible(self) -> bool {
        self == Self::Compatibility
    }
}
