//! What can go wrong.

/// A way in which the node misbehaves when a test asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The next access token is refused as expired, once.
    ExpiredToken,
    /// Every token is refused as revoked.
    RevokedToken,
    /// Whoever asks may not.
    PermissionDenied,
    /// The answer never comes.
    Silence,
    /// The answer is no JSON.
    Garbage,
    /// The interface of applications is an unknown route, as on old nodes: 404 without a body.
    NoAbiRoute,
    /// The interface cannot be read, and the node says why.
    AbiRefused,
    /// The interface is no manifest.
    AbiMalformed,
    /// An installation fails in plain text, whatever the registry has.
    InstallFails,
    /// A method returns the largest `u64`.
    LargestInteger,
    /// A method returns null, whatever its interface says.
    NullResult,
    /// A method returns an error of its own.
    GuestError,
    /// A method panics.
    GuestPanic,
    /// The context has no state yet.
    Uninitialized,
    /// The group's key has not come yet.
    GroupKeyPending,
    /// The application is being upgraded.
    UpgradeInProgress,
    /// The node has a fault of its own, and says nothing of it.
    InternalError,
    /// The same, and the node says of which kind.
    InternalKind,
    /// What the method returned is no JSON.
    OutputNotJson,
    /// The node takes the request for malformed.
    ParseError,
    /// The node's identity may not do this in the context.
    NotAuthorized,
    /// The method may not be called from another context.
    CrossCall,
    /// The node's identity is no member of the context.
    NotMember,
    /// The method used up what it may use.
    OutOfGas,
    /// Server-sent events are an unknown route: only the WebSocket is there.
    NoEventStream,
}

impl Fault {
    /// Every fault, in a fixed order.
    pub const ALL: [Self; 25] = [
        Self::ExpiredToken,
        Self::RevokedToken,
        Self::PermissionDenied,
        Self::Silence,
        Self::Garbage,
        Self::NoAbiRoute,
        Self::AbiRefused,
        Self::AbiMalformed,
        Self::InstallFails,
        Self::LargestInteger,
        Self::NullResult,
        Self::GuestError,
        Self::GuestPanic,
        Self::Uninitialized,
        Self::GroupKeyPending,
        Self::UpgradeInProgress,
        Self::InternalError,
        Self::InternalKind,
        Self::OutputNotJson,
        Self::ParseError,
        Self::NotAuthorized,
        Self::CrossCall,
        Self::NotMember,
        Self::OutOfGas,
        Self::NoEventStream,
    ];
}
