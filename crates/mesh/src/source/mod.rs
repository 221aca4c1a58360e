//! The mesh as a source: tools of other nodes in a toolbox of this program, and through it at every front.

mod follow;
mod outcome;
mod patience;
mod remote;

use std::sync::Arc;

use toolmesh_tool::{BoxFuture, Mount, Source, SourceError};

use crate::Mesh;

/// The tools of other nodes as a source: it mounts those that the node sees, and follows what comes and goes. A call of one
/// goes on to a node that serves it, with deadline, cancellation, idempotency key and trace; events come back as the host made
/// them. Tools from here are never published on the mesh again.
///
/// A tool that cannot be offered (a schema that this library refuses, a price) is left out and told in the log.
#[derive(Debug, Clone)]
pub struct MeshSource {
    mesh: Mesh,
    name: String,
}

impl Mesh {
    /// The tools of other nodes as a source of this name. Make it before it is mounted: the name says what not to publish.
    #[must_use]
    pub fn source(&self, name: impl Into<String>) -> MeshSource {
        let name = name.into();
        self.node.published().from_mesh.insert(name.clone());
        MeshSource {
            mesh: self.clone(),
            name,
        }
    }
}

impl Source for MeshSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            let changes = self.mesh.node.fold.changes();
            let mut offer = follow::Offer::new(Arc::downgrade(&self.mesh.node), mount);
            offer.start(&self.mesh.node).await;
            self.mesh.node.runtime.spawn(offer.follow(changes));
            Ok(())
        })
    }
}
