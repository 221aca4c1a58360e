//! Watching the list of tools.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::{
    TagMatcher, ToolListChange,
    difference::{LOOK_PAUSE, difference},
    node::Node,
};

/// Changes that wait for a slow reader; the next look waits with them, and then tells what is different by then. So nothing
/// is lost, however slow the reader.
const QUEUE: usize = 256;

/// The changes of the list of tools, as a stream. A slow reader sees several changes of one tool as one. It ends when the
/// node leaves the mesh.
#[derive(Debug)]
pub struct ToolListWatch {
    changes: mpsc::Receiver<ToolListChange>,
    wants_edits: bool,
}

impl ToolListWatch {
    pub(super) fn new(node: &Arc<Node>, matcher: Option<TagMatcher>, interval: Option<Duration>) -> Self {
        let (sender, changes) = mpsc::channel(QUEUE);
        let mut generations = node.fold.changes();
        generations.mark_unchanged();
        let mut seen = node.list(matcher.as_ref());
        let (weak, closed) = (Arc::downgrade(node), node.closed.clone());
        node.runtime.spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    () = closed.cancelled() => return,
                    () = sender.closed() => return,
                    changed = generations.changed() => if changed.is_err() { return },
                }
                let Some(node) = weak.upgrade() else {
                    return;
                };
                let now = node.list(matcher.as_ref());
                drop(node);
                for change in difference(&seen, &now) {
                    if sender.send(change).await.is_err() {
                        return;
                    }
                }
                seen = now;
                tokio::time::sleep(interval.unwrap_or(LOOK_PAUSE)).await;
            }
        });
        Self {
            changes,
            wants_edits: true,
        }
    }

    /// Leaves out [`ToolListChange::Changed`], which other programs of the tool mesh do not know.
    #[must_use]
    pub fn compatible(mut self) -> Self {
        self.wants_edits = false;
        self
    }

    /// Ends the watch; what was seen before is still told.
    pub fn cancel(&mut self) {
        self.changes.close();
    }
}

impl Stream for ToolListWatch {
    type Item = ToolListChange;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.changes.poll_recv(context) {
                Poll::Ready(Some(ToolListChange::Changed(_))) if !self.wants_edits => {}
                told => return told,
            }
        }
    }
}
