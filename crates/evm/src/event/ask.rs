//! Answers to questions about events: found, decoded, and paged.

use std::time::{Duration, Instant};

use alloy_primitives::Address;
use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::CallContext;

use super::{EventQuestion, Events};
use crate::chain::{Chain, ChainError, LogPage, LogPosition, LogQuery, LogRecord};

/// How many of the latest blocks are looked at when a question names no first block.
pub(crate) const DEFAULT_BLOCKS: u64 = 1_000;

/// The most pages that are asked for to fill one answer: events are picked out of them, and a rare one may be in none.
const MAX_PAGES: usize = 256;

/// How long before its deadline a search ends with what it has, so that the answer still gets out.
const TIME_TO_ANSWER: Duration = Duration::from_secs(10);

/// `{"events", "from_block", "to_block", "next_cursor", "note"}`, the last two only where they say something.
pub(crate) async fn ask(
    chain: &dyn Chain,
    contract: Address,
    events: &Events,
    question: &EventQuestion,
    context: &CallContext,
) -> Result<ObjectBuilder, ChainError> {
    let head = chain.block_number().await?;
    let to_block = question.to_block.unwrap_or(head).min(head);
    let first = question
        .from_block
        .unwrap_or_else(|| to_block.saturating_sub(DEFAULT_BLOCKS - 1));
    let mut search = Search {
        chain,
        contract,
        events,
        question,
        to_block,
        found: Vec::new(),
        kept_from: None,
    };
    let start = question.cursor.unwrap_or(LogPosition::at(first));
    let next = search.run(start, context).await?;
    let note = search
        .kept_from
        .map(|block| format!("The chain keeps logs from block {block} on; earlier ones were not looked at."));
    Ok(Value::object()
        .put("events", search.found.into_iter().collect::<Value>())
        .put("from_block", start.block)
        .put("to_block", to_block)
        .put_opt("next_cursor", next.map(|next| next.to_string()))
        .put_opt("note", note))
}

fn is_late(context: &CallContext) -> bool {
    context
        .deadline()
        .is_some_and(|deadline| Instant::now() + TIME_TO_ANSWER >= deadline)
}

struct Search<'a> {
    chain: &'a dyn Chain,
    contract: Address,
    events: &'a Events,
    question: &'a EventQuestion,
    to_block: u64,
    found: Vec<Value>,
    kept_from: Option<u64>,
}

impl Search<'_> {
    /// Searches until the answer is full or the range is over; where the rest begins.
    async fn run(
        &mut self,
        start: LogPosition,
        context: &CallContext,
    ) -> Result<Option<LogPosition>, ChainError> {
        let mut from = start;
        for _ in 0..MAX_PAGES {
            if from.block > self.to_block {
                return Ok(None);
            }
            let page = self.page(from).await?;
            self.kept_from = self.kept_from.or(page.kept_from);
            let next = page.next;
            self.take(page.logs);
            match next {
                None => return Ok(None),
                Some(next) if self.found.len() >= self.question.limit => return Ok(Some(next)),
                Some(next) => from = next,
            }
            if is_late(context) {
                break;
            }
            context
                .progress(
                    self.part_done(start, from),
                    Some(format!("logs up to block {}", from.block)),
                )
                .await;
        }
        Ok(Some(from))
    }

    async fn page(&self, from: LogPosition) -> Result<LogPage, ChainError> {
        let query = LogQuery {
            address: self.contract,
            topics: self.question.filter.topics.clone(),
            from,
            to_block: self.to_block,
            limit: self.question.limit - self.found.len(),
        };
        self.chain.logs(query).await
    }

    /// Logs of another shape are no such event: two standards may share a signature.
    fn take(&mut self, logs: Vec<LogRecord>) {
        let decoded = logs.into_iter().filter_map(|record| {
            let filter = &self.question.filter;
            let explained = self.events.as_event(&filter.event, &record.log, self.contract)?;
            Some(placed(explained, &record).build())
        });
        self.found.extend(decoded);
    }

    fn part_done(&self, start: LogPosition, at: LogPosition) -> f64 {
        let all = self.to_block.saturating_sub(start.block).max(1);
        let done = at.block.saturating_sub(start.block).min(all);
        // In millionths, so that each of the pages moves it.
        let millionths = done.saturating_mul(1_000_000) / all;
        f64::from(u32::try_from(millionths).unwrap_or(1_000_000)) / 10_000.0
    }
}

/// A decoded log with its place in the chain.
pub(crate) fn placed(explained: ObjectBuilder, record: &LogRecord) -> ObjectBuilder {
    explained
        .put("block_number", record.block_number)
        .put("transaction_hash", record.transaction_hash.to_string())
        .put("log_index", record.log_index)
}
