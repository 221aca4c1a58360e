//! What a contract emitted lately: a bounded buffer that is read from where an earlier reading ended.

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::chain::LogRecord;

/// The most logs that a feed keeps: minutes of the busiest contracts, days of others.
pub(crate) const MAX_FEED_LOGS: usize = 1_024;

/// The most bytes of log data that a feed keeps.
pub(crate) const MAX_FEED_BYTES: usize = 8 << 20;

/// A log that was added to the chain, or taken out of it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeedEntry {
    number: u64,
    pub(crate) record: Arc<LogRecord>,
    /// The block of the log is no longer in the chain.
    pub(crate) removed: bool,
}

impl FeedEntry {
    fn bytes(&self) -> usize {
        self.record.log.data.data.len()
    }
}

/// A buffer of the latest logs. Each reading names where it ended, and the next goes on there.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Tells the cursors of this run from those of another, or from before something was missed.
    run: String,
    entries: VecDeque<FeedEntry>,
    bytes: usize,
    /// How many entries there ever were: the number of the next one.
    next: u64,
}

/// What followed a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeedPage {
    pub(crate) entries: Vec<FeedEntry>,
    /// Where the next reading goes on.
    pub(crate) after: String,
    /// How many logs of the contract were dropped between the cursor and the first that is kept; `None` when the
    /// cursor is of another run, so that nobody knows.
    pub(crate) dropped: Option<u64>,
    /// Whether more is there already.
    pub(crate) more: bool,
}

impl Default for State {
    fn default() -> Self {
        let random = RandomState::new().hash_one("feed");
        Self {
            run: format!("{:08x}", random & 0xffff_ffff),
            entries: VecDeque::new(),
            bytes: 0,
            next: 0,
        }
    }
}

impl State {
    fn cursor(&self, number: u64) -> String {
        format!("{}-{number}", self.run)
    }

    fn number(&self, cursor: &str) -> Option<u64> {
        let (run, number) = cursor.split_once('-')?;
        if run != self.run {
            return None;
        }
        number.parse().ok()
    }
}

impl Feed {
    /// The cursor behind everything that there is.
    pub(crate) fn end(&self) -> String {
        let state = self.state();
        state.cursor(state.next)
    }

    /// Forgets everything: logs were missed, and cursors from before are of another run.
    pub(crate) fn restart(&self) {
        *self.state() = State::default();
    }

    pub(crate) fn push(&self, record: Arc<LogRecord>, removed: bool) {
        let mut state = self.state();
        let entry = FeedEntry {
            number: state.next,
            record,
            removed,
        };
        state.next += 1;
        state.bytes += entry.bytes();
        state.entries.push_back(entry);
        while state.entries.len() > MAX_FEED_LOGS || (state.bytes > MAX_FEED_BYTES && state.entries.len() > 1)
        {
            let freed = state.entries.pop_front().map_or(0, |oldest| oldest.bytes());
            state.bytes -= freed;
        }
    }

    /// The logs that are in the chain, as far as they are kept, of blocks from `block` on.
    pub(crate) fn standing(&self, block: u64) -> Vec<Arc<LogRecord>> {
        let state = self.state();
        let mut standing: Vec<Arc<LogRecord>> = Vec::new();
        for entry in state
            .entries
            .iter()
            .filter(|entry| entry.record.block_number >= block)
        {
            if entry.removed {
                standing.retain(|record| *record != entry.record);
            } else {
                standing.push(Arc::clone(&entry.record));
            }
        }
        standing
    }

    /// At most `limit` of the entries behind `after` that `wants` them; a cursor that is none is one of another run.
    pub(crate) fn since(&self, after: &str, limit: usize, wants: impl Fn(&LogRecord) -> bool) -> FeedPage {
        let state = self.state();
        let oldest = state.next - u64::try_from(state.entries.len()).unwrap_or(state.next);
        let asked = state.number(after).filter(|number| *number <= state.next);
        let from = asked.unwrap_or(oldest);
        let mut page = FeedPage {
            entries: Vec::new(),
            after: state.cursor(state.next),
            dropped: asked.map(|number| oldest.saturating_sub(number)),
            more: false,
        };
        let wanted = state
            .entries
            .iter()
            .filter(|entry| entry.number >= from && wants(&entry.record));
        for entry in wanted {
            if page.entries.len() == limit {
                page.more = true;
                page.after = state.cursor(entry.number);
                break;
            }
            page.entries.push(entry.clone());
        }
        page
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::{Address, B256, Bytes, Log};

    fn record(block_number: u64, data: usize) -> Arc<LogRecord> {
        Arc::new(LogRecord {
            log: Log::new_unchecked(Address::ZERO, vec![], Bytes::from(vec![0; data])),
            block_number,
            block_hash: B256::ZERO,
            transaction_hash: B256::ZERO,
            log_index: 0,
        })
    }

    fn blocks(page: &FeedPage) -> Vec<u64> {
        page.entries
            .iter()
            .map(|entry| entry.record.block_number)
            .collect()
    }

    #[test]
    fn a_reading_goes_on_where_the_last_one_ended() {
        let feed = Feed::default();
        let start = feed.end();
        for block in 1..=5 {
            feed.push(record(block, 0), false);
        }
        let first = feed.since(&start, 2, |_| true);
        assert_eq!((blocks(&first), first.more), (vec![1, 2], true));
        let second = feed.since(&first.after, 9, |record| record.block_number != 4);
        assert_eq!((blocks(&second), second.more), (vec![3, 5], false));
        let third = feed.since(&second.after, 9, |_| true);
        assert_eq!((blocks(&third), third.dropped), (vec![], Some(0)));
    }

    #[test]
    fn a_feed_keeps_as_many_logs_as_the_limit_and_says_how_many_it_dropped() {
        let feed = Feed::default();
        let start = feed.end();
        for block in 0..MAX_FEED_LOGS {
            feed.push(record(u64::try_from(block).unwrap(), 0), false);
        }
        let all = feed.since(&start, usize::MAX, |_| true);
        assert_eq!((all.entries.len(), all.dropped), (MAX_FEED_LOGS, Some(0)));
        feed.push(record(0, 0), false);
        let rest = feed.since(&start, usize::MAX, |_| true);
        assert_eq!((rest.entries.len(), rest.dropped), (MAX_FEED_LOGS, Some(1)));
    }

    #[test]
    fn a_feed_keeps_as_many_bytes_as_the_limit_and_not_one_more() {
        let feed = Feed::default();
        let start = feed.end();
        feed.push(record(1, MAX_FEED_BYTES - 1), false);
        feed.push(record(2, 1), false);
        assert_eq!(feed.since(&start, 9, |_| true).dropped, Some(0));
        feed.push(record(3, 1), false);
        assert_eq!(blocks(&feed.since(&start, 9, |_| true)), [2, 3]);
    }

    #[test]
    fn a_cursor_of_another_run_gets_what_is_kept_and_is_told_that_nobody_knows_the_rest() {
        let feed = Feed::default();
        feed.push(record(1, 0), false);
        for cursor in ["00000000-0", "x", "", &format!("{}9", feed.end())] {
            let page = feed.since(cursor, 9, |_| true);
            assert_eq!((blocks(&page), page.dropped), (vec![1], None), "{cursor}");
        }
    }

    #[test]
    fn a_log_that_was_removed_does_not_stand() {
        let feed = Feed::default();
        feed.push(record(1, 0), false);
        feed.push(record(2, 0), false);
        feed.push(record(2, 0), true);
        assert_eq!(feed.standing(0), [record(1, 0)]);
        assert_eq!(feed.standing(2), []);
    }
}
