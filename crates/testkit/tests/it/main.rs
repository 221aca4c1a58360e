//! The real node, driven through the public API, and what the repository says of its tests.
#![cfg(test)]

mod seed_pages;

use serde_json::{Value, json};
use toolmesh_testkit::{Anvil, paths::repo_root};

/// The selector of `totalSupply()`.
const TOTAL_SUPPLY: &str = "0x18160ddd";

fn token_bytecode() -> String {
    let text = std::fs::read_to_string(repo_root().join("examples/token.json")).unwrap();
    let artifact: Value = serde_json::from_str(&text).unwrap();
    artifact["bytecode"].as_str().unwrap().to_owned()
}

#[test]
fn anvil_runs_the_example_token() {
    let anvil = Anvil::start();
    let address = anvil.deploy(&token_bytecode());
    let supply = anvil.rpc(
        "eth_call",
        json!([{"to": address, "data": TOTAL_SUPPLY}, "latest"]),
    );
    // A word of 32 bytes that is not zero: the constructor minted.
    let digits = supply.as_str().unwrap().trim_start_matches("0x");
    assert_eq!(digits.len(), 64);
    assert!(digits.bytes().any(|digit| digit != b'0'), "no supply: {supply}");
}

#[test]
fn two_nodes_do_not_meet() {
    let (one, other) = (Anvil::start(), Anvil::start());
    assert_ne!(one.url(), other.url());
    let _ = one.deploy(&token_bytecode());
    assert_eq!(one.rpc("eth_blockNumber", json!([])), "0x1");
    assert_eq!(other.rpc("eth_blockNumber", json!([])), "0x0");
    assert_eq!(one.accounts().len(), 10);
}

#[test]
#[should_panic(expected = "anvil refused eth_noSuchMethod")]
fn an_error_of_the_node_is_told() {
    Anvil::start().rpc("eth_noSuchMethod", json!([]));
}
