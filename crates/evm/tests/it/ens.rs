//! Names in the place of addresses, on an anvil with a registry and a resolver.

use std::sync::Arc;

use alloy_primitives::{Address, B256, address, keccak256};
use serde_json::json;
use toolmesh_evm::{
    EvmSource, MAX_NAMES, Target,
    chain::{Chain, Message, RpcChain},
};
use toolmesh_json::parse;
use toolmesh_testkit::Anvil;
use toolmesh_tool::{
    CallError, CallRequest, Caller, Dispatcher, Outcome, Prefix, Source as _, ToolResult, Toolbox, Transport,
};

use crate::anvil::writable;
use crate::contract::{Contract, uint};
use crate::mapping::interface;

const BOB: Address = address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");

/// Assembled by hand. It answers any call with what it stores at the word behind the selector: a registry that knows
/// resolvers by node, and a resolver that knows addresses by node.
///
/// ```text
/// PUSH1 04 CALLDATALOAD SLOAD PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN
/// ```
const LOOK_UP: &str = "600435546000526020 6000f3";

/// Copies the code behind it and returns that.
const CREATION: &str = "600c600c600039600c6000f3";

fn node(name: &str) -> B256 {
    name.rsplit('.').fold(B256::ZERO, |parent, label| {
        keccak256([parent.0, keccak256(label).0].concat())
    })
}

struct Names {
    anvil: Anvil,
    registry: String,
    resolver: String,
}

impl Names {
    fn start() -> Self {
        let anvil = Anvil::start();
        let code = format!("0x{CREATION}{}", LOOK_UP.replace(' ', ""));
        let registry = anvil.deploy(&code);
        let resolver = anvil.deploy(&code);
        Self {
            anvil,
            registry,
            resolver,
        }
    }

    fn store(&self, contract: &str, name: &str, address: &str) {
        let word = format!("0x{:0>64}", address.trim_start_matches("0x").to_lowercase());
        self.anvil
            .rpc("anvil_setStorageAt", json!([contract, node(name), word]));
    }

    fn register(&self, name: &str, address: Address) {
        self.store(&self.registry, name, &self.resolver);
        self.store(&self.resolver, name, &address.to_string());
    }
}

struct Served(Dispatcher);

impl Served {
    async fn start(path: &str, chain: RpcChain, contract: Address, registry: Option<Address>) -> Self {
        let toolbox = Toolbox::new();
        let target = Target::Address {
            address: contract,
            chain: Arc::new(chain),
        };
        let source = EvmSource::new("contract", Arc::new(interface(path)), target).with_ens(registry);
        source
            .start(toolbox.mount("contract", Prefix::None).unwrap())
            .await
            .unwrap();
        Self(Dispatcher::builder(toolbox).build())
    }

    async fn outcome(&self, tool: &str, arguments: &str) -> Outcome {
        let arguments = parse(arguments.as_bytes()).unwrap();
        let caller = Caller::anonymous(Transport::InProcess);
        self.0.call(CallRequest::new(tool, arguments, caller)).await
    }

    async fn call(&self, tool: &str, arguments: &str) -> ToolResult {
        let outcome = self.outcome(tool, arguments).await;
        let debug = format!("{outcome:?}");
        outcome.completed().unwrap_or_else(|| panic!("{tool}: {debug}"))
    }
}

const TOKEN: &str = "testdata/solidity/solc_token_artifact.json";

#[tokio::test(flavor = "multi_thread")]
async fn names_stand_for_addresses_where_a_registry_says_so() {
    let names = Names::start();
    names.register("bob.example.eth", BOB);
    let chain = writable(&names.anvil).await;
    let token = Contract::compiled("token");
    let creation = token.creation(&[uint(1_000)]);
    let at = chain.deploy(creation, Default::default()).await.unwrap().address;
    assert!(
        chain
            .call(Message::new(at, Default::default()), Default::default())
            .await
            .is_ok()
    );
    let registry = Some(names.registry.parse().unwrap());
    let served = Served::start(TOKEN, chain, at, registry).await;

    let sent = r#"{"to":"Bob.Example.eth","value":"5","simulate":false}"#;
    let sent = served.call("transfer", sent).await.structured.unwrap();
    let told = sent.get("resolved_names").unwrap().to_text();
    assert_eq!(told, format!(r#"{{"bob.example.eth":"{BOB}"}}"#));
    let balance = served.call("balance_of", r#"{"":"bob.example.eth"}"#).await;
    let balance = match balance.structured {
        Some(balance) => balance,
        None => panic!("{}", balance.joined_text()),
    };
    assert_eq!(balance.get("result").unwrap().as_str(), Some("5"));

    // Letters of any script, in whatever form they are given.
    let other = "b\u{fc}cher.eth";
    names.register(other, BOB);
    let answer = served.call("balance_of", r#"{"":"BU\u0308cher.eth"}"#).await;
    let answer = answer.structured.unwrap();
    assert_eq!(answer.get("result").unwrap().as_str(), Some("5"));
    let told = answer.get("resolved_names").unwrap().get(other).unwrap();
    assert_eq!(told.as_str(), Some(BOB.to_string().as_str()));

    let unknown = served.call("transfer", r#"{"to":"alice.eth","value":"5"}"#).await;
    assert!(unknown.is_error);
    assert!(
        unknown
            .joined_text()
            .starts_with("The name alice.eth stands for no address"),
        "{}",
        unknown.joined_text()
    );
    // A name that looks like another, and one that is none.
    for to in ["b\u{43e}b.example.eth", "bob"] {
        let refused = served
            .outcome("transfer", &format!(r#"{{"to":"{to}","value":"5"}}"#))
            .await;
        assert!(
            matches!(refused, Outcome::Failed(CallError::InvalidArguments(_))),
            "{refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_registry_a_name_is_no_address() {
    let names = Names::start();
    names.register("bob.eth", BOB);
    let chain = writable(&names.anvil).await;
    let token = Contract::compiled("token");
    let at = chain
        .deploy(token.creation(&[uint(1_000)]), Default::default())
        .await
        .unwrap()
        .address;
    let served = Served::start(TOKEN, chain, at, None).await;
    let refused = served
        .outcome("transfer", r#"{"to":"bob.eth","value":"5"}"#)
        .await;
    assert!(matches!(refused, Outcome::Failed(CallError::InvalidArguments(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_has_as_many_names_as_the_limit_and_not_one_more() {
    let names = Names::start();
    for place in 0..=MAX_NAMES {
        names.register(&format!("n{place}.eth"), BOB);
    }
    let chain = writable(&names.anvil).await;
    let torture = Contract::compiled("torture");
    let creation = torture.creation(&[uint(0), alloy_dyn_abi::DynSolValue::String(String::new())]);
    let at = chain.deploy(creation, Default::default()).await.unwrap().address;
    let registry = Some(names.registry.parse().unwrap());
    let served = Served::start(
        "testdata/solidity/solc_torture_artifact.json",
        chain,
        at,
        registry,
    )
    .await;
    let tuples = |count: usize| {
        let tag = format!("0x{}", "0".repeat(64));
        let inner = |name: &str| format!(r#"{{"who":"{name}","amount":"1","tag":"{tag}"}}"#);
        let many: Vec<String> = (0..count - 1)
            .map(|place| inner(&format!("n{place}.eth")))
            .collect();
        let last = inner(&format!("n{}.eth", count - 1));
        format!(r#"{{"x":[[{}]],"y":[{last},{last}]}}"#, many.join(","))
    };
    let most = served.call("tuples2d", &tuples(MAX_NAMES)).await;
    assert!(!most.is_error, "{}", most.joined_text());
    let refused = served.outcome("tuples2d", &tuples(MAX_NAMES + 1)).await;
    let Outcome::Failed(CallError::InvalidArguments(refused)) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        refused.joined_text().contains("at most 16"),
        "{}",
        refused.joined_text()
    );
}
