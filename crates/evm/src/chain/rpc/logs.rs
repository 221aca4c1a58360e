//! Logs, asked for in ranges of blocks that the node answers.
//!
//! Every provider has limits of its own on blocks, on logs and on time, and few say which. So the whole range is asked
//! for first; a refusal that speaks of a limit makes the range smaller (to what the node suggests, else by half), a
//! full answer makes the next one larger again. What worked is remembered for the next query. Blocks that are not there
//! yet have no logs, although nodes call a range of them an error.

use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::{B256, Log};
use serde_json::{Value, json};

use super::{answer::LogEntry, fault::Fault, node::Node};
use crate::chain::{ChainError, LogPage, LogPosition, LogQuery, LogRecord};

/// How nodes say that a range or its answer is too large. Codes do not tell: the same ones stand for other failures.
const TOO_MUCH: [&str; 13] = [
    "range",
    "limit",
    "too large",
    "too many",
    "more than",
    "exceed",
    "timeout",
    "timed out",
    "query returned",
    "response size",
    "maximum",
    "up to a",
    "block spread",
];

/// The codes with which nodes say the same without words that are known.
const TOO_MUCH_CODES: [i64; 4] = [-32005, -32614, 35, -32012];

/// How nodes say that they were asked too often, some with a code of the list above: asking for less does not help.
const TOO_OFTEN: [&str; 7] = [
    "rate limit",
    "request rate",
    "per second",
    "too many requests",
    "compute units",
    "credits",
    "capacity",
];

/// The most requests for one page: a range that needs more is continued by the next page, so that whoever asks can tell
/// how far it is, and stop. Of a node that takes seconds for each, these are as many as fit before it is late.
const MAX_REQUESTS: usize = 8;

/// How many blocks a node answered at once, as far as is known.
#[derive(Debug)]
pub(super) struct Window(AtomicU64);

impl Default for Window {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

/// A page of logs.
pub(super) async fn find(node: &Node, window: &Window, query: &LogQuery) -> Result<LogPage, ChainError> {
    let mut scan = Scan {
        node,
        window,
        query,
        logs: Vec::new(),
        from: query.from.block,
        last: query.to_block,
        is_within_head: false,
        blocks: window.0.load(Ordering::Relaxed),
        refused: u64::MAX,
    };
    for _ in 0..MAX_REQUESTS {
        if scan.from > scan.last {
            return Ok(LogPage::all(scan.logs));
        }
        scan.step().await?;
        if scan.logs.len() > query.limit {
            return Ok(LogPage::cut(scan.logs, query.limit));
        }
    }
    Ok(LogPage {
        logs: scan.logs,
        next: Some(LogPosition::at(scan.from)),
        kept_from: None,
    })
}

/// A search that is under way.
struct Scan<'a> {
    node: &'a Node,
    window: &'a Window,
    query: &'a LogQuery,
    /// What was found so far.
    logs: Vec<LogRecord>,
    /// The first block that was not searched, and the last that is to be.
    from: u64,
    last: u64,
    /// Whether `last` is known to be a block that is there.
    is_within_head: bool,
    /// How many blocks are asked for at once, and how many were too many.
    blocks: u64,
    refused: u64,
}

impl Scan<'_> {
    /// One request; what it does not find out, a later one does.
    async fn step(&mut self) -> Result<(), ChainError> {
        let to = self.from.saturating_add(self.blocks - 1).min(self.last);
        match part(self.node, self.query, self.from, to).await {
            Ok(found) => {
                self.answered(found, to);
                Ok(())
            }
            Err(fault) => self.refused(fault, to).await,
        }
    }

    fn answered(&mut self, found: Vec<LogEntry>, to: u64) {
        self.logs.extend(wanted(found, self.query));
        self.window.0.store(self.blocks, Ordering::Relaxed);
        // What was refused once is not tried again.
        self.blocks = Some(self.blocks.saturating_mul(2))
            .filter(|more| *more < self.refused)
            .unwrap_or(self.blocks);
        self.from = to.saturating_add(1);
    }

    async fn refused(&mut self, fault: Fault, to: u64) -> Result<(), ChainError> {
        if matches!(fault, Fault::Answer { .. }) && !self.is_within_head {
            self.is_within_head = true;
            self.last = self.last.min(self.node.block_number().await?);
            if self.last < to {
                return Ok(());
            }
        }
        if self.from >= to || !is_too_much(&fault) {
            return Err(self.node.error(fault));
        }
        self.refused = to - self.from + 1;
        self.blocks = smaller(&fault, self.from, to);
        self.window.0.store(self.blocks, Ordering::Relaxed);
        Ok(())
    }
}

async fn part(node: &Node, query: &LogQuery, from: u64, to: u64) -> Result<Vec<LogEntry>, Fault> {
    let filter = json!({
        "address": query.address,
        "topics": topics(&query.topics),
        "fromBlock": format!("{from:#x}"),
        "toBlock": format!("{to:#x}"),
    });
    node.ask("eth_getLogs", &json!([filter])).await
}

/// `null` for any value, an array for one of several; nothing behind the last that matters.
fn topics(topics: &[Vec<B256>; 4]) -> Vec<Value> {
    let used = topics.iter().rposition(|values| !values.is_empty());
    topics
        .iter()
        .take(used.map_or(0, |place| place + 1))
        .map(|values| {
            if values.is_empty() {
                Value::Null
            } else {
                json!(values)
            }
        })
        .collect()
}

/// The logs of an answer that have a place in the chain, in order, behind where the query begins.
fn wanted(found: Vec<LogEntry>, query: &LogQuery) -> Vec<LogRecord> {
    let mut records: Vec<LogRecord> = found.into_iter().filter_map(record).collect();
    records.sort_by_key(|record| (record.block_number, record.log_index));
    records.retain(|record| query.from.is_before(record.block_number, record.log_index));
    records
}

fn record(entry: LogEntry) -> Option<LogRecord> {
    Some(LogRecord {
        block_number: entry.block_number?.to(),
        block_hash: entry.block_hash?,
        transaction_hash: entry.transaction_hash?,
        log_index: entry.log_index?.to(),
        log: Log::new_unchecked(entry.address, entry.topics, entry.data),
    })
}

fn is_too_much(fault: &Fault) -> bool {
    match fault {
        Fault::TooLarge { .. } => true,
        Fault::Answer { code, .. } => {
            !fault.says(&TOO_OFTEN) && (TOO_MUCH_CODES.contains(code) || fault.says(&TOO_MUCH))
        }
        Fault::Transport { reason, .. } => {
            // Gateways refuse or give up by status: 413 for a size, 504 and silence for a time.
            ["413", "504", "no answer"]
                .iter()
                .any(|word| reason.contains(word))
        }
    }
}

/// A smaller number of blocks than `from..=to`: what the node suggests, else half.
fn smaller(fault: &Fault, from: u64, to: u64) -> u64 {
    let asked = to - from + 1;
    suggested(fault)
        .filter(|blocks| (1..asked).contains(blocks))
        .unwrap_or(asked / 2)
        .max(1)
}

/// The number of blocks in a suggestion like `this block range should work: [0x1, 0x10]`.
fn suggested(fault: &Fault) -> Option<u64> {
    let Fault::Answer { message, .. } = fault else {
        return None;
    };
    let (_, behind) = message.rsplit_once('[')?;
    let (range, _) = behind.split_once(']')?;
    let (first, last) = range.split_once(',')?;
    let number = |text: &str| u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    number(last)?.checked_sub(number(first)?)?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: i64, message: &str) -> Fault {
        Fault::Answer {
            code,
            message: message.to_owned(),
            data: None,
            passing: false,
        }
    }

    #[test]
    fn every_provider_s_words_for_too_much_are_understood() {
        for (code, message) in [
            (-32005, "query returned more than 10000 results"),
            (
                -32602,
                "Log response size exceeded. this block range should work: [0x1, 0x10]",
            ),
            (
                -32600,
                "You can make eth_getLogs requests with up to a 500 block range.",
            ),
            (-32614, "eth_getLogs is limited to a 10,000 range"),
            (35, "ranges over 10000 blocks are not supported on freetier"),
            (-32000, "block range is too wide"),
            (-32000, "exceed maximum block range: 5000"),
            (-32000, "One of the blocks specified in filter is too many blocks"),
        ] {
            assert!(is_too_much(&answer(code, message)), "{message}");
        }
        assert!(is_too_much(&Fault::TooLarge { limit: 1 }));
        assert!(!is_too_much(&answer(-32602, "invalid address")));
        assert!(!is_too_much(&answer(
            -32601,
            "the method eth_getLogs does not exist"
        )));
    }

    #[test]
    fn a_suggested_range_is_taken_and_else_half() {
        let suggestion = answer(-32602, "this block range should work: [0x64, 0x6d]");
        assert_eq!(smaller(&suggestion, 100, 199), 10);
        assert_eq!(smaller(&suggestion, 100, 104), 2);
        assert_eq!(smaller(&answer(-32005, "too many"), 100, 199), 50);
        assert_eq!(smaller(&answer(-32005, "too many"), 100, 101), 1);
    }

    #[test]
    fn topics_end_with_the_last_that_matters() {
        let one = vec![B256::ZERO];
        assert_eq!(topics(&Default::default()), Vec::<Value>::new());
        let given = topics(&[one.clone(), vec![], one, vec![]]);
        assert_eq!(given.len(), 3);
        assert_eq!(given[1], Value::Null);
    }
}
