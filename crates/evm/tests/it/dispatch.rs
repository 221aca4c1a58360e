//! The example token on the sandbox chain, called the way every front calls it.

use std::sync::Arc;

use alloy_primitives::{Address, address};
use toolmesh_evm::chain::{Chain, Clock, SandboxChain};
use toolmesh_evm::{EvmError, EvmSource, Interface, Target, read};
use toolmesh_json::{Value, parse};
use toolmesh_tool::{
    CallError, CallRequest, Caller, Dispatcher, Outcome, Prefix, Source, SourceError, ToolResult, Toolbox,
    Transport,
};

use crate::mapping::interface;

const DEPLOYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// A contract that is served.
pub(crate) struct Served {
    dispatcher: Dispatcher,
    pub(crate) address: Option<Address>,
}

impl Served {
    pub(crate) async fn start(
        interface: Interface,
        constructor_arguments: Option<&str>,
    ) -> Result<Self, SourceError> {
        let chain: Arc<dyn Chain> = Arc::new(SandboxChain::with_clock(Clock::Steps(1_000)));
        let constructor_arguments = constructor_arguments.map(|json| parse(json.as_bytes()).unwrap());
        Self::at(
            interface,
            Target::Sandbox {
                chain,
                constructor_arguments,
            },
        )
        .await
    }

    pub(crate) async fn at(interface: Interface, target: Target) -> Result<Self, SourceError> {
        Self::source(EvmSource::new("contract", Arc::new(interface), target)).await
    }

    pub(crate) async fn source(source: EvmSource) -> Result<Self, SourceError> {
        let toolbox = Toolbox::new();
        source
            .start(toolbox.mount("contract", Prefix::None).unwrap())
            .await?;
        Ok(Self {
            dispatcher: Dispatcher::builder(toolbox).build(),
            address: source.address(),
        })
    }

    pub(crate) async fn outcome(&self, tool: &str, arguments: &str) -> Outcome {
        let arguments = parse(arguments.as_bytes()).unwrap();
        self.dispatcher
            .call(CallRequest::new(
                tool,
                arguments,
                Caller::anonymous(Transport::InProcess),
            ))
            .await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> ToolResult {
        match self.outcome(tool, arguments).await {
            Outcome::Completed(result) => result,
            Outcome::Failed(CallError::InvalidArguments(result)) => {
                panic!("{tool}: {}", result.joined_text())
            }
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The structured result of a call that succeeds.
    pub(crate) async fn done(&self, tool: &str, arguments: &str) -> Value {
        let result = self.call(tool, arguments).await;
        assert!(!result.is_error, "{tool}: {}", result.joined_text());
        result.structured.unwrap()
    }

    /// The JSON text of what a read returns.
    pub(crate) async fn result(&self, tool: &str, arguments: &str) -> String {
        self.done(tool, arguments).await.get("result").unwrap().to_text()
    }

    pub(crate) async fn refused(&self, tool: &str, arguments: &str) -> String {
        match self.outcome(tool, arguments).await {
            Outcome::Failed(CallError::InvalidArguments(result)) => result.joined_text(),
            other => panic!("{tool}: {other:?}"),
        }
    }
}

async fn token() -> Served {
    Served::start(interface("examples/token.json"), None)
        .await
        .unwrap()
}

fn account(address: &str) -> String {
    format!(r#"{{"account":"{address}"}}"#)
}

fn transfer(to: &str, value: &str, simulate: bool) -> String {
    format!(r#"{{"to":"{to}","value":"{value}","simulate":{simulate}}}"#)
}

#[tokio::test]
async fn a_transfer_moves_tokens() {
    let token = token().await;
    assert_eq!(
        token.address,
        Some(address!("0x5FbDB2315678afecb367f032d93F642f64180aa3"))
    );
    assert_eq!(token.result("balance_of", &account(OTHER)).await, r#""0""#);
    let sent = token.done("transfer", &transfer(OTHER, "1500", false)).await;
    assert_eq!(sent.get("simulated").unwrap().as_bool(), Some(false));
    assert_eq!(sent.get("success").unwrap().as_bool(), Some(true));
    assert_eq!(sent.get("block_number").unwrap().as_u64(), Some(2));
    let event = sent.get("events").unwrap().to_value();
    let expected = format!(
        r#"[{{"name":"Transfer","address":"0x5FbDB2315678afecb367f032d93F642f64180aa3","args":{{"from":"{DEPLOYER}","to":"{OTHER}","value":"1500"}}}}]"#
    );
    assert_eq!(event.to_text(), expected);
    assert_eq!(token.result("balance_of", &account(OTHER)).await, r#""1500""#);
    assert_eq!(
        token.result("balance_of", &account(DEPLOYER)).await,
        r#""999999999999999999998500""#
    );
}

#[tokio::test]
async fn a_write_is_simulated_unless_told_otherwise_and_changes_nothing() {
    let token = token().await;
    let arguments = format!(r#"{{"to":"{OTHER}","value":7}}"#);
    let tried = token.done("transfer", &arguments).await;
    assert_eq!(tried.get("simulated").unwrap().as_bool(), Some(true));
    assert_eq!(tried.get("result").unwrap().as_bool(), Some(true));
    assert_eq!(
        tried.pointer("/events/0/name").unwrap().as_str(),
        Some("Transfer")
    );
    assert!(tried.get("gas_estimate").unwrap().as_u64().unwrap() > 21_000);
    let read = token.done("balance_of", &account(OTHER)).await;
    assert_eq!(read.to_text(), r#"{"result":"0","block_number":1}"#);
}

#[tokio::test]
async fn a_simulation_tells_the_gas_that_the_transaction_then_uses() {
    let token = token().await;
    let tried = token.done("transfer", &transfer(OTHER, "7", true)).await;
    let sent = token.done("transfer", &transfer(OTHER, "7", false)).await;
    let estimate = tried.get("gas_estimate").unwrap().as_u64().unwrap();
    let used = sent.get("gas_used").unwrap().as_u64().unwrap();
    assert!(used <= estimate && estimate < used * 2, "{estimate} for {used}");
}

#[tokio::test]
async fn a_revert_is_a_tool_error_with_the_contracts_own_words() {
    let token = token().await;
    let arguments = format!(r#"{{"to":"{OTHER}","value":"1","tx":{{"from":"{OTHER}"}}}}"#);
    for simulate in [true, false] {
        let arguments = arguments.replace("\"tx\"", &format!("\"simulate\":{simulate},\"tx\""));
        let result = token.call("transfer", &arguments).await;
        assert!(result.is_error);
        let error = result
            .structured
            .as_ref()
            .unwrap()
            .get("error")
            .unwrap()
            .to_value();
        assert_eq!(error.get("kind").unwrap().as_str(), Some("custom"));
        assert_eq!(
            error.get("name").unwrap().as_str(),
            Some("ERC20InsufficientBalance")
        );
        let args = format!(r#"{{"sender":"{OTHER}","balance":"0","needed":"1"}}"#);
        assert_eq!(error.get("args").unwrap().to_text(), args);
        assert_eq!(error.get("selector").unwrap().as_str(), Some("0xe450d38c"));
        assert!(
            error
                .get("data")
                .unwrap()
                .as_str()
                .unwrap()
                .starts_with("0xe450d38c0000")
        );
        let text = result.joined_text();
        assert!(
            text.starts_with("The call reverted: ERC20InsufficientBalance(sender: "),
            "{text}"
        );
        assert!(
            text.contains("The account has fewer tokens than the transfer needs."),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_transaction_that_fails_in_its_block_is_told_with_its_hash_and_its_cost() {
    let token = token().await;
    // With a gas limit of its own a transaction is sent even if it is known to fail.
    let arguments = format!(
        r#"{{"to":"{OTHER}","value":"1","simulate":false,"tx":{{"from":"{OTHER}","gas_limit":100000}}}}"#
    );
    let result = token.call("transfer", &arguments).await;
    assert!(result.is_error);
    let text = result.joined_text();
    let facts = result.structured.unwrap();
    assert_eq!(facts.get("simulated").unwrap().as_bool(), Some(false));
    assert_eq!(facts.get("success").unwrap().as_bool(), Some(false));
    let hash = facts.get("tx_hash").unwrap().as_str().unwrap().to_owned();
    assert!(hash.starts_with("0x"));
    assert!(
        text.starts_with(&format!(
            "The transaction {hash} was sent and failed, and its gas was paid: ERC20InsufficientBalance("
        )),
        "{text}"
    );
    assert!(facts.get("gas_used").unwrap().as_u64().unwrap() > 21_000);
    assert_eq!(
        facts.pointer("/error/name").unwrap().as_str(),
        Some("ERC20InsufficientBalance")
    );
}

#[tokio::test]
async fn a_tool_is_found_by_its_name_in_the_source_its_signature_and_its_selector() {
    let token = token().await;
    for name in ["balance_of", "balanceOf", "balanceOf(address)", "0x70a08231"] {
        assert_eq!(token.result(name, &account(OTHER)).await, r#""0""#, "{name}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_explained() {
    let token = token().await;
    let text = token
        .refused("transfer", &format!(r#"{{"to":"{OTHER}","value":"-1"}}"#))
        .await;
    assert!(text.contains("/value: expected a whole number from 0 to 115792089237316195423570985008687907853269984665640564039457584007913129639935"), "{text}");
    let text = token.refused("transfer", r#"{"value":"1"}"#).await;
    assert!(
        text.contains("/to: expected a value of type address (missing)"),
        "{text}"
    );
    let text = token
        .refused(
            "balance_of",
            r#"{"account":"0x5fbdb2315678afecb367f032d93F642f64180aa3"}"#,
        )
        .await;
    assert!(text.contains("/account") && text.contains("EIP-55"), "{text}");
}

#[tokio::test]
async fn a_read_may_ask_for_an_earlier_block() {
    let token = token().await;
    token.done("transfer", &transfer(OTHER, "5", false)).await;
    let at = |block: u64| format!(r#"{{"account":"{OTHER}","tx":{{"block":{block}}}}}"#);
    assert_eq!(
        token.done("balance_of", &at(1)).await.to_text(),
        r#"{"result":"0","block_number":1}"#
    );
    assert_eq!(
        token.done("balance_of", &at(2)).await.to_text(),
        r#"{"result":"5","block_number":2}"#
    );
}

#[tokio::test]
async fn an_address_without_a_contract_is_told_at_start() {
    let chain: Arc<dyn Chain> = Arc::new(SandboxChain::new());
    let target = Target::Address {
        address: address!("0x00000000000000000000000000000000000000aa"),
        chain,
    };
    let Err(error) = Served::at(interface("examples/token.json"), target).await else {
        panic!("no contract there")
    };
    assert!(
        matches!(&error, SourceError::Configuration(text) if text.starts_with("no contract at 0x")),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_that_the_interface_does_not_describe_is_told() {
    let chain: Arc<dyn Chain> = Arc::new(SandboxChain::new());
    let arguments = parse(br#"[7,"label"]"#).unwrap();
    let target = Target::Sandbox {
        chain: Arc::clone(&chain),
        constructor_arguments: Some(arguments),
    };
    let torture = Served::at(interface("testdata/solidity/solc_torture_artifact.json"), target)
        .await
        .unwrap();
    let address = torture.address.unwrap();
    // Its fallback gives back the call data, which is no balance of eight bits.
    let abi = br#"[{"name":"tiny","stateMutability":"view","outputs":[{"type":"uint8"}]},{"name":"owner","stateMutability":"view","outputs":[{"type":"bool"}]}]"#;
    let other = Served::at(read(abi).unwrap(), Target::Address { address, chain })
        .await
        .unwrap();
    for tool in ["tiny", "owner"] {
        let result = other.call(tool, "{}").await;
        assert!(result.is_error);
        let kind = result
            .structured
            .unwrap()
            .pointer("/error/kind")
            .unwrap()
            .to_text();
        assert_eq!(kind, r#""bad_data""#, "{tool}");
    }
}

#[tokio::test]
async fn an_interface_without_a_contract_can_be_listed_but_not_called() {
    let unbound = Served::at(
        interface("testdata/solidity/oz_erc20permit.json"),
        Target::Unbound,
    )
    .await
    .unwrap();
    let result = unbound.call("total_supply", "{}").await;
    assert!(result.is_error);
    assert!(
        result
            .joined_text()
            .starts_with("This interface is not bound to a contract")
    );
}

#[tokio::test]
async fn what_keeps_a_contract_from_being_created_is_told_with_its_remedy() {
    let file = |name: &str| interface(&format!("testdata/solidity/{name}.json"));
    for (interface, arguments, expected) in [
        (file("oz_erc721"), None, "no bytecode and no address"),
        (
            file("solc_unlinked_library_artifact"),
            None,
            "the bytecode is not linked, it needs T.sol:L",
        ),
        (
            file("solc_token_artifact"),
            None,
            "the constructor takes (uint256 s); give them with `--init`",
        ),
        (
            file("solc_token_artifact"),
            Some(r#"{"s":true}"#),
            "a constructor argument does not fit: at `/s`: not a whole number",
        ),
        (
            file("edge/no_functions"),
            None,
            "the ABI has no function, fallback or receive",
        ),
        (file("edge/empty"), None, "the ABI is empty"),
        (
            file("edge/tuple_nocomp"),
            None,
            "nothing in the ABI can be called (1 entry cannot be used)",
        ),
    ] {
        let Err(error) = Served::start(interface, arguments).await else {
            panic!("{expected}: started")
        };
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_proxy_without_functions_is_served() {
    let proxy = interface("testdata/solidity/oz_transparent_proxy.json");
    let served = Served::at(proxy, Target::Unbound).await.unwrap();
    assert!(matches!(
        served.outcome("anything", "{}").await,
        Outcome::Failed(CallError::UnknownTool)
    ));
}

#[tokio::test]
async fn a_constructor_that_fails_says_why() {
    // Creation code that reverts with `Denied(7)`.
    let abi =
        r#"[{"type":"error","name":"Denied","inputs":[{"name":"code","type":"uint256"}]},{"name":"f"}]"#;
    let selector = read(abi.as_bytes()).unwrap().errors().next().unwrap().selector();
    let digits = alloy_primitives::hex::encode(selector);
    // PUSH4 selector, PUSH1 224, SHL, PUSH1 0, MSTORE, PUSH1 7, PUSH1 4, MSTORE, PUSH1 36, PUSH1 0, REVERT
    let code = format!("0x63{digits}60e01b600052600760045260246000fd");
    let artifact = format!(r#"{{"abi":{abi},"bytecode":"{code}"}}"#);
    let interface = read(artifact.as_bytes()).unwrap();
    let chain: Arc<dyn Chain> = Arc::new(SandboxChain::new());
    let target = Target::Sandbox {
        chain,
        constructor_arguments: None,
    };
    let source = EvmSource::new("contract", Arc::new(interface), target);
    let Err(EvmError::DeploymentFailed { reason }) = source.tools().await else {
        panic!("deployed")
    };
    assert_eq!(reason, "its constructor reverted: Denied(code: 7)");
}

#[tokio::test]
async fn arguments_that_are_too_long_for_a_block_are_told_as_that() {
    let torture = Served::start(
        interface("testdata/solidity/solc_torture_artifact.json"),
        Some(r#"[0,""]"#),
    )
    .await
    .unwrap();
    let long = format!(
        r#"{{"a":"0x01","b":"0x01020304","c":"{OTHER}","d":"0x{}","e":"0x","s":"{}"}}"#,
        "00".repeat(32),
        "x".repeat(900_000)
    );
    let text = torture.call("bytes_n", &long).await.joined_text();
    assert!(text.starts_with("the arguments are too long"), "{text}");
    assert!(
        text.contains("a block of the sandbox chain has 30000000"),
        "{text}"
    );
}
