//! Who asks.

use std::sync::Arc;

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
    /// From where an anonymous caller asks, as far as the front can tell him from others: a network address. Rate limits
    /// count him by it. It is no identity: anonymous callers share their tasks and state whatever it says.
    pub address: Option<Arc<str>>,
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
            address: None,
        }
    }

    /// The same, who asks from this address.
    #[must_use]
    pub fn at(mut self, address: Option<Arc<str>>) -> Self {
        self.address = address;
        self
    }

    /// Whether both are one party, from wherever they ask.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (
            &self.identity,
            &self.partition,
            self.transport,
            &self.on_behalf_of,
        ) == (
            &other.identity,
            &other.partition,
            other.transport,
            &other.on_behalf_of,
        )
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
            address: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_the_same_from_wherever_he_asks() {
        let at = |address: &str| Caller::anonymous(Transport::Http).at(Some(address.into()));
        assert!(at("192.0.2.1").is(&at("192.0.2.2")));
        assert!(!at("192.0.2.1").is(&Caller::authenticated("ada", Transport::Http)));
        assert!(!at("192.0.2.1").is(&Caller::anonymous(Transport::Stdio)));
    }
}
