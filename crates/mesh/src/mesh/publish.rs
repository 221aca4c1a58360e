//! Announcing tools, and taking them back.

use std::sync::{Arc, MutexGuard, PoisonError};

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
        let _announcing = self.announcing();
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
        let _announcing = self.announcing();
        if self.published().remove(key).is_some() {
            self.engine.withdraw(&RowKey::from(key));
        }
    }

    /// Sets what this node tells of itself and who may use it, and announces everything anew.
    pub(crate) fn set_capabilities(&self, capabilities: CapabilitySet) -> Result<(), EngineError> {
        self.access.set_capabilities(capabilities);
        self.announce_all()
    }

    /// Sets the rules of this host, and announces everything anew.
    pub(crate) fn set_rules(&self, rules: AccessRules) -> Result<(), EngineError> {
        self.access.set_rules(rules);
        self.announce_all()
    }

    /// Announces the node and its tools, to those who may see each now. Tools are published and withdrawn meanwhile: each is
    /// announced as it is when its turn comes.
    pub(crate) fn announce_all(&self) -> Result<(), EngineError> {
        self.announce_node()?;
        let keys: Vec<ToolKey> = self.published().tools.keys().cloned().collect();
        for key in keys {
            self.announce_again(&key)?;
        }
        Ok(())
    }

    fn announce_node(&self) -> Result<(), EngineError> {
        let _announcing = self.announcing();
        let row = self.access.capabilities().to_value().to_text();
        let everybody: Audience = {
            let access = Arc::clone(&self.access);
            Arc::new(move |who| access.admits_node(who))
        };
        self.engine
            .announce(RowKey::Node, Arc::from(row.into_bytes()), everybody)
    }

    /// Announces a tool, unless it was withdrawn.
    fn announce_again(&self, key: &ToolKey) -> Result<(), EngineError> {
        let _announcing = self.announcing();
        let row = {
            let published = self.published();
            published
                .tools
                .get(key)
                .map(|announced| Arc::clone(&announced.row))
        };
        row.map_or(Ok(()), |row| {
            let audience = self.access.audience(&key.tool_id);
            self.engine.announce(RowKey::from(key), row, audience)
        })
    }

    /// Held while something is announced or taken back, from the look at what is published until the engine is told: others are
    /// told of changes in the order in which they were made.
    fn announcing(&self) -> MutexGuard<'_, ()> {
        self.announcing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Access {
    fn audience(self: &Arc<Self>, tool_id: &str) -> Audience {
        let (access, tool_id) = (Arc::clone(self), tool_id.to_owned());
        Arc::new(move |who| access.shows(&Asker::node(who), &tool_id))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, Weak};

    use toolmesh_json::Value;

    use super::*;
    use crate::{
        Mesh, MeshBuilder,
        engine::{Engine, Hooked, Identity, MemoryNetwork, NodeId},
    };

    async fn mesh_on(engine: &Arc<Hooked>) -> Mesh {
        MeshBuilder::on(Arc::clone(engine) as _).build().await.unwrap()
    }

    fn serve(mesh: &Mesh, tool_id: &str) -> crate::ToolServeHandle {
        let descriptor = ToolDescriptor::new(tool_id);
        mesh.serve_tool::<Value, Value, _, _>(descriptor, |value| async { Ok(value) })
            .unwrap()
    }

    fn one(network: &MemoryNetwork) -> Arc<Hooked> {
        Arc::new(Hooked::new(network.node(Identity::new(NodeId::new(1), "node-1"))))
    }

    #[tokio::test]
    async fn the_engine_is_told_of_one_change_after_the_other() {
        let engine = one(&MemoryNetwork::new());
        let mesh = mesh_on(&engine).await;
        let told: Arc<Mutex<Vec<bool>>> = Arc::default();
        let (node, telling): (Weak<Node>, _) = (Arc::downgrade(&mesh.node), Arc::clone(&told));
        engine.before_telling(move |_| {
            let is_alone = node.upgrade().unwrap().announcing.try_lock().is_err();
            telling.lock().unwrap().push(is_alone);
        });
        let served = serve(&mesh, "t");
        mesh.announce_capabilities(CapabilitySet::new().tag("a"))
            .await
            .unwrap();
        mesh.set_access(AccessRules::new()).await.unwrap();
        drop(served);
        // The tool, twice the node and the tool, and the tool taken back.
        assert_eq!(*told.lock().unwrap(), [true; 6]);
    }

    #[tokio::test]
    async fn what_changed_while_everything_is_announced_again_is_announced_as_it_is_then() {
        let network = MemoryNetwork::new();
        let engine = one(&network);
        let host = mesh_on(&engine).await;
        let agent = MeshBuilder::on(Arc::new(network.node(Identity::new(NodeId::new(2), "node-2"))))
            .build()
            .await
            .unwrap();
        let served = ["a", "b"].map(|tool_id| serve(&host, tool_id));
        let node = Arc::downgrade(&host.node);
        // When the turn of the first of the two comes, the other is withdrawn.
        let withdraws = {
            let engine = Arc::downgrade(&engine);
            move |row: &RowKey| {
                let (node, engine) = (node.upgrade().unwrap(), engine.upgrade().unwrap());
                let mut published = node.published();
                let other = published.tools.keys().find(|key| RowKey::from(*key) != *row);
                if let (RowKey::Tool { .. }, Some(other)) = (row, other.cloned()) {
                    published.remove(&other);
                    drop(published);
                    engine.inner.withdraw(&RowKey::from(&other));
                }
            }
        };
        engine.before_telling(withdraws);
        host.set_access(AccessRules::new()).await.unwrap();
        engine.before_telling(|_| {});
        assert_eq!(agent.list_tools(None).len(), 1);
        drop(served);
        assert_eq!(agent.list_tools(None), []);
    }
}
