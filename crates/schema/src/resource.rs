//! Schema resources: the parts of a document with a URI of their own, and the names in them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::program::{LinkedResource, NodeId, Program};

/// The index of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourceId(u32);

impl ResourceId {
    /// The root of the compiled document.
    pub(crate) const MAIN: ResourceId = ResourceId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a plain-name fragment leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) node: NodeId,
    pub(crate) dynamic: bool,
}

/// A document's root, or a schema with an `$id` inside a document.
pub(crate) struct Resource {
    pub(crate) root: NodeId,
    /// What relative references are resolved against; empty when nobody said.
    pub(crate) base: Arc<str>,
    pub(crate) dialect: Dialect,
    /// The URI of the document, if it is not the compiled document itself.
    pub(crate) document: Option<Arc<str>>,
    pub(crate) anchors: HashMap<Box<str>, Anchor>,
}

/// The resources of one compilation.
#[derive(Default)]
pub(crate) struct Resources {
    list: Vec<Resource>,
    by_uri: HashMap<Arc<str>, ResourceId>,
    anchors: usize,
}

impl Resources {
    /// Adds a resource. It is found by its URI only once it is named.
    pub(crate) fn add(&mut self, resource: Resource) -> ResourceId {
        let id = ResourceId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(resource);
        id
    }

    /// Lets a resource be found by a URI; false when another one has it.
    pub(crate) fn name(&mut self, uri: Arc<str>, id: ResourceId) -> bool {
        *self.by_uri.entry(uri).or_insert(id) == id
    }

    pub(crate) fn find(&self, uri: &str) -> Option<ResourceId> {
        self.by_uri.get(uri).copied()
    }

    pub(crate) fn get(&self, id: ResourceId) -> Option<&Resource> {
        self.list.get(id.index())
    }

    pub(crate) fn get_mut(&mut self, id: ResourceId) -> Option<&mut Resource> {
        self.list.get_mut(id.index())
    }

    /// Where a resource begins; the compiled document's root for one that is not there.
    pub(crate) fn root(&self, id: ResourceId) -> NodeId {
        self.get(id).map_or(Program::ROOT, |resource| resource.root)
    }

    pub(crate) fn anchor(&self, id: ResourceId, name: &str) -> Option<Anchor> {
        self.get(id)?.anchors.get(name).copied()
    }

    /// Anchors of all resources together.
    pub(crate) fn anchor_count(&self) -> usize {
        self.anchors
    }

    /// Names a schema in its resource; false when another schema has the name.
    pub(crate) fn add_anchor(&mut self, id: ResourceId, name: &str, anchor: Anchor) -> bool {
        let Some(resource) = self.list.get_mut(id.index()) else {
            return false;
        };
        match resource.anchors.get_mut(name) {
            None => {
                resource.anchors.insert(name.into(), anchor);
                self.anchors += 1;
                true
            }
            Some(known) if known.node == anchor.node => {
                known.dynamic |= anchor.dynamic;
                true
            }
            Some(_) => false,
        }
    }

    /// What evaluation has to know.
    pub(crate) fn link(self) -> Vec<LinkedResource> {
        let link = |resource: Resource| LinkedResource {
            document: resource.document,
            dynamic_anchors: resource
                .anchors
                .into_iter()
                .filter(|(_, anchor)| anchor.dynamic)
                .map(|(name, anchor)| (Arc::from(name), anchor.node))
                .collect(),
        };
        self.list.into_iter().map(link).collect()
    }
}
