//! What changes in the list of tools, one text after the other.

use futures_util::StreamExt;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use toolmesh::mesh::ToolListWatch;

/// The changes of the list of tools. They end when the node leaves the mesh, or with [`Changes::cancel`].
#[derive(Debug)]
pub struct Changes {
    watch: Mutex<ToolListWatch>,
    ended: CancellationToken,
}

impl Changes {
    pub(crate) fn new(watch: ToolListWatch) -> Self {
        Self {
            watch: Mutex::new(watch),
            ended: CancellationToken::new(),
        }
    }

    /// The next change as JSON, tagged by `type`; `None` after the last.
    pub async fn next(&self) -> Option<String> {
        let read = async {
            let change = self.watch.lock().await.next().await?;
            Some(change.to_value().to_text())
        };
        tokio::select! {
            biased;
            () = self.ended.cancelled() => None,
            change = read => change,
        }
    }

    /// Ends the watch; who waits for a change is told.
    pub fn cancel(&self) {
        self.ended.cancel();
    }
}
