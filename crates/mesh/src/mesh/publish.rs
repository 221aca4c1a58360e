//! Announcing tools, and taking them back.

use std::sync::Arc;

use toolmesh_tool::{Tool, ToolDescriptor};

use crate::{
    AccessRules, CapabilitySet, ServeError,
    access::{Access, Asker},
    engine::{Audience, EngineError, RowKey},
    node::{Node, RowTooLarge},
    row::ToolKey,
};

impl Node {
    /// Announces a tool to those who may see it.
    pub(crate) fn publish(
        &self,
        key: ToolKey,
        descriptor: ToolDescriptor,
        tool: &Tool,
    ) -> Result<(), ServeError> {
        let row_key = RowKey::from(&key);
        let audience = self.access.audience(&key.tool_id);
        let row = self
            .published()
            .insert(key.clone(), descriptor, tool)
            .map_err(|RowTooLarge| ServeError::RowTooLarge(key.tool_id.clone()))?;
        self.engine.announce(row_key, row, audience).map_err(|error| {
            self.published().remove(&key);
            ServeError::Engine(error)
        })
    }

    /// Takes a tool back.
    pub(crate) fn withdraw(&self, key: &ToolKey) {
        if self.published().remove(key).is_some() {
            self.engine.withdraw(&RowKey::from(key));
        }
    }

    /// Sets what this node tells of itself and who may use it, and announces everything anew.
    pub(crate) fn set_capabilities(&self, capabilities: CapabilitySet) -> Result<(), EngineError> {
        let row: Arc<[u8]> = Arc::from(capabilities.to_value().to_text().into_bytes());
        self.access.set_capabilities(capabilities);
        self.announce_all(row)
    }

    /// Sets the rules of this host, and announces everything anew.
    pub(crate) fn set_rules(&self, rules: AccessRules) -> Result<(), EngineError> {
        self.access.set_rules(rules);
        let row = Arc::from(self.access.capabilities().to_value().to_text().into_bytes());
        self.announce_all(row)
    }

    /// Announces the node and its tools, to those who may see each now.
    fn announce_all(&self, row: Arc<[u8]>) -> Result<(), EngineError> {
        let everybody: Audience = {
            let access = Arc::clone(&self.access);
            Arc::new(move |who| access.admits_node(who))
        };
        self.engine.announce(RowKey::Node, row, everybody)?;
        let tools: Vec<_> = {
            let published = self.published();
            let tools = published.tools.iter();
            tools
                .map(|(key, announced)| (key.clone(), Arc::clone(&announced.row)))
                .collect()
        };
        for (key, row) in tools {
            let audience = self.access.audience(&key.tool_id);
            self.engine.announce(RowKey::from(&key), row, audience)?;
        }
        Ok(())
    }
}

impl Access {
    fn audience(self: &Arc<Self>, tool_id: &str) -> Audience {
        let (access, tool_id) = (Arc::clone(self), tool_id.to_owned());
        Arc::new(move |who| access.shows(&Asker::node(who), &tool_id))
    }
}
