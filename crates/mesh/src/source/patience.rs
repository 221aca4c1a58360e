//! How much is asked of each host at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::NodeId;

/// Schemas that are fetched from one host at once: one that never answers holds up its own tools and nobody else's.
const OF_ONE_HOST: usize = 4;

/// Turns of hosts.
#[derive(Debug, Default)]
pub(super) struct Patience(Mutex<HashMap<NodeId, Arc<Semaphore>>>);

impl Patience {
    /// Waits for a turn of the first of the hosts, which is asked first; `None` when there is none.
    pub(super) async fn turn(&self, hosts: &[NodeId]) -> Option<OwnedSemaphorePermit> {
        let host = hosts.first()?;
        let turns = {
            let mut of_host = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Hosts that nobody waits for are forgotten.
            of_host.retain(|_, turns| Arc::strong_count(turns) > 1);
            let turns = of_host.entry(*host);
            Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(OF_ONE_HOST))))
        };
        turns.acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_host_is_asked_for_so_much_at_once_and_another_has_its_own_turn() {
        let patience = Patience::default();
        let (one, two) = ([NodeId::new(1)], [NodeId::new(2)]);
        let mut turns = Vec::new();
        for _ in 0..OF_ONE_HOST {
            turns.push(patience.turn(&one).await.unwrap());
        }
        assert!(patience.turn(&one).now_or_never().is_none());
        assert!(patience.turn(&two).now_or_never().is_some());
        turns.pop();
        assert!(patience.turn(&one).now_or_never().is_some());
    }
}
