//! Helper tools, on the sandbox.

use std::collections::HashSet;
use std::sync::Arc;

use toolmesh_evm::chain::{Chain, RpcChain, RpcOptions, SandboxChain};
use toolmesh_evm::{Contract, EvmSource, MAX_BATCH, MULTICALL3, Target, helpers, standards, tools};
use toolmesh_json::Value;
use toolmesh_testkit::{Anvil, paths};

use crate::corpus;
use crate::dispatch::Served;
use crate::mapping::interface;

const HOLDER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

async fn token() -> Served {
    let target = Target::Sandbox {
        chain: Arc::new(SandboxChain::new()),
        constructor_arguments: None,
    };
    let source = EvmSource::new("token", interface("examples/token.json").into(), target).with_helpers(true);
    Served::source(source).await.unwrap()
}

/// What the tool itself says to a call that it does not take.
async fn said_no(served: &Served, tool: &str, arguments: &str) -> String {
    let result = served.call(tool, arguments).await;
    assert!(result.is_error, "{}", result.joined_text());
    result.joined_text()
}

fn text<'a>(answer: &'a Value, pointer: &str) -> &'a str {
    answer
        .pointer(pointer)
        .and_then(|found| found.as_str())
        .unwrap_or_default()
}

#[tokio::test]
async fn contract_info_tells_what_the_contract_is() {
    let answer = token().await.done("contract-info", "{}").await;
    assert_eq!(text(&answer, "/symbol"), "EXT");
    assert_eq!(
        answer.get("decimals").and_then(|decimals| decimals.as_u64()),
        Some(18)
    );
    assert_eq!(answer.get("chain_id").and_then(|id| id.as_u64()), Some(31_337));
    assert_eq!(answer.get("standards").unwrap().to_text(), r#"["ERC-20"]"#);
    assert_eq!(text(&answer, "/total_supply_formatted"), "1000000");
    assert_eq!(text(&answer, "/balance_formatted"), "0 ether");
}

/// Case 23: a token from before the standard was final answers 32 bytes where its interface says so.
#[tokio::test]
async fn a_name_of_32_bytes_is_told_as_text() {
    // It answers "MKR" whatever it is asked.
    let code = format!("7f4d4b52{}5f5260205ff3", "00".repeat(29));
    let creation = format!("60{:02x}80600a5f395ff3{code}", code.len() / 2).replace("80600a", "806009");
    let abi = corpus::interfaces()
        .into_iter()
        .find(|(name, _)| name == "ds_token_anonymous_event.json")
        .unwrap()
        .1;
    let chain: Arc<dyn Chain> = Arc::new(SandboxChain::new());
    let creation: Vec<u8> = alloy_primitives::hex::decode(creation).unwrap();
    let address = chain
        .deploy(creation.into(), Default::default())
        .await
        .unwrap()
        .address;
    let source = EvmSource::new("mkr", abi.into(), Target::Address { address, chain }).with_helpers(true);
    let answer = Served::source(source)
        .await
        .unwrap()
        .done("contract-info", "{}")
        .await;
    assert_eq!((text(&answer, "/name"), text(&answer, "/symbol")), ("MKR", "MKR"));
    assert!(answer.get("decimals").is_none(), "no amount has so many decimals");
}

/// Case 35.
#[tokio::test]
async fn amounts_are_turned_exactly_with_the_decimals_of_the_token() {
    let token = token().await;
    let shown = token
        .done("format-units", r#"{"amount":"1234567890123456789012345"}"#)
        .await;
    assert_eq!(text(&shown, "/formatted"), "1234567.890123456789012345");
    let negative = token
        .done("format-units", r#"{"amount":"-15","decimals":1}"#)
        .await;
    assert_eq!(text(&negative, "/formatted"), "-1.5");
    let units = token
        .done("parse-units", r#"{"amount":"1234567.890123456789012345"}"#)
        .await;
    assert_eq!(text(&units, "/base_units"), "1234567890123456789012345");
    let precise = said_no(&token, "parse-units", r#"{"amount":"1.1234567","decimals":6}"#).await;
    assert!(precise.contains("more decimal places than the 6"), "{precise}");
    let odd = said_no(&token, "parse-units", r#"{"amount":"1e18"}"#).await;
    assert!(odd.contains("no exponent"), "{odd}");
    let balance = token
        .done("token-balance", &format!(r#"{{"account":"{HOLDER}"}}"#))
        .await;
    assert_eq!(text(&balance, "/balance_formatted"), "1000000");
    assert_eq!(text(&balance, "/symbol"), "EXT");
}

#[tokio::test]
async fn many_reads_come_back_in_order_and_a_failed_one_stops_no_other() {
    let artifact = interface("testdata/solidity/solc_torture_artifact.json");
    let target = Target::Sandbox {
        chain: Arc::new(SandboxChain::new()),
        constructor_arguments: Some(toolmesh_json::parse(br#"["1","x"]"#).unwrap()),
    };
    let source = EvmSource::new("torture", artifact.into(), target).with_helpers(true);
    let torture = Served::source(source).await.unwrap();
    let calls = r#"{"calls":[{"function":"counter"},{"function":"boom","arguments":{"mode":1}},
        {"function":"f(uint256)","arguments":["7"]},{"function":"0x8da5cb5b"}]}"#;
    let answer = torture.done("read-many", calls).await;
    assert_eq!(text(&answer, "/results/0/result"), "1");
    assert_eq!(text(&answer, "/results/1/error/kind"), "string");
    assert_eq!(text(&answer, "/results/2/function"), "f(uint256)");
    assert_eq!(text(&answer, "/results/3/result"), HOLDER);
    assert_eq!(
        answer.get("multicall").and_then(|flag| flag.as_bool()),
        Some(false)
    );
    for (calls, reason) in [
        (r#"{"calls":[{"function":"increment"}]}"#, "changes the chain"),
        (
            r#"{"calls":[{"function":"nothing"}]}"#,
            "/calls/0/function: there is no such function",
        ),
        (r#"{"calls":[{"function":"f"}]}"#, "or several"),
        (
            r#"{"calls":[{"function":"counter"},{"function":"f(uint256)","arguments":["x"]}]}"#,
            "/calls/1/arguments/0: expected a whole number",
        ),
    ] {
        let refused = said_no(&torture, "read-many", calls).await;
        assert!(refused.contains(reason), "{refused}");
    }
    let batch = |count: usize| {
        format!(
            r#"{{"calls":[{}]}}"#,
            vec![r#"{"function":"counter"}"#; count].join(",")
        )
    };
    torture.done("read-many", &batch(MAX_BATCH)).await;
    torture.refused("read-many", &batch(MAX_BATCH + 1)).await;
}

#[test]
fn no_helper_takes_the_name_of_a_function() {
    let unbound: Option<Contract> = None;
    for (file, interface) in corpus::interfaces() {
        let interface = Arc::new(interface);
        let of_functions: HashSet<String> = tools(&interface, None)
            .into_iter()
            .map(|mapped| mapped.tool.unwrap().name().to_string())
            .collect();
        for helper in helpers(&interface, unbound.clone()) {
            assert!(
                !of_functions.contains(helper.name().as_str()),
                "{file}: {}",
                helper.name()
            );
        }
    }
}

#[test]
fn the_standards_of_the_corpus_are_known() {
    let known: Vec<String> = corpus::interfaces()
        .into_iter()
        .map(|(file, interface)| {
            (
                file,
                standards(&interface)
                    .iter()
                    .map(|standard| standard.name)
                    .collect::<Vec<_>>(),
            )
        })
        .filter(|(_, standards)| !standards.is_empty())
        .map(|(file, standards)| format!("{file}: {}", standards.join(", ")))
        .collect();
    insta::assert_snapshot!(known.join("\n"));
}

#[tokio::test]
async fn where_the_chain_has_multicall3_all_is_read_in_one_call() {
    let anvil = Anvil::start();
    let file = |path: &str| std::fs::read_to_string(paths::repo_root().join(path)).unwrap();
    let artifact: serde_json::Value =
        serde_json::from_str(&file("testdata/contracts/batch_artifact.json")).unwrap();
    // The contract of the name stands on public chains; this one answers the same call.
    anvil.rpc(
        "anvil_setCode",
        serde_json::json!([MULTICALL3.to_string(), artifact["deployedBytecode"]]),
    );
    let token: serde_json::Value = serde_json::from_str(&file("examples/token.json")).unwrap();
    let address = anvil.deploy(token["bytecode"].as_str().unwrap()).parse().unwrap();
    let chain: Arc<dyn Chain> = Arc::new(RpcChain::connect(RpcOptions::new(anvil.url())).await.unwrap());
    let target = Target::Address { address, chain };
    let source = EvmSource::new("token", interface("examples/token.json").into(), target).with_helpers(true);
    let served = Served::source(source).await.unwrap();
    let calls = format!(
        r#"{{"calls":[{{"function":"symbol"}},{{"function":"balanceOf","arguments":["{HOLDER}"]}},{{"function":"total_supply"}}]}}"#
    );
    let answer = served.done("read-many", &calls).await;
    assert_eq!(
        answer.get("multicall").and_then(|flag| flag.as_bool()),
        Some(true),
        "{answer}"
    );
    assert_eq!(text(&answer, "/results/0/result"), "EXT");
    assert_eq!(
        text(&answer, "/results/1/result"),
        text(&answer, "/results/2/result")
    );
}

#[tokio::test]
async fn another_contract_is_deployed_on_demand_and_only_simulated_otherwise() {
    let served = |file: &str, arguments: &str| {
        let target = Target::Sandbox {
            chain: Arc::new(SandboxChain::new()),
            constructor_arguments: Some(toolmesh_json::parse(arguments.as_bytes()).unwrap()),
        };
        let source = EvmSource::new("x", interface(file).into(), target).with_helpers(true);
        Served::source(source)
    };
    let torture = served("testdata/solidity/solc_torture_artifact.json", r#"["1","x"]"#)
        .await
        .unwrap();
    let tried = torture
        .done("deploy-contract", r#"{"start":7,"label":"y"}"#)
        .await;
    assert_eq!(tried.get("simulated").and_then(|flag| flag.as_bool()), Some(true));
    assert!(
        tried.get("address").is_none() && tried.get("gas_estimate").is_some(),
        "{tried}"
    );
    let sent = torture
        .done(
            "deploy-contract",
            r#"{"start":"0x7","label":"y","simulate":false}"#,
        )
        .await;
    let address: alloy_primitives::Address = text(&sent, "/address").parse().unwrap();
    assert_ne!(Some(address), torture.address);
    assert_eq!(sent.get("gas_used"), tried.get("gas_estimate"));
    let missing = torture.refused("deploy-contract", r#"{"start":7}"#).await;
    assert!(missing.contains("/label"), "{missing}");
}

#[tokio::test]
async fn code_that_is_not_linked_has_no_deploy_tool() {
    let unlinked = Arc::new(interface("testdata/solidity/solc_unlinked_library_artifact.json"));
    let names: Vec<String> = helpers(&unlinked, None)
        .iter()
        .map(|tool| tool.name().to_string())
        .collect();
    assert_eq!(
        names,
        ["contract-info", "read-many", "format-units", "parse-units"]
    );
}
