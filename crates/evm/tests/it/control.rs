//! What a chain's owner can do with a sandbox: the same as with an anvil, and what keeps it in a file.

use std::{path::Path, sync::Arc};

use alloy_primitives::{Address, U256, address};
use serde_json::{Value as Json, json};
use toolmesh_evm::{
    EvmSource, SandboxSource, Target,
    chain::{
        BlockRef, Chain, Clock, ControlError, Execution, LogPosition, LogQuery, MAX_ADVANCE_SECONDS,
        MAX_MINED_BLOCKS, MAX_SNAPSHOTS, MAX_STATE_BYTES, Message, SandboxChain, StateError,
    },
};
use toolmesh_json::parse;
use toolmesh_testkit::Anvil;
use toolmesh_tool::{CallRequest, Caller, Dispatcher, Prefix, Source as _, ToolResult, Toolbox, Transport};

use crate::anvil::writable;
use crate::contract::{Contract, account, uint};
use crate::mapping::interface;

const BOB: Address = address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
const STRANGER: Address = address!("0x00000000000000000000000000000000000b0b00");

/// A time that no machine's clock has reached.
const FUTURE: u64 = 4_000_000_000;

/// What an owner does; an anvil is asked by its own methods.
trait Owner {
    fn set_balance(&self, address: Address, balance: U256);
    fn mine(&self, blocks: u64);
    fn advance(&self, seconds: u64);
    fn set_next_time(&self, timestamp: u64);
    fn snapshot(&self) -> Json;
    fn revert(&self, snapshot: Json);
    fn timestamp(&self) -> u64;
}

impl Owner for SandboxChain {
    fn set_balance(&self, address: Address, balance: U256) {
        Self::set_balance(self, address, balance);
    }

    fn mine(&self, blocks: u64) {
        Self::mine(self, blocks).unwrap();
    }

    fn advance(&self, seconds: u64) {
        self.advance_time(seconds).unwrap();
    }

    fn set_next_time(&self, timestamp: u64) {
        Self::set_next_time(self, timestamp).unwrap();
    }

    fn snapshot(&self) -> Json {
        json!(Self::snapshot(self))
    }

    fn revert(&self, snapshot: Json) {
        Self::revert(self, snapshot.as_u64().unwrap()).unwrap();
    }

    fn timestamp(&self) -> u64 {
        self.latest().timestamp
    }
}

impl Owner for Anvil {
    fn set_balance(&self, address: Address, balance: U256) {
        self.rpc("anvil_setBalance", json!([address, balance]));
    }

    fn mine(&self, blocks: u64) {
        self.rpc("anvil_mine", json!([format!("{blocks:#x}")]));
    }

    fn advance(&self, seconds: u64) {
        self.rpc("evm_increaseTime", json!([seconds]));
    }

    fn set_next_time(&self, timestamp: u64) {
        self.rpc("evm_setNextBlockTimestamp", json!([timestamp]));
    }

    fn snapshot(&self) -> Json {
        self.rpc("evm_snapshot", json!([]))
    }

    fn revert(&self, snapshot: Json) {
        self.rpc("evm_revert", json!([snapshot]));
    }

    fn timestamp(&self) -> u64 {
        let block = self.rpc("eth_getBlockByNumber", json!(["latest", false]));
        u64::from_str_radix(block["timestamp"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }
}

async fn balance_of(chain: &dyn Chain, token: &Contract, at: Address, owner: Address) -> U256 {
    let message = token.message(at, "balanceOf", &[account(owner)]);
    match chain.call(message, BlockRef::Latest).await.unwrap() {
        Execution::Returned(output) => U256::from_be_slice(&output),
        other => panic!("{other:?}"),
    }
}

/// What two chains must agree on, step by step.
async fn life(chain: &dyn Chain, owner: &dyn Owner) -> Vec<String> {
    let mut told = Vec::new();
    let mut tell = |what: &str, value: String| told.push(format!("{what}: {value}"));
    let token = Contract::compiled("token");
    let deployed = chain
        .deploy(token.creation(&[uint(1_000)]), U256::ZERO)
        .await
        .unwrap();
    tell(
        "deployment",
        format!("{} {}", deployed.address, deployed.receipt.gas_used),
    );
    let transfer = |value| token.message(deployed.address, "transfer", &[account(BOB), uint(value)]);

    owner.set_balance(STRANGER, U256::from(7));
    tell(
        "a given balance",
        chain.balance(STRANGER).await.unwrap().to_string(),
    );
    tell("no block for it", chain.block_number().await.unwrap().to_string());
    let paying = Message {
        from: Some(STRANGER),
        value: U256::from(7),
        ..Message::new(BOB, Default::default())
    };
    let simulation = chain.simulate(paying).await.unwrap();
    tell(
        "it can pay",
        format!("{:?} {:?}", simulation.short_of_funds, simulation.gas),
    );

    owner.mine(3);
    tell("three blocks", chain.block_number().await.unwrap().to_string());
    let sent = chain.send(transfer(10)).await.unwrap();
    let facts = format!(
        "{} {} {}",
        sent.block_number, sent.gas_used, sent.effective_gas_price
    );
    tell("a transfer after them", facts);

    owner.set_next_time(FUTURE);
    let sent = chain.send(transfer(1)).await.unwrap();
    tell("the next block's time", owner.timestamp().to_string());
    tell(
        "its gas",
        format!("{} {}", sent.gas_used, sent.effective_gas_price),
    );
    owner.advance(1_000);
    owner.mine(1);
    let time = owner.timestamp();
    // The clock of a machine goes on meanwhile.
    assert!((FUTURE + 1_000..FUTURE + 1_100).contains(&time), "{time}");

    let snapshot = owner.snapshot();
    chain.send(transfer(100)).await.unwrap();
    owner.set_balance(STRANGER, U256::from(1));
    tell(
        "before",
        balance_of(chain, &token, deployed.address, BOB).await.to_string(),
    );
    owner.revert(snapshot);
    tell(
        "after going back",
        balance_of(chain, &token, deployed.address, BOB).await.to_string(),
    );
    tell("and", chain.balance(STRANGER).await.unwrap().to_string());
    tell("at block", chain.block_number().await.unwrap().to_string());
    let logs = chain
        .logs(LogQuery {
            address: deployed.address,
            topics: Default::default(),
            from: LogPosition::at(0),
            to_block: chain.block_number().await.unwrap(),
            limit: 100,
        })
        .await
        .unwrap();
    let places: Vec<(u64, u64)> = logs
        .logs
        .iter()
        .map(|record| (record.block_number, record.log_index))
        .collect();
    tell("logs", format!("{places:?}"));
    told
}

#[tokio::test]
async fn an_owner_does_the_same_with_a_sandbox_and_with_an_anvil_to_the_unit_of_gas() {
    let anvil = Anvil::start();
    let sandbox = SandboxChain::new();
    let on_sandbox = life(&sandbox, &sandbox).await;
    assert_eq!(on_sandbox, life(&writable(&anvil).await, &anvil).await);
    insta::assert_snapshot!(on_sandbox.join("\n"));
}

#[tokio::test]
async fn what_is_too_much_is_refused_at_its_bound() {
    let chain = SandboxChain::with_clock(Clock::Steps(1_000));
    assert_eq!(chain.mine(0), Err(ControlError::Blocks));
    assert_eq!(chain.mine(MAX_MINED_BLOCKS).unwrap().number, MAX_MINED_BLOCKS);
    assert_eq!(chain.mine(MAX_MINED_BLOCKS + 1), Err(ControlError::Blocks));
    assert!(chain.advance_time(MAX_ADVANCE_SECONDS).is_ok());
    assert_eq!(
        chain.advance_time(MAX_ADVANCE_SECONDS + 1),
        Err(ControlError::Advance)
    );
    let latest = chain.latest().timestamp;
    assert_eq!(chain.set_next_time(latest), Err(ControlError::Past { latest }));
    assert!(chain.set_next_time(latest + 1).is_ok());
    assert_eq!(chain.mine(1).unwrap().timestamp, latest + 1);
}

#[tokio::test]
async fn as_many_snapshots_as_the_limit_are_kept_and_the_oldest_is_forgotten() {
    let chain = SandboxChain::with_clock(Clock::Steps(1_000));
    let first = chain.snapshot();
    for _ in 1..MAX_SNAPSHOTS {
        let _ = chain.snapshot();
    }
    let last = chain.snapshot();
    assert_eq!(chain.revert(first), Err(ControlError::NoSnapshot { id: first }));
    assert!(chain.revert(first + 1).is_ok());
    assert_eq!(chain.revert(last), Err(ControlError::NoSnapshot { id: last }));
}

fn opened(path: &Path) -> Result<SandboxChain, StateError> {
    SandboxChain::with_state_file(path, Clock::Steps(1_000))
}

#[tokio::test]
async fn a_chain_goes_on_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.json");
    let chain = opened(&path).unwrap();
    let token = Contract::compiled("token");
    let at = chain
        .deploy(token.creation(&[uint(1_000)]), U256::ZERO)
        .await
        .unwrap()
        .address;
    let transfer = |value| token.message(at, "transfer", &[account(BOB), uint(value)]);
    let sent = chain.send(transfer(30)).await.unwrap();
    chain.set_balance(STRANGER, U256::from(5));
    drop(chain);

    let chain = opened(&path).unwrap();
    assert_eq!(chain.block_number().await.unwrap(), 2);
    assert_eq!(balance_of(&chain, &token, at, BOB).await, U256::from(30));
    assert_eq!(chain.balance(STRANGER).await.unwrap(), U256::from(5));
    assert_eq!(chain.receipt(sent.transaction_hash).await.unwrap(), Some(sent));
    let query = LogQuery {
        address: at,
        topics: Default::default(),
        from: LogPosition::at(0),
        to_block: 2,
        limit: 10,
    };
    assert_eq!(chain.logs(query).await.unwrap().logs.len(), 2);
    let earlier = chain.call(transfer(0), BlockRef::Number(1)).await.unwrap_err();
    assert!(earlier.to_string().contains("keeps blocks 2 to 2"), "{earlier}");
    // The next transaction is the same as on a chain that never stopped.
    let again = chain.send(transfer(1)).await.unwrap();
    let never_stopped = SandboxChain::with_clock(Clock::Steps(1_000));
    never_stopped
        .deploy(token.creation(&[uint(1_000)]), U256::ZERO)
        .await
        .unwrap();
    never_stopped.send(transfer(30)).await.unwrap();
    assert_eq!(again, never_stopped.send(transfer(1)).await.unwrap());
}

#[tokio::test]
async fn a_state_file_has_one_owner_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.json");
    let chain = opened(&path).unwrap();
    assert!(matches!(opened(&path), Err(StateError::Locked { .. })));
    let copy = chain.clone();
    drop(chain);
    assert!(matches!(opened(&path), Err(StateError::Locked { .. })));
    drop(copy);
    assert!(opened(&path).is_ok());
}

#[tokio::test]
async fn a_file_that_holds_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.json");
    drop(opened(&path).unwrap());
    let good = std::fs::read_to_string(&path).unwrap();
    for bad in [
        String::new(),
        "{}".to_owned(),
        good.replace("toolmesh-sandbox", "other"),
        good.replace("\"version\":1", "\"version\":2"),
        good.replace("\"blocks\":[", "\"blocks\":[{\"number\":7,\"timestamp\":0,\"base_fee\":0,\"gas_used\":0,\"hash\":\"0x0000000000000000000000000000000000000000000000000000000000000000\"},"),
    ] {
        std::fs::write(&path, &bad).unwrap();
        assert!(matches!(opened(&path), Err(StateError::Invalid { .. })), "{bad}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
    }
    let size = |bytes: u64| {
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(bytes).unwrap();
        opened(&path).unwrap_err().to_string()
    };
    assert!(
        size(MAX_STATE_BYTES + 1).contains("larger than"),
        "one byte too many"
    );
    assert!(
        !size(MAX_STATE_BYTES).contains("larger than"),
        "as many as the limit, and no state"
    );
    let nowhere = folder.path().join("missing").join("chain.json");
    assert!(matches!(opened(&nowhere), Err(StateError::Unwritable { .. })));
}

async fn token_on(chain: &SandboxChain) -> EvmSource {
    let toolbox = Toolbox::new();
    let target = Target::Sandbox {
        chain: Arc::new(chain.clone()),
        constructor_arguments: Some(parse(b"[1000]").unwrap()),
    };
    let artifact = interface("testdata/solidity/solc_token_artifact.json");
    let source = EvmSource::new("token", Arc::new(artifact), target);
    source
        .start(toolbox.mount("token", Prefix::None).unwrap())
        .await
        .unwrap();
    source
}

#[tokio::test]
async fn a_source_finds_its_contract_on_the_chain_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.json");
    let first = token_on(&opened(&path).unwrap()).await.address();
    // The source's task ends as soon as it is its turn.
    let chain = loop {
        match opened(&path) {
            Err(StateError::Locked { .. }) => tokio::task::yield_now().await,
            chain => break chain.unwrap(),
        }
    };
    assert_eq!(token_on(&chain).await.address(), first);
    assert_eq!(
        chain.block_number().await.unwrap(),
        1,
        "nothing was deployed again"
    );
}

struct Tools(Dispatcher);

impl Tools {
    async fn of(chain: SandboxChain) -> Self {
        let toolbox = Toolbox::new();
        let source = SandboxSource::new("sandbox", chain);
        source
            .start(toolbox.mount("sandbox", Prefix::None).unwrap())
            .await
            .unwrap();
        Self(Dispatcher::builder(toolbox).build())
    }

    async fn call(&self, tool: &str, arguments: &str) -> ToolResult {
        let arguments = parse(arguments.as_bytes()).unwrap();
        let request = CallRequest::new(tool, arguments, Caller::anonymous(Transport::InProcess));
        let outcome = self.0.call(request).await;
        let debug = format!("{outcome:?}");
        outcome.completed().unwrap_or_else(|| panic!("{tool}: {debug}"))
    }
}

#[tokio::test]
async fn the_owner_s_tools_do_what_they_say() {
    let chain = SandboxChain::with_clock(Clock::Steps(1_000));
    let token = Contract::compiled("token");
    let receipt = chain
        .deploy(token.creation(&[uint(1)]), U256::ZERO)
        .await
        .unwrap()
        .receipt;
    let tools = Tools::of(chain).await;
    let mut told = String::new();
    for (tool, arguments) in [
        (
            "sandbox_accounts",
            format!(r#"{{"addresses":["{BOB}","{STRANGER}"]}}"#),
        ),
        ("sandbox_snapshot", "{}".to_owned()),
        (
            "sandbox_set_balance",
            format!(r#"{{"address":"{STRANGER}","balance_wei":"1500000000000000000"}}"#),
        ),
        ("sandbox_time", r#"{"advance_seconds":60}"#.to_owned()),
        ("sandbox_mine", r#"{"blocks":2}"#.to_owned()),
        ("sandbox_time", r#"{"next_timestamp":5}"#.to_owned()),
        ("sandbox_revert", r#"{"snapshot":1}"#.to_owned()),
        ("sandbox_revert", r#"{"snapshot":1}"#.to_owned()),
        ("sandbox_accounts", format!(r#"{{"addresses":["{STRANGER}"]}}"#)),
        (
            "sandbox_receipt",
            format!(r#"{{"tx_hash":"{}"}}"#, receipt.transaction_hash),
        ),
        (
            "sandbox_receipt",
            format!(r#"{{"tx_hash":"0x{}"}}"#, "0".repeat(64)),
        ),
    ] {
        let result = tools.call(tool, &arguments).await;
        let shown = match &result.structured {
            Some(structured) => structured.to_text(),
            None => format!("error: {}", result.joined_text()),
        };
        told.push_str(&format!("{tool} {arguments}\n  {shown}\n"));
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn all_tools_of_the_owner_can_be_made_and_ten_accounts_are_told() {
    let tools = SandboxSource::new("sandbox", SandboxChain::new())
        .tools()
        .unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name().to_string()).collect();
    assert!(names.iter().all(|name| name.starts_with("sandbox_")), "{names:?}");
    let tools = Tools::of(SandboxChain::new()).await;
    let told = tools.call("sandbox_accounts", "{}").await.structured.unwrap();
    assert_eq!(told.get("accounts").unwrap().as_array().unwrap().len(), 10);
}
