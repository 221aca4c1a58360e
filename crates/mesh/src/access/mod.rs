//! Who may see and call what: asked for every list and every call, at the host.

mod behalf;
mod list;
mod read;
mod rules;

use std::sync::{Arc, PoisonError, RwLock};

pub(crate) use behalf::OnBehalfOf;
pub use behalf::{MAX_CHAIN_NAME_BYTES, MAX_GATEWAYS};
pub use list::AllowList;
pub use read::AccessRulesError;
pub use rules::AccessRules;
use rules::Rule;
use toolmesh_tool::{Caller, Catalogue, Dispatcher, Transport};

use crate::{CapabilitySet, engine::Identity};

/// Decides who may see and call what.
pub(crate) struct Access {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) me: Identity,
    capabilities: RwLock<Arc<CapabilitySet>>,
    rules: RwLock<Arc<AccessRules>>,
}

/// Who asks: a node, for itself or for somebody else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) node: &'a Identity,
    pub(crate) behalf: Option<&'a OnBehalfOf>,
}

impl<'a> Asker<'a> {
    /// A node that asks for itself.
    pub(crate) fn node(node: &'a Identity) -> Self {
        Self { node, behalf: None }
    }

    /// The caller that this is to the dispatcher.
    pub(crate) fn caller(&self) -> Caller {
        match self.behalf {
            None => Caller::authenticated(self.node.name.clone(), Transport::Mesh),
            Some(behalf) => behalf.caller(&self.node.name),
        }
    }
}

impl Access {
    pub(crate) fn new(
        dispatcher: Dispatcher,
        me: Identity,
        rules: AccessRules,
        capabilities: CapabilitySet,
    ) -> Self {
        Self {
            dispatcher,
            me,
            capabilities: RwLock::new(Arc::new(capabilities)),
            rules: RwLock::new(Arc::new(rules)),
        }
    }

    pub(crate) fn capabilities(&self) -> Arc<CapabilitySet> {
        current(&self.capabilities)
    }

    pub(crate) fn set_capabilities(&self, capabilities: CapabilitySet) {
        exchange(&self.capabilities, capabilities);
    }

    pub(crate) fn set_rules(&self, rules: AccessRules) {
        exchange(&self.rules, rules);
    }

    /// Whether `node` may use this host at all; a node may always use itself.
    pub(crate) fn admits_node(&self, node: &Identity) -> bool {
        node.node == self.me.node
            || (self.capabilities().allows(node)
                && current(&self.rules)
                    .host
                    .as_ref()
                    .is_none_or(|list| list.allows_node(node)))
    }

    /// Whether both ends may use this host: the node that asks, and the client for which it does. A node that tells
    /// somebody's identity or partition needs the right to speak for others. Without it the call is refused: to go on as if the node
    /// asked for itself would lend the client the node's own rights.
    pub(crate) fn admits(&self, asker: &Asker<'_>) -> bool {
        self.admits_node(asker.node)
            && !self.is_no_gateway(asker)
            && asker.behalf.is_none_or(|behalf| self.admits_client(behalf))
    }

    /// Whether a node tells for whom it calls without the right to.
    pub(crate) fn is_no_gateway(&self, asker: &Asker<'_>) -> bool {
        let claims = asker.behalf.is_some_and(OnBehalfOf::claims_somebody);
        let is_me = asker.node.node == self.me.node;
        claims && !is_me && !current(&self.rules).gateways.allows_node(asker.node)
    }

    fn admits_client(&self, behalf: &OnBehalfOf) -> bool {
        let rules = current(&self.rules);
        match &rules.host {
            Some(list) => list.allows_client(behalf.identity.as_deref()),
            // A list of nodes says nothing for the clients behind them.
            None => self.capabilities().is_open(),
        }
    }

    /// Whether the rules let both ends see and call a tool of the catalogue, by its published name or an alias.
    pub(crate) fn permits(&self, asker: &Asker<'_>, catalogue: &Catalogue, tool_id: &str) -> bool {
        let is_me = asker.node.node == self.me.node;
        let rules = current(&self.rules);
        match rules.of_tool(catalogue, tool_id) {
            Rule::Open => true,
            Rule::Denied => is_me && asker.behalf.is_none(),
            Rule::Lists(lists) => lists.iter().all(|list| {
                (is_me || list.allows_node(asker.node))
                    && asker
                        .behalf
                        .is_none_or(|behalf| list.allows_client(behalf.identity.as_deref()))
            }),
        }
    }

    /// Whether both ends may see a tool: by the lists, by the rules, and by the dispatcher's own visibility.
    pub(crate) fn shows(&self, asker: &Asker<'_>, tool_id: &str) -> bool {
        let visible = || self.dispatcher.visible_catalogue(&asker.caller());
        self.admits(asker)
            && self.permits(asker, &self.dispatcher.toolbox().snapshot(), tool_id)
            && visible().tool(tool_id).is_some()
    }
}

fn current<T>(held: &RwLock<Arc<T>>) -> Arc<T> {
    Arc::clone(&held.read().unwrap_or_else(PoisonError::into_inner))
}

fn exchange<T>(held: &RwLock<Arc<T>>, new: T) {
    *held.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
}
