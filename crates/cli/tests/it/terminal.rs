//! What a person at a terminal sees while something long goes on.

use std::{thread, time::Duration};

use serde_json::{Value, json};
use toolmesh_testkit::{WebAnswer, WebStub, run_command, run_in_terminal};

use crate::support::{HOLDER, command, screen};

/// How long the slow node takes for each block of logs.
const A_BLOCK: Duration = Duration::from_millis(40);

/// A node of 100 blocks that answers one at a time, and slowly.
fn slow_node() -> WebStub {
    WebStub::start_with_bodies(|_, body| {
        let request: Value = serde_json::from_str(body).unwrap();
        let answer = match request["method"].as_str().unwrap() {
            "eth_chainId" => json!({"result": "0x1"}),
            "eth_blockNumber" => json!({"result": "0x63"}),
            "eth_getCode" => json!({"result": "0x60"}),
            "eth_getLogs" if request["params"][0]["fromBlock"] != request["params"][0]["toBlock"] => {
                json!({"error": {"code": -32_000, "message": "block range is too wide"}})
            }
            "eth_getLogs" => {
                thread::sleep(A_BLOCK);
                json!({"result": []})
            }
            other => panic!("nobody asks for {other}"),
        };
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        WebAnswer::new(200, answer.to_string())
    })
}

#[test]
fn a_long_search_for_events_shows_how_far_it_is_and_leaves_only_the_answer() {
    let node = slow_node();
    let arguments = [
        "call",
        "get_transfer_events",
        r#"{"from_block":0,"to_block":99}"#,
        "examples/token.json",
        "--address",
        HOLDER,
        "--rpc",
        &node.url(),
    ];
    let seen = run_in_terminal(&command(&arguments));
    assert_eq!(seen.code(), Some(0), "{}", screen(&seen));
    // The line is written anew each time, and taken away before the answer.
    let lines: Vec<&str> = seen.stdout.split("\r\x1b[K").collect();
    let (answer, lines) = lines.split_last().unwrap();
    let bars: Vec<&&str> = lines.iter().filter(|line| line.starts_with('[')).collect();
    assert!(bars.len() >= 2, "{:?}", seen.stdout);
    for bar in bars {
        assert!(bar.contains("% logs up to block "), "{bar:?}");
    }
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(answer["to_block"], 99);

    let plain = run_command(&mut command(&arguments));
    assert_eq!(plain.code(), Some(0), "{}", screen(&plain));
    assert_eq!(plain.stderr, "", "only a terminal is told how it goes");
}
