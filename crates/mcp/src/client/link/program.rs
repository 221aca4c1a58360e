//! The programs of upstream servers that have not ended yet.

use std::sync::LazyLock;

use tokio::{process::Child, sync::watch};
use tokio_util::sync::CancellationToken;

use crate::client::limits::EXIT_GRACE;

/// How many there are.
static RUNNING: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// Waits until the programs of all upstream servers that this process started have ended: those whose source is gone by
/// themselves, or killed 2 seconds after their input closed; a source that is still there keeps its program, and this waits on.
/// Whoever ends the process or its runtime before leaves programs behind that do not end with their input.
pub async fn programs_ended() {
    // The sender is never dropped.
    let _ = RUNNING.subscribe().wait_for(|running| *running == 0).await;
}

/// One of them; it counts until it is dropped.
pub(super) struct Program(Child);

impl Program {
    pub(super) fn new(child: Child) -> Self {
        RUNNING.send_modify(|running| *running += 1);
        Self(child)
    }

    /// Waits for its end, and sees to it once the connection is given up.
    pub(super) async fn bury(mut self, stop: CancellationToken) {
        tokio::select! {
            _ = self.0.wait() => return,
            () = stop.cancelled() => {}
        }
        if tokio::time::timeout(EXIT_GRACE, self.0.wait()).await.is_err() {
            tracing::warn!("an upstream server did not end with its input; it is killed");
            // What is gone already cannot be killed.
            let _ = self.0.kill().await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        RUNNING.send_modify(|running| *running = running.saturating_sub(1));
    }
}
