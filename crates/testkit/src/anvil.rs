//! A real EVM node: anvil, on a free port of this machine.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    http::Request,
    paths::{find_on_path, installed_anvil},
    process::Running,
};

/// How long anvil may take to listen.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long a transaction may take to be mined; anvil mines at once.
const MINING_LIMIT: Duration = Duration::from_secs(30);

/// A running anvil with its ten unlocked, funded accounts. It is stopped when this is dropped.
#[derive(Debug)]
pub struct Anvil {
    url: String,
    _process: Running,
}

impl Anvil {
    /// Starts the anvil of `ANVIL_BIN`, else the one on the path, else the one that `cargo xtask test` installed.
    ///
    /// # Panics
    /// When there is none, or it does not start.
    #[must_use]
    #[track_caller]
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// As [`Anvil::start`], with more arguments (`--hardfork`, `--block-time`, ...).
    ///
    /// # Panics
    /// When there is none, or it does not start.
    #[must_use]
    #[track_caller]
    pub fn start_with(arguments: &[&str]) -> Self {
        let mut command = Command::new(program());
        command
            .args(["--host", "127.0.0.1", "--port", "0"])
            .args(arguments)
            .stdin(Stdio::null());
        let process = Running::start(&mut command);
        let address = process.stdout_line("the address it listens on", START_LIMIT, |line| {
            line.strip_prefix("Listening on ").map(str::to_owned)
        });
        Self {
            url: format!("http://{address}"),
            _process: process,
        }
    }

    /// Its JSON-RPC URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The unlocked accounts, in order, as lower-case hexadecimal.
    ///
    /// # Panics
    /// When the node does not answer.
    #[must_use]
    #[track_caller]
    pub fn accounts(&self) -> Vec<String> {
        let accounts = self.rpc("eth_accounts", json!([]));
        accounts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// One JSON-RPC call; its result.
    ///
    /// # Panics
    /// When the node does not answer, or answers an error.
    #[track_caller]
    pub fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut answer = Request::post_json(&self.url, body).send().json();
        assert!(answer.get("error").is_none(), "anvil refused {method}: {answer}");
        answer.get_mut("result").map(Value::take).unwrap_or_default()
    }

    /// Deploys creation code (hexadecimal, constructor arguments appended) from account 0; the contract's address
    /// in lower-case hexadecimal.
    ///
    /// # Panics
    /// When the node refuses it, or the constructor reverts.
    #[must_use]
    #[track_caller]
    pub fn deploy(&self, bytecode: &str) -> String {
        let from = self.accounts().into_iter().next();
        let hash = self.rpc("eth_sendTransaction", json!([{"from": from, "data": bytecode}]));
        let receipt = self.receipt(&hash);
        assert_eq!(receipt["status"], "0x1", "the deployment was reverted: {receipt}");
        receipt["contractAddress"].as_str().unwrap_or_default().to_owned()
    }

    #[track_caller]
    fn receipt(&self, hash: &Value) -> Value {
        let end = Instant::now() + MINING_LIMIT;
        loop {
            let receipt = self.rpc("eth_getTransactionReceipt", json!([hash]));
            if !receipt.is_null() {
                return receipt;
            }
            assert!(
                Instant::now() < end,
                "transaction {hash} was not mined within {MINING_LIMIT:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[track_caller]
fn program() -> PathBuf {
    let named = env::var_os("ANVIL_BIN")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    named
        .or_else(|| find_on_path("anvil"))
        .or_else(installed_anvil)
        .unwrap_or_else(|| {
            panic!("no anvil: run `cargo xtask test --only install` once, or name the program in ANVIL_BIN")
        })
}
