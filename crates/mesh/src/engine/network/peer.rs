//! Another node, as one node sees it.

use std::{
    collections::HashSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

use super::{
    channel::{Channel, Salt},
    message::Message,
    outbox::Outbox,
    state::Row,
};
use crate::engine::{Identity, NodeId, RowKey};

/// Most nodes that one node knows at a time; each costs a queue, keys and the names of what it was told.
pub const MAX_NODES: usize = 10_000;

/// How often a node is asked at most who it is, when its texts cannot be opened: whoever can write to the network could
/// otherwise make two nodes greet each other all day.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How soon a node that asks the same again is answered again: half the time after which an honest one asks, so that each of its
/// questions has an answer, however late the one before came.
const ANSWER_AGAIN: Duration = Duration::from_millis(500);

/// Another node.
pub(super) struct Peer {
    pub(super) outbox: Arc<Outbox>,
    /// This node's random number for the meeting.
    pub(super) salt: Salt,
    /// The network says that it is there.
    pub(super) is_seen: bool,
    /// There once the two have met.
    pub(super) met: Option<Arc<Met>>,
    /// There when somebody asked in its name to be met anew: whether it was the node itself, or an old greeting played again,
    /// shows when it sends something.
    pub(super) anew: Option<Anew>,
    /// It has told what it announced before they met, or will not.
    pub(super) has_told: bool,
    /// It has the certificate of this node, which another program with the same one is met as.
    pub(super) waits_for: Option<NodeId>,
    /// That it does not meet this node, or is not met, for another program's sake, has been logged.
    pub(super) is_twin_told: bool,
    asked: Option<Instant>,
    /// The number of its question that was answered last, and when.
    answered: Option<(Salt, Instant)>,
}

/// How a node that is met already would be met anew.
pub(super) struct Anew {
    /// This node's random number for that meeting.
    pub(super) salt: Salt,
    pub(super) met: Arc<Met>,
}

/// A node that this one has met.
pub(super) struct Met {
    pub(super) identity: Identity,
    pub(super) channel: Arc<Channel>,
    pub(super) outbox: Arc<Outbox>,
    /// Its random number for the meeting.
    pub(super) salt: Salt,
    is_gone: AtomicBool,
    /// There when a certificate ends the meeting.
    ends: OnceLock<AbortOnDropHandle<()>>,
}

impl Peer {
    pub(super) fn new(outbox: Arc<Outbox>, salt: Salt) -> Self {
        Self {
            outbox,
            salt,
            is_seen: false,
            met: None,
            anew: None,
            has_told: false,
            waits_for: None,
            is_twin_told: false,
            asked: None,
            answered: None,
        }
    }

    /// Whether it may be asked again who it is.
    pub(super) fn may_ask(&mut self) -> bool {
        may_ask(&mut self.asked, Instant::now())
    }

    /// Notes that its question of this number is answered.
    pub(super) fn answers(&mut self, asked: Salt) {
        self.answered = Some((asked, Instant::now()));
    }

    /// Whether its question of this number was answered only just now, when the answer would be the same.
    pub(super) fn has_just_answered(&self, asked: Salt) -> bool {
        has_just_answered(self.answered, asked, Instant::now())
    }
}

fn has_just_answered(answered: Option<(Salt, Instant)>, asked: Salt, now: Instant) -> bool {
    answered.is_some_and(|(salt, at)| salt == asked && now.saturating_duration_since(at) < ANSWER_AGAIN)
}

fn may_ask(asked: &mut Option<Instant>, now: Instant) -> bool {
    let may = asked.is_none_or(|asked| now.saturating_duration_since(asked) >= ASK_AGAIN);
    if may {
        *asked = Some(now);
    }
    may
}

impl Met {
    pub(super) fn new(identity: Identity, channel: Channel, outbox: &Arc<Outbox>, salt: Salt) -> Self {
        Self {
            identity,
            channel: Arc::new(channel),
            outbox: Arc::clone(outbox),
            salt,
            is_gone: AtomicBool::new(false),
            ends: OnceLock::new(),
        }
    }

    /// Notes what parts from the node when a certificate ends; it ends with this.
    pub(super) fn ends_by(&self, parting: JoinHandle<()>) {
        let set = self.ends.set(AbortOnDropHandle::new(parting));
        debug_assert!(set.is_ok(), "a meeting has one end");
    }

    pub(super) fn leave(&self) {
        self.is_gone.store(true, Ordering::Release);
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }

    pub(super) fn push(&self, message: Message) {
        self.outbox.push(&self.channel, message);
    }

    pub(super) fn offer(&self, message: Message) {
        self.outbox.offer(&self.channel, message);
    }

    pub(super) async fn send(&self, message: Message) {
        self.outbox.send(&self.channel, message).await;
    }

    pub(super) async fn stream(&self, messages: impl Iterator<Item = Message>) {
        self.outbox.stream(&self.channel, messages).await;
    }

    /// Tells it a row that it may see; one that it was told and may see no more is gone for it. Rows that it never saw are
    /// not named to it.
    pub(super) fn tell(&self, key: &RowKey, row: &Row, told: &mut HashSet<RowKey>) {
        if (row.audience)(&self.identity) {
            told.insert(key.clone());
            self.push(Message::Put {
                key: key.clone(),
                row: Arc::clone(&row.bytes),
            });
        } else {
            self.take_back(key, told);
        }
    }

    pub(super) fn take_back(&self, key: &RowKey, told: &mut HashSet<RowKey>) {
        if told.remove(key) {
            self.push(Message::Gone { key: key.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_not_asked_all_the_time_who_it_is() {
        let (mut asked, now) = (None, Instant::now());
        assert!(may_ask(&mut asked, now));
        assert!(!may_ask(&mut asked, now + ASK_AGAIN - Duration::from_millis(1)));
        assert!(may_ask(&mut asked, now + ASK_AGAIN));
    }

    #[test]
    fn the_same_question_is_answered_again_before_an_honest_node_asks_it_again() {
        let now = Instant::now();
        let has = |salt, after| has_just_answered(Some(([1; 16], now)), [salt; 16], now + after);
        assert!(has(1, ANSWER_AGAIN - Duration::from_millis(1)));
        assert!(!has(1, ANSWER_AGAIN));
        assert!(!has(2, Duration::ZERO));
        assert!(!has_just_answered(None, [1; 16], now));
        assert!(ANSWER_AGAIN < ASK_AGAIN);
    }
}
