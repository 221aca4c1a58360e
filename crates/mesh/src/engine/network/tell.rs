//! What nodes announce: to each of those that may see it, and from them.

use std::sync::Arc;

use super::{
    Address,
    peer::Met,
    state::{Network, Row},
};
use crate::engine::{Audience, EngineError, Presence, RowKey};

impl Network {
    pub(super) fn announce(
        &self,
        key: RowKey,
        bytes: Arc<[u8]>,
        audience: Audience,
    ) -> Result<(), EngineError> {
        let mut told = self.told();
        let row = Row { bytes, audience };
        let everybody = {
            let mut state = self.state();
            if state.is_closed {
                return Err(EngineError::Closed);
            }
            state.rows.insert(key.clone(), row.clone());
            state.everybody()
        };
        for (address, met) in everybody {
            met.tell(&key, &row, told.entry(address).or_default());
        }
        self.presence(&self.identity, Presence::Put(key, row.bytes));
        Ok(())
    }

    pub(super) fn withdraw(&self, key: &RowKey) {
        let mut told = self.told();
        let everybody = {
            let mut state = self.state();
            if state.is_closed || state.rows.remove(key).is_none() {
                return;
            }
            state.everybody()
        };
        for (address, met) in everybody {
            met.take_back(key, told.entry(address).or_default());
        }
        self.presence(&self.identity, Presence::Gone(key.clone()));
    }

    /// Another node told something of itself.
    pub(super) fn heard(&self, from: Address, met: &Arc<Met>, change: Presence) {
        let _in_order = self.told();
        if self.state().is_current(from, met) {
            self.presence(&met.identity, change);
        }
    }
}
