use std::sync::Arc;

use alloy_primitives::address;
use toolmesh_evm::Target;
use toolmesh_evm::chain::{Chain, SandboxChain};
use toolmesh_tool::SourceError;

use super::declared;
use crate::dispatch::Served;
use crate::mapping::interface;

async fn torture() -> Served {
    let artifact = interface("testdata/solidity/solc_torture_artifact.json");
    Served::start(artifact, Some(r#"["1","x"]"#)).await.unwrap()
}

/// Case 15: an enum of three values is given a fourth.
#[tokio::test]
async fn an_enum_beyond_its_values_reverts_with_the_panic_for_it() {
    let arguments = r#"{"p":"1","s":3,"t":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}"#;
    let result = torture().await.call("udvt", arguments).await;
    let error = result.structured.unwrap().get("error").unwrap().to_value();
    // The decoder of the contract refuses the argument before any code of the function runs.
    let kind = error.get("kind").unwrap().as_str().unwrap().to_owned();
    assert!(kind == "panic" || kind == "empty", "{error}");
}

/// Case 25.
#[tokio::test]
async fn an_empty_answer_says_whether_the_contract_or_the_function_is_missing() {
    let chain: Arc<dyn Chain> = Arc::new(SandboxChain::new());
    let nobody = Target::Address {
        address: address!("0x000000000000000000000000000000000000dEaD"),
        chain,
    };
    let Err(SourceError::Configuration(missing)) =
        Served::at(declared("function f() view returns (uint256)"), nobody).await
    else {
        panic!("a contract where there is none")
    };
    assert!(
        missing.contains("no contract at 0x000000000000000000000000000000000000dEaD"),
        "{missing}"
    );
    // The torture contract has a fallback that answers what it was sent: four bytes are no uint256.
    let artifact = interface("testdata/solidity/solc_torture_artifact.json");
    let mut wrong = declared("function notThere() view returns (uint256)");
    wrong.bytecode = artifact.bytecode.clone();
    wrong.entries.extend(
        artifact
            .entries
            .into_iter()
            .filter(|entry| matches!(entry.body, toolmesh_evm::EntryBody::Constructor(_))),
    );
    let served = Served::start(wrong, Some(r#"["1","x"]"#)).await.unwrap();
    let result = served.call("not_there", "{}").await;
    assert!(result.is_error);
    assert!(
        result
            .joined_text()
            .contains("the interface may be of another contract"),
        "{}",
        result.joined_text()
    );
}

/// Case 26.
#[tokio::test]
async fn every_kind_of_revert_is_told() {
    let torture = torture().await;
    for (mode, kind, name) in [
        (0, "custom", "Unauthorized"),
        (1, "string", "Error"),
        (2, "panic", "Panic"),
        (3, "panic", "Panic"),
        (4, "custom", "Empty"),
        (5, "empty", ""),
        (6, "custom", "BadOrder"),
    ] {
        let result = torture.call("boom", &format!(r#"{{"mode":{mode}}}"#)).await;
        assert!(result.is_error);
        let error = result.structured.unwrap().get("error").unwrap().to_value();
        assert_eq!(
            error.get("kind").and_then(|kind| kind.as_str()),
            Some(kind),
            "{mode}: {error}"
        );
        let told = error
            .get("name")
            .and_then(|name| name.as_str())
            .unwrap_or_default();
        assert_eq!(told, name, "{mode}: {error}");
    }
    // Ether for a function that takes none.
    let declared = r#"{"amount":1,"value_wei":"1"}"#;
    assert!(
        torture
            .refused("increment", declared)
            .await
            .contains("unknown argument")
    );
}

/// Case 14: what matches no function reaches `fallback` and `receive`, by a tool of their own.
#[tokio::test]
async fn calls_that_match_no_function_reach_the_fallback() {
    let torture = torture().await;
    let answer = torture.done("send-raw", r#"{"data":"0xdeadbeef"}"#).await;
    assert_eq!(answer.get("result").unwrap().as_str(), Some("0xdeadbeef"));
    assert_eq!(answer.get("simulated").unwrap().as_bool(), Some(true));
    let paid = torture
        .done("send-raw", r#"{"data":"0x","value_wei":"7","simulate":false}"#)
        .await;
    assert_eq!(paid.get("success").unwrap().as_bool(), Some(true));
    let only_pays = declared("receive() external payable");
    let tool = super::tool(&only_pays, "send-raw");
    assert!(super::accepted(&tool, r#"{"data":"0x00"}"#).is_err());
    assert!(super::accepted(&tool, r#"{"value_wei":"1"}"#).is_ok());
}
