//! Events as tools and as resources, found and followed, on the sandbox and on anvil.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{U256, address};
use futures_util::StreamExt as _;
use serde_json::json;
use toolmesh_evm::{
    EvmSource, Target,
    chain::{Chain, Clock, SandboxChain},
};
use toolmesh_json::{Value, parse};
use toolmesh_testkit::Anvil;
use toolmesh_tool::{
    CallItem, CallRequest, Caller, Dispatcher, Prefix, ResourceBody, Source as _, ToolEvent, Toolbox,
    Transport, dispatcher::ReadRequest,
};

use crate::anvil::writable;
use crate::cases::logs::{CONTRACT, limited, too_wide};
use crate::mapping::interface;

const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

struct Served {
    dispatcher: Dispatcher,
    _source: EvmSource,
}

impl Served {
    async fn start(path: &str, target: Target) -> Self {
        let toolbox = Toolbox::new();
        let source = EvmSource::new("contract", Arc::new(interface(path)), target);
        source
            .start(toolbox.mount("contract", Prefix::None).unwrap())
            .await
            .unwrap();
        Self {
            dispatcher: Dispatcher::builder(toolbox).build(),
            _source: source,
        }
    }

    async fn deployed(path: &str, chain: Arc<dyn Chain>, constructor_arguments: Option<&str>) -> Self {
        let constructor_arguments = constructor_arguments.map(|json| parse(json.as_bytes()).unwrap());
        let target = Target::Sandbox {
            chain,
            constructor_arguments,
        };
        Self::start(path, target).await
    }

    async fn token(chain: Arc<dyn Chain>) -> Self {
        Self::deployed(
            "testdata/solidity/solc_token_artifact.json",
            chain,
            Some("[1000]"),
        )
        .await
    }

    async fn torture(chain: Arc<dyn Chain>) -> Self {
        Self::deployed(
            "testdata/solidity/solc_torture_artifact.json",
            chain,
            Some(r#"[0,""]"#),
        )
        .await
    }

    async fn call(&self, tool: &str, arguments: &str) -> Value {
        let arguments = parse(arguments.as_bytes()).unwrap();
        let caller = Caller::anonymous(Transport::InProcess);
        let outcome = self
            .dispatcher
            .call(CallRequest::new(tool, arguments, caller))
            .await;
        let debug = format!("{outcome:?}");
        let result = outcome.completed().unwrap_or_else(|| panic!("{tool}: {debug}"));
        assert!(!result.is_error, "{tool}: {}", result.joined_text());
        result.structured.unwrap()
    }

    async fn transfer(&self, to: &str, value: u64) {
        let arguments = format!(r#"{{"to":"{to}","value":"{value}","simulate":false}}"#);
        self.call("transfer", &arguments).await;
    }

    async fn read(&self, uri: &str) -> Value {
        let request = ReadRequest::new(uri, Caller::anonymous(Transport::InProcess));
        let contents = self.dispatcher.read_resource(request).await.unwrap();
        match &contents[0].body {
            ResourceBody::Text(text) => parse(text.as_bytes()).unwrap(),
            ResourceBody::Blob(_) => panic!("bytes"),
        }
    }
}

fn values(answer: &Value) -> Vec<String> {
    let events = answer.get("events").unwrap().as_array().unwrap();
    events
        .iter()
        .map(|event| {
            event
                .get("args")
                .unwrap()
                .get("value")
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

fn text(answer: &Value, name: &str) -> String {
    answer.get(name).unwrap().as_str().unwrap().to_owned()
}

fn sandbox() -> Arc<dyn Chain> {
    Arc::new(SandboxChain::with_clock(Clock::Steps(1_000)))
}

/// A sandbox and an anvil, on which everything must be the same.
async fn both() -> (Anvil, [Arc<dyn Chain>; 2]) {
    let anvil = Anvil::start();
    let chain: Arc<dyn Chain> = Arc::new(writable(&anvil).await);
    (anvil, [sandbox(), chain])
}

#[tokio::test]
async fn events_are_found_by_their_fields_and_in_pages() {
    let (_anvil, chains) = both().await;
    let mut answers = Vec::new();
    for chain in chains {
        let token = Served::token(chain).await;
        for value in 1..=5 {
            token.transfer(BOB, value).await;
        }
        token.transfer(ALICE, 9).await;
        let all = token.call("get_transfer_events", "{}").await;
        assert_eq!(values(&all), ["1000", "1", "2", "3", "4", "5", "9"]);
        let to_bob = token
            .call("get_transfer_events", &format!(r#"{{"to":"{BOB}"}}"#))
            .await;
        assert_eq!(values(&to_bob), ["1", "2", "3", "4", "5"]);
        let either = token
            .call(
                "get_transfer_events",
                &format!(r#"{{"to":["{BOB}","{ALICE}"],"from_block":4}}"#),
            )
            .await;
        assert_eq!(values(&either), ["3", "4", "5", "9"]);
        let range = token
            .call("get_transfer_events", r#"{"from_block":3,"to_block":4}"#)
            .await;
        assert_eq!(values(&range), ["2", "3"]);
        let first = token.call("get_transfer_events", r#"{"limit":3}"#).await;
        assert_eq!(values(&first), ["1000", "1", "2"]);
        let next = format!(r#"{{"limit":3,"cursor":"{}"}}"#, text(&first, "next_cursor"));
        let second = token.call("get_transfer_events", &next).await;
        assert_eq!(values(&second), ["3", "4", "5"]);
        let next = format!(r#"{{"limit":3,"cursor":"{}"}}"#, text(&second, "next_cursor"));
        let third = token.call("get_transfer_events", &next).await;
        assert_eq!(values(&third), ["9"]);
        assert!(third.get("next_cursor").is_none());
        let future = token.call("get_transfer_events", r#"{"from_block":99}"#).await;
        assert_eq!(values(&future), Vec::<String>::new());
        answers.push(without_hashes(&all));
    }
    assert_eq!(answers[0], answers[1]);
}

/// The answer without what the two chains cannot agree on.
fn without_hashes(answer: &Value) -> String {
    let mut answer: serde_json::Value = serde_json::from_str(&answer.to_text()).unwrap();
    for event in answer["events"].as_array_mut().unwrap() {
        event.as_object_mut().unwrap().remove("transaction_hash");
    }
    answer.to_string()
}

#[tokio::test]
async fn every_kind_of_event_is_found_on_both_chains() {
    let (_anvil, chains) = both().await;
    let inner = format!(
        r#"{{"who":"{ALICE}","amount":"1","tag":"0x{}"}}"#,
        "11".repeat(32)
    );
    let order = format!(r#"{{"kind":3,"inner":{inner},"list":[],"grid":[],"note":"hello"}}"#);
    let mut answers = Vec::new();
    for chain in chains {
        let torture = Served::torture(chain).await;
        let arguments = format!(r#"{{"id":"5","o":{order},"side":1,"simulate":false}}"#);
        torture.call("place_order", &arguments).await;
        let mut told = String::new();
        for (tool, arguments) in [
            ("get_stored_events", r#"{"id":5}"#.to_owned()),
            ("get_stored_events", r#"{"id":"6"}"#.to_owned()),
            ("get_stored_hashed_events", r#"{"note":"hello"}"#.to_owned()),
            ("get_stored_hashed_events", r#"{"arr":["0","0"]}"#.to_owned()),
            ("get_stored_hashed_events", r#"{"arr":["0"]}"#.to_owned()),
            ("get_anon_events", r#"{"a":"1","d":"4"}"#.to_owned()),
            ("get_anon_events", r#"{"a":"2"}"#.to_owned()),
            ("get_overl__uint256_events", "{}".to_owned()),
            ("get_overl__address_events", "{}".to_owned()),
        ] {
            if torture.dispatcher.toolbox().snapshot().tool(tool, None).is_none() {
                let names: Vec<_> = torture
                    .dispatcher
                    .toolbox()
                    .snapshot()
                    .listed_tools()
                    .map(|tool| tool.name().to_string())
                    .collect();
                panic!("no {tool} in {names:?}");
            }
            let answer = torture.call(tool, &arguments).await;
            told.push_str(&format!("{tool} {arguments}\n  {}\n", without_hashes(&answer)));
        }
        answers.push(told);
    }
    assert_eq!(answers[0], answers[1]);
    insta::assert_snapshot!(answers[0]);
}

#[tokio::test]
async fn what_does_not_fit_a_question_is_told_with_what_would() {
    let token = Served::token(sandbox()).await;
    let mut told = String::new();
    for arguments in [
        r#"{"value":"1"}"#,
        r#"{"to":"0x12"}"#,
        r#"{"limit":1001}"#,
        r#"{"cursor":"then"}"#,
        r#"{"to":[]}"#,
    ] {
        let request = CallRequest::new(
            "get_transfer_events",
            parse(arguments.as_bytes()).unwrap(),
            Caller::anonymous(Transport::InProcess),
        );
        let outcome = token.dispatcher.call(request).await;
        let toolmesh_tool::Outcome::Failed(toolmesh_tool::CallError::InvalidArguments(result)) = outcome
        else {
            panic!("{arguments}: {outcome:?}")
        };
        told.push_str(&format!("{arguments}\n  {}\n", result.joined_text()));
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn an_event_is_a_resource_with_a_query() {
    let token = Served::token(sandbox()).await;
    token.transfer(BOB, 7).await;
    let catalogue = token.dispatcher.toolbox().snapshot();
    let templates: Vec<String> = catalogue
        .templates()
        .iter()
        .map(|found| found.template.as_str().to_owned())
        .collect();
    assert_eq!(
        templates,
        [
            "events://approval{?from_block,to_block,limit,cursor,after,owner,spender}",
            "events://transfer{?from_block,to_block,limit,cursor,after,from,to}",
        ]
    );
    assert_eq!(values(&token.read("events://transfer").await), ["1000", "7"]);
    let query = format!("events://transfer?to={BOB}&limit=5&from_block=1");
    assert_eq!(values(&token.read(&query).await), ["7"]);
    let bad = ReadRequest::new("events://transfer?to=7", Caller::anonymous(Transport::InProcess));
    assert!(matches!(
        token.dispatcher.read_resource(bad).await,
        Err(toolmesh_tool::CallError::InvalidArguments(_))
    ));
}

#[tokio::test]
async fn what_is_new_is_read_from_where_the_last_reading_ended() {
    let (_anvil, chains) = both().await;
    for chain in chains {
        let token = Served::token(chain).await;
        token.transfer(BOB, 1).await;
        let before = token.read("events://transfer").await;
        assert_eq!(values(&before), ["1000", "1"]);
        let after = text(&before, "after");
        let nothing = token.read(&format!("events://transfer?after={after}")).await;
        assert_eq!(values(&nothing), Vec::<String>::new());
        assert_eq!(nothing.get("dropped").unwrap().as_u64(), Some(0));
        for value in 2..=4 {
            token.transfer(BOB, value).await;
        }
        let some = token
            .read(&format!("events://transfer?after={after}&limit=2"))
            .await;
        assert_eq!(values(&some), ["2", "3"]);
        assert_eq!(some.get("more").unwrap().as_bool(), Some(true));
        let rest = token
            .read(&format!("events://transfer?after={}", text(&some, "after")))
            .await;
        assert_eq!(values(&rest), ["4"]);
        let others = token.read(&format!("events://approval?after={after}")).await;
        assert_eq!(values(&others), Vec::<String>::new());
        let foreign = token.read("events://transfer?after=another-1").await;
        assert!(values(&foreign).ends_with(&["2".to_owned(), "3".to_owned(), "4".to_owned()]));
        assert!(foreign.get("dropped").is_none() && foreign.get("note").is_some());
    }
}

#[tokio::test]
async fn whoever_watches_is_told_of_the_plain_resource_and_of_what_was_read() {
    let (_anvil, chains) = both().await;
    for chain in chains {
        let token = Served::token(chain).await;
        let mut updates = token.dispatcher.toolbox().resource_updates();
        let query = format!("events://transfer?to={BOB}");
        token.read(&query).await;
        token
            .read(&format!(
                "events://transfer?to={}",
                BOB.replace("70997970C5", "0000000000").to_lowercase()
            ))
            .await;
        token.transfer(BOB, 1).await;
        let mut told = Vec::new();
        while told.len() < 2 {
            let uri = tokio::time::timeout(Duration::from_secs(20), updates.recv())
                .await
                .unwrap()
                .unwrap();
            if !told.contains(&uri) {
                told.push(uri);
            }
        }
        told.sort();
        assert_eq!(told, ["events://transfer".to_owned(), query]);
    }
}

#[tokio::test]
async fn events_of_a_block_that_is_taken_back_are_marked_as_removed() {
    let anvil = Anvil::start();
    let chain: Arc<dyn Chain> = Arc::new(writable(&anvil).await);
    let token = Served::token(chain).await;
    let after = text(&token.read("events://transfer").await, "after");
    let snapshot = anvil.rpc("evm_snapshot", json!([]));
    token.transfer(BOB, 1).await;
    let seen = token.read(&format!("events://transfer?after={after}")).await;
    assert_eq!(values(&seen), ["1"]);
    anvil.rpc("evm_revert", json!([snapshot]));
    // The new block holds another transaction, at a time that tells it from the old one.
    anvil.rpc("evm_increaseTime", json!([1_000]));
    let word = |text: &str| format!("{:0>64}", text.trim_start_matches("0x"));
    let data = format!("0xa9059cbb{}{}", word(BOB), word("2"));
    let transaction =
        json!({"from": ALICE, "to": "0x5FbDB2315678afecb367f032d93F642f64180aa3", "data": data});
    anvil.rpc("eth_sendTransaction", json!([transaction]));
    let mut told: Vec<(String, bool)> = Vec::new();
    let mut after = text(&seen, "after");
    // anvil mines in the background.
    while told.len() < 2 {
        let next = token.read(&format!("events://transfer?after={after}")).await;
        after = text(&next, "after");
        let removed = next.get("events").unwrap().as_array().unwrap();
        let removed = removed
            .iter()
            .map(|event| event.get("removed").unwrap().as_bool().unwrap());
        told.extend(values(&next).into_iter().zip(removed));
    }
    assert_eq!(told, [("1".to_owned(), true), ("2".to_owned(), false)]);
}

#[tokio::test]
async fn a_search_that_has_no_time_left_answers_what_it_has_and_where_to_go_on() {
    let node = limited(1, too_wide).await;
    let target = Target::Address {
        address: CONTRACT,
        chain: Arc::new(node.connected().await),
    };
    let served = Served::start("testdata/solidity/solc_token_artifact.json", target).await;
    let arguments = parse(br#"{"from_block":0,"to_block":99}"#).unwrap();
    let ask = |timeout| {
        let caller = Caller::anonymous(Transport::InProcess);
        let request = CallRequest::new("get_transfer_events", arguments.clone(), caller);
        served
            .dispatcher
            .call(request.timeout(Duration::from_secs(timeout)))
    };
    let whole = ask(60).await.completed().unwrap().structured.unwrap();
    assert!(whole.get("next_cursor").is_none(), "{whole:?}");
    // Less than what an answer needs is left after the first page.
    let part = ask(5).await.completed().unwrap().structured.unwrap();
    let cursor: u64 = text(&part, "next_cursor").parse().unwrap();
    assert!((1..99).contains(&cursor), "{cursor}");
}

#[tokio::test]
async fn a_long_search_tells_how_far_it_is() {
    let target = Target::Address {
        address: CONTRACT,
        chain: Arc::new(limited(1, too_wide).await.connected().await),
    };
    let served = Served::start("testdata/solidity/solc_token_artifact.json", target).await;
    let arguments = parse(br#"{"from_block":0,"to_block":99}"#).unwrap();
    let caller = Caller::anonymous(Transport::InProcess);
    let request = CallRequest::new("get_transfer_events", arguments, caller);
    let mut call = served.dispatcher.stream(request);
    let mut told: Vec<(f64, String)> = Vec::new();
    while let Some(item) = call.next().await {
        if let CallItem::Event(ToolEvent::Progress { pct, message }) = item {
            told.push((pct.unwrap(), message.unwrap()));
        }
    }
    assert!(told.len() > 5, "{told:?}");
    assert!(told.is_sorted_by(|one, next| one.0 < next.0), "{told:?}");
    assert!(
        told.iter()
            .all(|(_, message)| message.starts_with("logs up to block ")),
        "{told:?}"
    );
}

#[tokio::test]
async fn the_same_signature_with_other_indexed_fields_is_another_event() {
    // An ERC-20 token, described as an ERC-721 one: its transfers have no indexed third field.
    let chain = sandbox();
    let token = Served::token(Arc::clone(&chain)).await;
    token.transfer(BOB, 1).await;
    let address = address!("0x5FbDB2315678afecb367f032d93F642f64180aa3");
    assert!(!chain.code(address, Default::default()).await.unwrap().is_empty());
    assert_eq!(chain.balance(address).await.unwrap(), U256::ZERO);
    let described = Served::start(
        "testdata/solidity/oz_erc721.json",
        Target::Address { address, chain },
    )
    .await;
    let answer = described.call("get_transfer_events", "{}").await;
    assert_eq!(answer.get("events").unwrap().to_text(), "[]");
}
