//! Who asks.

/// By which way a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// MCP over standard input and output.
    Stdio,
    /// MCP over HTTP.
    Http,
    /// The mesh.
    Mesh,
    /// The `toolmesh` command.
    CommandLine,
    /// A program that holds the dispatcher itself.
    InProcess,
}

/// Who asks: every policy takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The authenticated identity; `None` for an anonymous caller. Never taken from what a client says of itself.
    pub identity: Option<String>,
    /// The authorization partition: callers in different partitions never see each other's tasks or state.
    pub partition: String,
    /// How the call came in.
    pub transport: Transport,
    /// The chain of authenticated gateways behind which the call was made, outermost first. A host decides on both
    /// ends of the chain, so that a gateway is never a confused deputy.
    pub on_behalf_of: Vec<String>,
}

impl Caller {
    /// A caller without an authenticated identity, in the shared anonymous partition.
    #[must_use]
    pub fn anonymous(transport: Transport) -> Self {
        Self {
            identity: None,
            partition: String::new(),
            transport,
            on_behalf_of: Vec::new(),
        }
    }

    /// A caller whom the front has authenticated as `identity`; the partition is its own.
    #[must_use]
    pub fn authenticated(identity: impl Into<String>, transport: Transport) -> Self {
        let identity = identity.into();
        Self {
            partition: identity.clone(),
            identity: Some(identity),
            transport,
            on_behalf_of: Vec::new(),
        }
    }
}
