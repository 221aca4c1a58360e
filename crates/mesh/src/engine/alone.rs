//! Why a node is alone.

/// Why a node sees no other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Alone {
    /// It knows no place of another node: the others have to connect to it.
    #[error(
        "it knows no place of another node; say one with `connect` or `routers`, or find nodes of the network segment with `multicast`"
    )]
    NoPlace,
    /// None of its places is connected; each with the reason.
    #[error("{}", .0.join("; "))]
    Unreachable(Vec<String>),
    /// It is connected to nodes at these places, and they are of another mesh.
    #[error("connected to {}, but no node of this mesh is there: its nodes have another key", .0.join(", "))]
    OtherMesh(Vec<String>),
    /// It is connected to routers at these places, and no other node of its mesh is.
    #[error(
        "connected to {}, but no node of this mesh is there: its nodes have another key, or it is a router that nobody else is \
         connected to",
        .0.join(", ")
    )]
    Nobody(Vec<String>),
}

impl Alone {
    /// Whether the mesh itself is out of reach, not only empty.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::OtherMesh(_))
    }
}
