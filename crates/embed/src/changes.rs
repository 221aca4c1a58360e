//! What changes in the list of tools, one text after the other.

use tokio_util::sync::CancellationToken;
use toolmesh::mesh::{ToolListChange, ToolListWatch};

use crate::reading::Reading;

/// The changes of the list of tools. They end when the node leaves the mesh, or with [`Changes::cancel`].
#[derive(Debug)]
pub struct Changes {
    reading: Reading<ToolListWatch>,
    ended: CancellationToken,
}

impl Changes {
    pub(crate) fn new(watch: ToolListWatch) -> Self {
        Self {
            reading: Reading::new(watch),
            ended: CancellationToken::new(),
        }
    }

    /// The next change as JSON, tagged by `type`; `None` after the last.
    pub async fn next(&self) -> Option<String> {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => None,
            change = self.reading.next() => told(change),
        }
    }

    /// Ends when there is something for [`Changes::take`]. Whoever stops waiting loses nothing, also where the end of the
    /// wait and the change cross on their way.
    pub async fn ready(&self) {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => {}
            () = self.reading.ready() => {}
        }
    }

    /// What [`Changes::next`] gives, when it is there: without waiting.
    pub fn take(&self) -> Option<Option<String>> {
        if self.ended.is_cancelled() {
            return Some(None);
        }
        self.reading.take().map(told)
    }

    /// Ends the watch; who waits for a change is told.
    pub fn cancel(&self) {
        self.ended.cancel();
    }
}

fn told(change: Option<ToolListChange>) -> Option<String> {
    change.map(|change| change.to_value().to_text())
}
