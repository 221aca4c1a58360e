//! A contract on a real node: a bare ABI, an address and a URL.

use serde_json::json;
use toolmesh_testkit::{Anvil, ServerProcess, Step, http_session, run_command};

use crate::support::{HOLDER, RECEIVER, artifact, command, folder, json as printed, screen};

/// The private key of the node's first development account, which everyone knows.
const PUBLIC_KEY_OF_NOBODY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

struct Deployed {
    anvil: Anvil,
    address: String,
    folder: tempfile::TempDir,
}

fn deployed() -> Deployed {
    let artifact = artifact();
    let anvil = Anvil::start();
    let address = anvil.deploy(artifact["bytecode"].as_str().unwrap());
    let folder = folder(&[("token.abi", &artifact["abi"].to_string())]);
    Deployed {
        anvil,
        address,
        folder,
    }
}

impl Deployed {
    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let flags = ["token.abi", "--address", &self.address, "--rpc", self.anvil.url()];
        let mut command = command(&[arguments, &flags].concat());
        command.current_dir(self.folder.path());
        command
    }
}

#[test]
fn the_same_tools_run_on_a_real_node() {
    let contract = deployed();
    let mut serve = contract.command(&["serve", "--http=0"]);
    serve
        .env("TOOLMESH_EVM_PRIVATE_KEY", PUBLIC_KEY_OF_NOBODY)
        .env("TOOLMESH_SOURCE_TOKEN_CHAIN_ID", "31337")
        .env("TOOLMESH_SOURCE_TOKEN_MAX_FEE_WEI", "1000000000000000000");
    let server = ServerProcess::start_command(&mut serve);
    let session = http_session(
        server.url(),
        &[
            Step::call(
                "transfer",
                json!({"to": RECEIVER, "value": "5", "simulate": false}),
            ),
            Step::call("balance_of", json!({"account": RECEIVER})),
        ],
    );
    assert_eq!(session.tools.len(), 11);
    assert_eq!(session.results[0].structured()["success"], true);
    assert_eq!(session.results[1].structured()["result"], "5");
}

#[test]
fn without_a_key_a_transaction_is_simulated_but_never_sent() {
    let contract = deployed();
    let transfer = format!(r#"{{"to":"{RECEIVER}","value":"5","tx":{{"from":"{HOLDER}"}}}}"#);
    let simulated = printed(&run_command(
        &mut contract.command(&["call", "transfer", &transfer]),
    ));
    assert_eq!(
        (&simulated["simulated"], &simulated["success"]),
        (&json!(true), &json!(true))
    );

    let from_nobody = format!(r#"{{"to":"{RECEIVER}","value":"5"}}"#);
    let reverted = run_command(&mut contract.command(&["call", "transfer", &from_nobody]));
    assert_eq!(reverted.code(), Some(1), "{}", screen(&reverted));
    assert!(
        reverted.stderr.contains("came from the zero address") && reverted.stderr.contains("tx.from"),
        "{}",
        reverted.stderr
    );

    let sent = transfer.replace("{\"to\"", "{\"simulate\":false,\"to\"");
    let refused = run_command(&mut contract.command(&["call", "transfer", &sent]));
    assert_eq!(refused.code(), Some(1), "{}", screen(&refused));
    for remedy in ["TOOLMESH_EVM_PRIVATE_KEY", "max_fee_wei", "chain_id"] {
        assert!(refused.stderr.contains(remedy), "{}", refused.stderr);
    }
    let account = format!(r#"{{"account":"{RECEIVER}"}}"#);
    let balance = printed(&run_command(&mut contract.command(&[
        "call",
        "balance_of",
        &account,
    ])));
    assert_eq!(balance["result"], "0");
}

#[test]
fn another_chain_than_the_configured_one_is_2() {
    let contract = deployed();
    let mut call = contract.command(&["call", "symbol"]);
    call.env("TOOLMESH_SOURCE_TOKEN_CHAIN_ID", "1")
        .env("TOOLMESH_SOURCE_TOKEN_MAX_FEE_WEI", "1");
    let refused = run_command(&mut call);
    assert_eq!(
        (refused.code(), refused.stdout.as_str()),
        (Some(2), ""),
        "{}",
        screen(&refused)
    );
    insta::assert_snapshot!(refused.stderr.trim_end());
}

#[test]
fn an_address_without_a_contract_is_2() {
    let mut contract = deployed();
    contract.address = RECEIVER.to_owned();
    let refused = run_command(&mut contract.command(&["serve"]));
    assert_eq!(
        (refused.code(), refused.stdout.as_str()),
        (Some(2), ""),
        "{}",
        screen(&refused)
    );
    insta::assert_snapshot!(refused.stderr.trim_end());
}

#[test]
fn a_limit_without_a_chain_is_2() {
    let contract = deployed();
    let mut call = contract.command(&["call", "symbol"]);
    let refused = run_command(call.env("TOOLMESH_SOURCE_TOKEN_MAX_FEE_WEI", "1"));
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    insta::assert_snapshot!(refused.stderr.trim_end());
}
