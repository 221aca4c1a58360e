//! One conversation that clients nobody here wrote have with the program, on stdio and over HTTP: they list and call
//! tools, are asked before money moves, are told while a transaction waits for its block, and give a call up.
//!
//! The chain's node makes no block by itself, and the program runs one call at a time. So a call that is answered after
//! one that was given up proves that the program heard of it, and the balance at the end that nothing of it was lost.

mod inspector;
mod rmcp;

use std::{path::PathBuf, process::Command, thread, time::Duration};

use serde_json::{Value, json};
use toolmesh_testkit::{Anvil, CallResult, Client, Plan, ServerProcess, Session, Step};

use crate::support::{RECEIVER, TOOLMESH, artifact, command, folder};

/// The private key of the node's first development account, which everyone knows.
const PUBLIC_KEY_OF_NOBODY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// The variable that names the signing key.
const KEY_VARIABLE: &str = "TOOLMESH_EVM_PRIVATE_KEY";

/// The revision without a handshake.
const STATELESS: &str = "2026-07-28";

/// The newest revision with one.
const HANDSHAKE: &str = "2025-11-25";

/// What the program says of a transaction that is sent and not mined.
const WAITS: &str = "waiting for its block";

/// How often the node is asked whether the transactions are there.
const POLL: Duration = Duration::from_millis(20);

/// A contract on a node that makes blocks on demand alone, and the configuration of a program that serves it.
struct Chain {
    anvil: Anvil,
    folder: tempfile::TempDir,
}

impl Chain {
    fn start() -> Self {
        let artifact = artifact();
        let anvil = Anvil::start();
        let address = anvil.deploy(artifact["bytecode"].as_str().unwrap());
        let _ = anvil.rpc("evm_setAutomine", json!([false]));
        let config = format!(
            r#"
[[source]]
name = "token"
location = "token.abi"
address = "{address}"
rpc = "{}"
chain_id = 31337
max_fee_wei = "1000000000000000000"

[policy]
confirmation = "destructive"

[limits]
running = 1
"#,
            anvil.url()
        );
        let files = [
            ("token.abi", artifact["abi"].to_string()),
            ("toolmesh.toml", config),
        ];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        Self {
            anvil,
            folder: folder(&files),
        }
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("toolmesh.toml")
    }

    /// The program on stdio, to be started by a client.
    fn arguments(&self) -> [String; 3] {
        let configuration = self.configuration().display().to_string();
        ["serve".to_owned(), "--config".to_owned(), configuration]
    }

    /// The program over HTTP.
    fn serve(&self) -> ServerProcess {
        let mut serve: Command = command(&["serve", "--http=0", "--config"]);
        ServerProcess::start_command(
            serve
                .arg(self.configuration())
                .env(KEY_VARIABLE, PUBLIC_KEY_OF_NOBODY),
        )
    }

    /// A plan for a client on stdio.
    fn on_stdio(&self, client: Client) -> Plan {
        let arguments = self.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Plan::over_stdio(client, TOOLMESH, &arguments).environment(KEY_VARIABLE, PUBLIC_KEY_OF_NOBODY)
    }

    /// Has the conversation, makes the one block when both transactions are there, and judges what the client saw.
    #[track_caller]
    fn converse(&self, revision: &str, have: impl FnOnce(&[Step]) -> Session + Send) {
        let session = thread::scope(|scope| {
            let client = scope.spawn(|| have(&steps()));
            while !client.is_finished() && self.waiting() < 2 {
                thread::sleep(POLL);
            }
            let _ = self.anvil.rpc("evm_mine", json!([]));
            client.join()
        });
        let session = session.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        saw_all_of_it(&session, revision);
    }

    /// How many transactions wait for a block.
    fn waiting(&self) -> u64 {
        let pool = self.anvil.rpc("txpool_status", json!([]));
        let pending = pool["pending"].as_str().unwrap_or("0x0");
        u64::from_str_radix(pending.trim_start_matches("0x"), 16).unwrap()
    }
}

/// What a person who is asked says.
fn yes() -> Value {
    json!({"confirm": true})
}

fn steps() -> [Step; 5] {
    let balance = || Step::call("balance_of", json!({"account": RECEIVER}));
    let transfer = |value: &str| json!({"to": RECEIVER, "value": value, "simulate": false});
    [
        balance(),
        Step::cancelled("transfer", transfer("5"), WAITS),
        balance(),
        Step::call("transfer", transfer("7")),
        balance(),
    ]
}

#[track_caller]
fn saw_all_of_it(session: &Session, revision: &str) {
    assert_eq!(session.protocol, revision);
    assert_eq!(session.tools.len(), 11, "{:?}", session.tool_names());
    let [before, given_up, between, sent, after] = session.results.as_slice() else {
        panic!("{:?}", session.results)
    };
    assert_eq!(before.structured()["result"], "0");
    assert_eq!(*given_up, CallResult::Cancelled);
    assert_eq!(between.structured()["result"], "0");
    assert_eq!(sent.structured()["success"], true);
    assert_eq!(after.structured()["result"], "12");
    // The second transfer may be in its block before anybody looks.
    for (step, told) in session.progress.iter().enumerate().filter(|(step, _)| *step != 3) {
        let waits = told.iter().any(|message| message.contains(WAITS));
        assert_eq!(waits, step == 1, "{:?}", session.progress);
    }
    let question = |value: &str| {
        format!(r#"Run the tool `transfer` with {{"to":"{RECEIVER}","value":"{value}","simulate":false}}?"#)
    };
    assert_eq!(session.asked, [question("5"), question("7")]);
}

/// The mode of a client that speaks a revision.
fn mode(revision: &str) -> &str {
    if revision == HANDSHAKE { "legacy" } else { revision }
}

#[track_caller]
fn on_stdio(client: Client, revision: &str) {
    let chain = Chain::start();
    let plan = chain.on_stdio(client).mode(mode(revision)).answering(yes());
    chain.converse(revision, |steps| plan.run(steps));
}

#[track_caller]
fn over_http(client: Client, revision: &str) {
    let chain = Chain::start();
    let server = chain.serve();
    let plan = Plan::over_http(client, server.url());
    let plan = plan.mode(mode(revision)).answering(yes());
    chain.converse(revision, |steps| plan.run(steps));
}

#[test]
fn the_python_client_has_it_on_stdio_after_a_handshake() {
    on_stdio(Client::Python, HANDSHAKE);
}

#[test]
fn the_python_client_has_it_on_stdio_without_a_handshake() {
    on_stdio(Client::Python, STATELESS);
}

#[test]
fn the_python_client_has_it_over_http_after_a_handshake() {
    over_http(Client::Python, HANDSHAKE);
}

#[test]
fn the_python_client_has_it_over_http_without_a_handshake() {
    over_http(Client::Python, STATELESS);
}

#[test]
fn the_first_typescript_client_has_it_on_stdio() {
    on_stdio(Client::TypeScript1, HANDSHAKE);
}

#[test]
fn the_first_typescript_client_has_it_over_http() {
    over_http(Client::TypeScript1, HANDSHAKE);
}

#[test]
fn the_second_typescript_client_has_it_on_stdio_after_a_handshake() {
    on_stdio(Client::TypeScript2, HANDSHAKE);
}

#[test]
fn the_second_typescript_client_has_it_on_stdio_without_a_handshake() {
    on_stdio(Client::TypeScript2, STATELESS);
}

#[test]
fn the_second_typescript_client_has_it_over_http_after_a_handshake() {
    over_http(Client::TypeScript2, HANDSHAKE);
}

#[test]
fn the_second_typescript_client_has_it_over_http_without_a_handshake() {
    over_http(Client::TypeScript2, STATELESS);
}
