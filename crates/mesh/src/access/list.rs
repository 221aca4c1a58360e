//! A list of who may.

use std::collections::BTreeSet;

use crate::engine::{Identity, NodeId};

/// A list of who may: nodes, by what their engine vouches for, and clients that call through a gateway, by the identity
/// that the gateway vouches for. The two are never mixed up: no client becomes a node by having its name.
///
/// A call of a client that came through a gateway passes only where the list has both: the gateway as a node, and the
/// client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    everybody: bool,
    any_client: bool,
    nodes: BTreeSet<NodeId>,
    names: BTreeSet<String>,
    subnets: BTreeSet<u32>,
    groups: BTreeSet<[u8; 32]>,
    clients: BTreeSet<String>,
}

impl AllowList {
    /// Every node, and every client behind one.
    #[must_use]
    pub fn everybody() -> Self {
        Self {
            everybody: true,
            ..Self::default()
        }
    }

    /// No one, until somebody is added.
    #[must_use]
    pub fn nobody() -> Self {
        Self::default()
    }

    /// Adds a node by its number.
    #[must_use]
    pub fn node(mut self, node: NodeId) -> Self {
        self.nodes.insert(node);
        self
    }

    /// Adds the nodes of a name: that of their certificate, where there are certificates.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.names.insert(name.into());
        self
    }

    /// Adds the nodes of a subnet.
    #[must_use]
    pub fn subnet(mut self, subnet: u32) -> Self {
        self.subnets.insert(subnet);
        self
    }

    /// Adds the nodes of a group.
    #[must_use]
    pub fn group(mut self, group: [u8; 32]) -> Self {
        self.groups.insert(group);
        self
    }

    /// Adds the client of an identity, behind any gateway that may speak for others.
    #[must_use]
    pub fn client(mut self, identity: impl Into<String>) -> Self {
        self.clients.insert(identity.into());
        self
    }

    /// Adds every client behind the nodes of this list, those without an identity too.
    #[must_use]
    pub fn any_client(mut self) -> Self {
        self.any_client = true;
        self
    }

    /// Whether it has clients behind gateways, which are nobody where nodes alone are meant.
    pub(super) fn has_clients(&self) -> bool {
        self.any_client || !self.clients.is_empty()
    }

    /// Whether it has nodes by their names, which prove nothing where nodes have no certificates.
    #[must_use]
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether a node is in the list.
    #[must_use]
    pub fn allows_node(&self, who: &Identity) -> bool {
        self.everybody
            || self.nodes.contains(&who.node)
            || self.names.contains(&who.name)
            || who.subnets.iter().any(|subnet| self.subnets.contains(subnet))
            || who.groups.iter().any(|group| self.groups.contains(group))
    }

    /// Whether a client behind a gateway is in the list; `None` for one without an identity.
    #[must_use]
    pub fn allows_client(&self, identity: Option<&str>) -> bool {
        self.everybody || self.any_client || identity.is_some_and(|identity| self.clients.contains(identity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_allowed_by_number_name_subnet_or_group() {
        let who = Identity {
            subnets: vec![7],
            groups: vec![[1; 32]],
            ..Identity::new(NodeId::new(1), "agent")
        };
        let none = AllowList::nobody;
        for (list, allowed) in [
            (none(), false),
            (AllowList::everybody(), true),
            (none().node(NodeId::new(1)), true),
            (none().node(NodeId::new(2)), false),
            (none().name("agent"), true),
            (none().name("other"), false),
            (none().subnet(7), true),
            (none().subnet(8), false),
            (none().group([1; 32]), true),
            (none().group([2; 32]), false),
            (none().client("agent").any_client(), false),
        ] {
            assert_eq!(list.allows_node(&who), allowed, "{list:?}");
        }
    }

    #[test]
    fn a_client_is_allowed_by_its_identity_and_never_by_the_name_of_a_node() {
        let none = AllowList::nobody;
        for (list, named, anonymous) in [
            (none(), false, false),
            (AllowList::everybody(), true, true),
            (none().client("alice"), true, false),
            (none().client("bob"), false, false),
            (none().any_client(), true, true),
            (none().name("alice"), false, false),
        ] {
            let allowed = (list.allows_client(Some("alice")), list.allows_client(None));
            assert_eq!(allowed, (named, anonymous), "{list:?}");
        }
    }
}
