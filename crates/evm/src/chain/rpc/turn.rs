//! The turn of an account: its transactions on one chain are numbered one after the other, whichever source of this
//! process sends them.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use alloy_primitives::Address;

/// How long a node may be behind with counting a transaction that it took. Afterwards its own count is believed: the
/// transaction may have been dropped.
const NODE_LAG: Duration = Duration::from_secs(10);

/// Held from reading the nonce until the node has taken the transaction.
pub(super) type Turn = Arc<tokio::sync::Mutex<Numbering>>;

/// An account, its chain, and the node (scheme, host and port) that counts its transactions.
type Key = (Address, u64, String);

static TURNS: LazyLock<Mutex<HashMap<Key, Weak<tokio::sync::Mutex<Numbering>>>>> =
    LazyLock::new(Mutex::default);

/// The turn of `account`, shared by all who send from it there.
pub(super) fn of(account: Address, chain_id: u64, node: &str) -> Turn {
    let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    turns.retain(|_, turn| turn.strong_count() > 0);
    let key = (account, chain_id, node.to_owned());
    match turns.get(&key).and_then(Weak::upgrade) {
        Some(turn) => turn,
        None => {
            let turn = Turn::default();
            turns.insert(key, Arc::downgrade(&turn));
            turn
        }
    }
}

/// The last nonce that a node took from here.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    last: Option<(u64, Instant)>,
}

impl Numbering {
    /// The next nonce, when the node counts `told` transactions.
    pub(super) fn next(&self, told: u64) -> u64 {
        match self.last {
            Some((last, at)) if at.elapsed() < NODE_LAG => told.max(last.saturating_add(1)),
            _ => told,
        }
    }

    /// The node took a transaction with this nonce, or said that it has one.
    pub(super) fn used(&mut self, nonce: u64) {
        self.last = Some((nonce, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_lags_behind_does_not_make_a_nonce_used_twice() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.next(7), 7);
        numbering.used(7);
        assert_eq!(numbering.next(7), 8);
        assert_eq!(numbering.next(12), 12);
    }

    #[test]
    fn a_transaction_that_was_dropped_leaves_no_gap_for_long() {
        let Some(earlier) = Instant::now().checked_sub(NODE_LAG) else {
            return;
        };
        let numbering = Numbering {
            last: Some((7, earlier)),
        };
        assert_eq!(numbering.next(7), 7);
    }

    #[test]
    fn whoever_sends_from_one_account_shares_its_turn() {
        let (one, other) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let turn = of(one, 1, "http://a");
        assert!(Arc::ptr_eq(&turn, &of(one, 1, "http://a")));
        assert!(!Arc::ptr_eq(&turn, &of(other, 1, "http://a")));
        assert!(!Arc::ptr_eq(&turn, &of(one, 2, "http://a")));
        assert!(!Arc::ptr_eq(&turn, &of(one, 1, "http://b")));
    }
}
