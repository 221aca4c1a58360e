//! Ranges of blocks that a node does not answer at once, or at all.

use std::sync::Arc;

use alloy_primitives::{Address, address};
use serde_json::{Value, json};
use toolmesh_evm::chain::{Chain, LogPosition, LogQuery, RpcChain, SandboxChain};
use toolmesh_testkit::Anvil;

use crate::anvil::writable;
use crate::faulty_node::{Node, Reply};

pub(crate) const CONTRACT: Address = address!("0x00000000000000000000000000000000000000aa");

fn everything(to_block: u64, limit: usize) -> LogQuery {
    LogQuery {
        address: CONTRACT,
        topics: Default::default(),
        from: LogPosition::at(0),
        to_block,
        limit,
    }
}

/// The first and the last block that a question is about.
fn asked_range(parameters: &Value) -> (u64, u64) {
    let number = |name: &str| {
        let text = parameters[0][name].as_str().unwrap();
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    };
    (number("fromBlock"), number("toBlock"))
}

/// A node of 100 blocks that answers at most `most` of them at once, with one log in each tenth block.
pub(crate) async fn limited(most: u64, refusal: impl Fn() -> Reply + Send + Sync + 'static) -> Node {
    Node::start_with_parameters(move |method, parameters| {
        match method {
            "eth_getLogs" => {}
            "eth_blockNumber" => return Some(Reply::Result(json!("0x63"))),
            _ => return None,
        }
        let (from, to) = asked_range(parameters);
        if to - from + 1 > most {
            return Some(refusal());
        }
        let word = format!("0x{}", "0".repeat(64));
        let logs: Vec<_> = (from..=to)
            .filter(|block| block % 10 == 0)
            .map(|block| {
                json!({"address": CONTRACT, "topics": [word], "data": "0x", "blockNumber": format!("{block:#x}"),
                       "blockHash": word, "transactionHash": word, "logIndex": "0x0"})
            })
            .collect();
        Some(Reply::Result(json!(logs)))
    })
    .await
}

/// A node that says that a range is too wide.
pub(crate) fn too_wide() -> Reply {
    Reply::Error(-32_000, "block range is too wide")
}

fn tenths() -> Vec<u64> {
    (0..10).map(|tenth| tenth * 10).collect()
}

/// The blocks in which logs were found, over all pages.
async fn found(chain: &dyn Chain, mut query: LogQuery) -> Vec<u64> {
    let mut blocks = Vec::new();
    loop {
        let page = chain.logs(query.clone()).await.unwrap();
        blocks.extend(page.logs.iter().map(|record| record.block_number));
        match page.next {
            Some(next) => query.from = next,
            None => return blocks,
        }
    }
}

/// Case 27: every provider's words, codes and statuses.
#[tokio::test]
async fn a_range_that_a_node_refuses_is_asked_for_in_parts_and_nothing_is_missed() {
    let refusals: [fn() -> Reply; 11] = [
        too_wide,
        || Reply::Error(-32_005, "query returned more than 10000 results"),
        || {
            Reply::Error(
                -32_600,
                "You can make eth_getLogs requests with up to a 7 block range.",
            )
        },
        || Reply::Error(-32_602, "Log response size exceeded."),
        || Reply::Error(-32_602, "query exceeds limit"),
        || Reply::Error(-32_614, "eth_getLogs is limited to a 7 range"),
        || Reply::Error(35, "ranges over 7 blocks are not supported on freetier"),
        || Reply::Error(-32_614, "no"),
        || Reply::Status(413, "request entity too large"),
        || {
            Reply::Status(
                400,
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"block range limit"}}"#,
            )
        },
        || Reply::Error(-32_000, "the response is too large"),
    ];
    for (place, refusal) in refusals.into_iter().enumerate() {
        let chain = limited(7, refusal).await.connected().await;
        assert_eq!(
            found(&chain, everything(99, 1_000)).await,
            tenths(),
            "refusal {place}"
        );
    }
}

/// Case 27: the range that a node says it would answer is the next that it is asked for.
#[tokio::test]
async fn a_range_that_a_node_suggests_is_asked_for_next() {
    let refusal = || {
        let message = "Log response size exceeded. Based on your parameters and the response size limit, this block range should work: [0x0, 0x8]";
        Reply::Error(-32_602, message)
    };
    let node = limited(9, refusal).await;
    let chain = node.connected().await;
    assert_eq!(found(&chain, everything(99, 1_000)).await, tenths());
    let asked = node.parameters("eth_getLogs");
    assert_eq!(asked.first().map(asked_range), Some((0, 99)));
    assert_eq!(asked.get(1).map(asked_range), Some((0, 8)));
}

/// Case 27: a node that was asked too often did not say that the range is too large.
#[tokio::test]
async fn a_node_that_was_asked_too_often_is_not_asked_for_less() {
    let node = limited(7, || {
        Reply::Error(-32_005, "request rate limit of 10 per second exceeded")
    })
    .await;
    let refused = node.connected().await.logs(everything(99, 1_000)).await;
    assert!(refused.is_err(), "{refused:?}");
    for parameters in node.parameters("eth_getLogs") {
        assert_eq!(asked_range(&parameters), (0, 99));
    }
}

/// Case 27: a real node calls both of these an error; here they are ranges without a log.
#[tokio::test]
async fn a_range_that_begins_behind_the_head_or_behind_its_end_has_no_logs() {
    let anvil = Anvil::start();
    let chains: [Arc<dyn Chain>; 2] = [Arc::new(SandboxChain::new()), Arc::new(writable(&anvil).await)];
    for chain in chains {
        let head = chain.block_number().await.unwrap();
        for (from, to) in [(head + 5, head + 9), (head + 5, head), (9, 3)] {
            let query = LogQuery {
                from: LogPosition::at(from),
                ..everything(to, 10)
            };
            let page = chain.logs(query).await.unwrap();
            assert!(
                page.logs.is_empty() && page.next.is_none(),
                "{from}..{to}: {page:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_page_of_logs_ends_where_it_is_full_and_goes_on_there() {
    let chain = limited(1_000, too_wide).await.connected().await;
    assert_eq!(found(&chain, everything(99, 4)).await, tenths());
}

#[tokio::test]
async fn a_refusal_of_another_kind_is_told() {
    let node = Node::start(|method, _| {
        (method == "eth_getLogs").then_some(Reply::Error(-32_601, "the method does not exist"))
    })
    .await;
    let chain: RpcChain = node.connected().await;
    assert!(chain.logs(everything(16, 4)).await.is_err());
    assert_eq!(node.count("eth_getLogs"), 1);
}
