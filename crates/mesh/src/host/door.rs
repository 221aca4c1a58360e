//! Where the engine delivers what comes for this node.

use std::sync::{Arc, Weak};

use super::serve;
use crate::{
    NodeId,
    engine::{Control, Identity, Inbound, Presence, Replies},
    node::Node,
};

/// Delivers to a node as long as it is there.
pub(crate) struct Door(pub(crate) Weak<Node>);

impl Inbound for Door {
    fn request(&self, from: Identity, call: u64, frame: Vec<u8>, replies: Box<dyn Replies>) {
        let Some(node) = self.0.upgrade() else {
            return;
        };
        let runtime = node.runtime.clone();
        let key = (from.node, call);
        match node.running.enter(key, frame.len(), node.closed.child_token()) {
            Some(running) => runtime.spawn(async move {
                let place = node.running.place(key, running);
                serve::serve(&node, &from, call, frame, &place.call, replies.as_ref()).await;
            }),
            // There may be any number of these, so that none of them keeps its request or waits for anything.
            None => runtime.spawn(async move { serve::refuse_busy(&node, &from, replies.as_ref()) }),
        };
    }

    fn control(&self, from: NodeId, call: u64, control: Control) {
        if let Some(node) = self.0.upgrade() {
            node.running.control((from, call), control);
        }
    }

    fn presence(&self, from: &Identity, change: Presence) {
        if let Some(node) = self.0.upgrade() {
            if matches!(change, Presence::NodeGone) {
                node.router.forget(from.node);
                node.breaker.forget(from.node);
                node.running.cancel_all_of(from.node);
            }
            node.fold.apply(from, change);
        }
    }
}

impl Door {
    pub(crate) fn of(node: &Arc<Node>) -> Arc<Self> {
        Arc::new(Self(Arc::downgrade(node)))
    }
}
