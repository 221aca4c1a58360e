use std::collections::HashSet;
use std::sync::Arc;

use toolmesh_evm::{helpers, tools};
use toolmesh_json::View;

use super::{accepted, declared, tool, tools_of};
use crate::mapping::interface;
use crate::{corpus, dispatch::Served};

const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// Case 1.
#[test]
fn every_overload_is_a_tool_with_its_own_selector() {
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    for (name, selector) in [
        ("f__uint256_b3de648b", "0xb3de648b"),
        ("f__int256", "0x1c008df9"),
        ("f__uint256_address", "0x50336458"),
        ("f__tuple", "0x7ca98f97"),
    ] {
        let tools = tools_of(&torture);
        let tool = tools
            .iter()
            .find(|tool| tool.aliases().contains(&selector.to_owned()))
            .unwrap_or_else(|| panic!("{selector}"));
        let expected = name.replace("f__uint256_b3de648b", "f_b3de648b");
        assert_eq!(tool.name().as_str(), expected, "{selector}");
    }
    let nft = interface("testdata/solidity/oz_erc721.json");
    for name in [
        "safe_transfer_from__address_address_uint256",
        "safe_transfer_from__address_address_uint256_bytes",
    ] {
        assert!(
            tool(&nft, name)
                .aliases()
                .iter()
                .any(|alias| alias.starts_with("safeTransferFrom("))
        );
    }
}

/// Case 2.
#[test]
fn ether_is_paid_by_a_control_and_never_counts_as_an_argument() {
    let requests = declared(
        "function payRequest(uint256 id, uint256 amount) payable\nfunction payRequest(uint256 id, uint256 amount, uint256 value)",
    );
    let payable = tool(&requests, "pay_request__uint256_uint256");
    assert_eq!(
        accepted(&payable, r#"{"id":1,"amount":2,"value_wei":3}"#).unwrap(),
        r#"{"id":"1","amount":"2","value_wei":"3","simulate":true}"#
    );
    let three = tool(&requests, "pay_request__uint256_uint256_uint256");
    assert_eq!(
        accepted(&three, r#"{"id":1,"amount":2,"value":3}"#).unwrap(),
        r#"{"id":"1","amount":"2","value":"3","simulate":true}"#
    );
    assert!(accepted(&three, r#"{"id":1,"amount":2,"value":3,"value_wei":3}"#).is_err());
}

/// Case 8.
#[test]
fn members_without_a_name_or_with_one_name_are_all_there() {
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let unnamed = tool(&handmade, "unnamed_tuple");
    let published = format!(r#"{{"arg0":{{"field_0":"7","field_1":"{ALICE}"}}}}"#);
    assert_eq!(
        accepted(&unnamed, &format!(r#"{{"arg0":[7,"{ALICE}"]}}"#)).as_ref(),
        Ok(&published)
    );
    assert_eq!(accepted(&unnamed, &published).as_ref(), Ok(&published));
    let output = unnamed.output_schema().unwrap().document();
    let required = output.pointer("/properties/result/items/required").unwrap();
    assert_eq!(required.to_text(), r#"["x","x_2"]"#);
}

/// Case 9.
#[test]
fn results_of_one_name_are_both_returned() {
    let exchange = declared("function removeLiquidity(uint256 amount) returns (uint256 out, uint256 out)");
    let schema = tool(&exchange, "remove_liquidity")
        .output_schema()
        .unwrap()
        .document()
        .clone();
    let required = schema.pointer("/properties/result/required").unwrap();
    assert_eq!(required.to_text(), r#"["out","out_2"]"#);
}

/// Case 10.
#[tokio::test]
async fn arguments_of_one_name_stay_apart_and_in_order() {
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let doubled = tool(&handmade, "dup_params");
    assert_eq!(
        accepted(&doubled, &format!(r#"{{"A":true,"a_2":"{ALICE}","a":1}}"#)).unwrap(),
        format!(r#"{{"a":"1","a_2":"{ALICE}","A":true}}"#)
    );
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    let served = Served::start(torture, Some(r#"{"start":"1","label":"x"}"#))
        .await
        .unwrap();
    assert_eq!(
        served
            .result("dup_snake", r#"{"foo_bar":"4","fooBar":"9"}"#)
            .await,
        r#""5""#
    );
    let unnamed = format!(r#"{{"arg0":"8","arg1":"{ALICE}","arg0_2":"1"}}"#);
    assert_eq!(served.result("unnamed", &unnamed).await, r#""8""#);
}

/// Case 15. What an enum beyond its values does stands in `answers`.
#[test]
fn names_of_the_source_are_shown_and_the_type_of_the_interface_counts() {
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    let udvt = tool(&torture, "udvt");
    let schema = udvt.input_schema().document();
    let at = |pointer: &str| schema.pointer(pointer).map(View::to_text).unwrap_or_default();
    assert_eq!(at("/properties/s/type"), r#""integer""#);
    assert_eq!(at("/properties/p/type"), r#""string""#);
    for (name, source) in [("p", "Price"), ("s", "enum"), ("t", "contract IThing")] {
        let description = at(&format!("/properties/{name}/description"));
        assert!(description.contains(source), "{name}: {description}");
    }
}

/// Case 29.
#[test]
fn every_name_in_every_list_is_one_that_clients_take() {
    let is_taken = |name: &str| {
        (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    };
    for (file, interface) in corpus::interfaces() {
        let mut names = HashSet::new();
        for tool in tools_of(&interface) {
            assert!(is_taken(tool.name().as_str()), "{file}: {}", tool.name());
            assert!(names.insert(tool.name().to_string()), "{file}: {}", tool.name());
            let schema = tool.input_schema().document();
            for key in keys(schema.view()) {
                assert!(is_taken(&key), "{file}: {}: {key}", tool.name());
            }
        }
    }
    let odd = declared(&format!(
        "function überweisen(uint256 größe)\nfunction {}(uint256 {})\nfunction import(uint8 class, uint8 $v)",
        "l".repeat(80),
        "p".repeat(80)
    ));
    let given = format!(r#"{{"{}":"1"}}"#, "p".repeat(80));
    let long = tools_of(&odd).swap_remove(1);
    assert_eq!(
        accepted(&long, &given).unwrap(),
        format!(r#"{{"{}":"1","simulate":true}}"#, "p".repeat(64))
    );
    let import = tool(&odd, "import");
    assert_eq!(
        accepted(&import, r#"{"class":1,"$v":2}"#).unwrap(),
        r#"{"class":1,"_v":2,"simulate":true}"#
    );
}

/// The names of all properties, at any depth.
fn keys(schema: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, member) in schema.as_object().into_iter().flat_map(|members| members.iter()) {
        if name == "properties" {
            found.extend(
                member
                    .as_object()
                    .into_iter()
                    .flat_map(|list| list.keys())
                    .map(str::to_owned),
            );
        }
        for property in member.as_object().into_iter().flat_map(|list| list.values()) {
            found.extend(keys(property));
        }
        found.extend(keys(member));
    }
    found
}

/// Case 30.
#[test]
fn the_root_of_every_schema_is_a_plain_object() {
    for (file, interface) in corpus::interfaces() {
        for tool in tools_of(&interface) {
            for schema in [tool.input_schema(), tool.output_schema().unwrap()] {
                let document = schema.document();
                assert_eq!(
                    document.get("type").and_then(View::as_str),
                    Some("object"),
                    "{file}: {}",
                    tool.name()
                );
                for word in ["anyOf", "oneOf", "allOf", "not", "$ref", "if"] {
                    assert!(document.get(word).is_none(), "{file}: {}: {word}", tool.name());
                }
            }
        }
    }
}

/// Case 34.
#[test]
fn a_function_called_like_a_helper_keeps_its_tool() {
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    let named: Vec<_> = tools(&torture, None)
        .into_iter()
        .filter(|mapped| mapped.function.name == "get_contract_info")
        .map(|mapped| mapped.tool.unwrap())
        .collect();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0].name().as_str(), "get_contract_info");
    assert!(named[0].aliases().contains(&"get_contract_info()".to_owned()));
    // The helpers beside it have names that no function's tool can have.
    let functions = tools_of(&torture);
    let helpers = helpers(&Arc::new(torture), None);
    assert!(helpers.iter().any(|tool| tool.name().as_str() == "contract-info"));
    for helper in &helpers {
        assert!(helper.name().as_str().contains('-'), "{}", helper.name());
        assert!(functions.iter().all(|tool| tool.name() != helper.name()));
    }
}
