//! The torture contract, exercised by a client that nobody here wrote: once deployed on the sandbox, once on an anvil.

use serde_json::{Value, json};
use toolmesh_testkit::{
    Anvil, CallResult, ServerProcess, Session, Step, http_session, paths::repo_root, stdio_session,
};

use crate::support::{HOLDER, RECEIVER, TOOLMESH, command, folder};

const ARTIFACT: &str = "testdata/solidity/solc_torture_artifact.json";

/// The private key of the first development account, which everyone knows.
const PUBLIC_KEY_OF_NOBODY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

fn steps() -> Vec<Step> {
    let tag = format!("0x{}", "11".repeat(32));
    let inner = json!({"who": HOLDER, "amount": "340282366920938463463374607431768211456", "tag": tag});
    let order = json!({"kind": 3, "inner": inner, "list": [inner, inner], "grid": [[1, 2], [3, 4]], "note": "grüße 🦀"});
    let as_array = json!([3, [HOLDER, "0x10", tag], [], [[5, 6]], ""]);
    let largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let mut steps = vec![
        Step::call("place_order", json!({"id": "5", "o": order, "side": 1})),
        Step::call(
            "place_order",
            json!({"id": "5", "o": order, "side": 1, "simulate": false}),
        ),
        Step::call("get_order", json!({"id": "5"})),
        Step::call(
            "placeOrder",
            json!({"id": 6, "o": as_array, "side": 0, "simulate": false}),
        ),
        Step::call("get_order", json!({"id": "6"})),
        // Of three values of an enum the fourth.
        Step::call("place_order", json!({"id": "7", "o": order, "side": 3})),
        Step::call("many", json!({})),
        Step::call("f(uint256)", json!({"a": "1"})),
        Step::call("f__int256", json!({"a": "-1"})),
        Step::call("f(uint256,address)", json!({"a": "1", "b": RECEIVER})),
        Step::call("f__tuple", json!({"a": inner})),
        Step::call("F(uint256)", json!({"a": 1})),
        Step::call(
            "grid",
            json!({"g": [[1, 2], [3, 4]], "h": [["1", "2", "3"], ["4", "5", "6"]]}),
        ),
        Step::call(
            "grid",
            json!({"g": [[1, 2, 3]], "h": [["1", "2", "3"], ["4", "5", "6"]]}),
        ),
        Step::call("tuples2d", json!({"x": [[inner], []], "y": [inner, inner]})),
        Step::call("cb", json!({"fn": {"address": HOLDER, "selector": "0xdeadbeef"}})),
        Step::call("udvt", json!({"p": "5", "s": 2, "t": RECEIVER})),
        Step::call(
            "keywords",
            json!({"from": HOLDER, "type_": "1", "class": tag, "simulate": "2", "value_wei": "3", "self": "4", "lambda": "5"}),
        ),
        Step::call("dup_snake", json!({"fooBar": "9", "foo_bar": "4"})),
        Step::call("unnamed", json!({"arg0_2": "1", "arg1": HOLDER, "arg0": "8"})),
        Step::call("_dollar", json!({"$v": "3"})),
        Step::call("_under_", json!({})),
        Step::call(
            "small_ints",
            json!({"a": 255, "b": 16_777_215, "c": 4_294_967_295_u64, "d": "1099511627775", "e": "281474976710655",
                   "g": "18446744073709551615", "h": -128, "i": -8_388_608, "j": "-9223372036854775808", "k": largest}),
        ),
        Step::call("small_ints", json!({"a": 256})),
        Step::call(
            "bytes_n",
            json!({"a": "0x01", "b": "0x01020304", "c": HOLDER.to_lowercase(), "d": tag, "e": "0x", "s": "ø🦀"}),
        ),
        Step::call("pay", json!({"x": "1", "value_wei": "1000"})),
        Step::call("increment", json!({"simulate": false})),
        Step::call("counter", json!({})),
        Step::call("signed_value", json!({})),
        Step::call("owner", json!({})),
        Step::call("get_contract_info", json!({})),
        Step::call("name", json!({})),
        Step::call("bad_utf8", json!({})),
        Step::call("get_stored_events", json!({"who": HOLDER})),
        Step::call("get_stored_hashed_events", json!({"note": "grüße 🦀"})),
        Step::call("get_anon_events", json!({"d": "4", "limit": 1})),
        Step::call("get_overl__uint256_events", json!({})),
        Step::call("get_overl__address_events", json!({})),
    ];
    steps.extend((0..=6).map(|mode| Step::call("boom", json!({"mode": mode.to_string()}))));
    steps
}

/// Members that depend on who sent transactions before: hashes, and prices, which follow the tips that others gave.
const INCIDENTAL: [&str; 6] = [
    "tx_hash",
    "transaction_hash",
    "gas_price",
    "effective_gas_price",
    "cost_wei",
    "cost_formatted",
];

/// What the steps came to, without what is incidental. Gas is told to the unit.
fn told(session: &Session) -> String {
    let mut told = String::new();
    for (step, result) in steps().iter().zip(&session.results) {
        let shown = match result {
            CallResult::Answered {
                is_error: true, text, ..
            } => format!("error {}", text.first().unwrap().replace('\n', " ")),
            CallResult::Answered { structured, .. } => {
                let mut structured = structured.clone();
                without_incidentals(&mut structured);
                structured.to_string()
            }
            CallResult::Cancelled => "given up".to_owned(),
            CallResult::Refused { code, message } => {
                // One client puts the code into the message.
                let message = message
                    .trim_start_matches(&format!("MCP error {code}: "))
                    .to_owned();
                assert_ne!(message, "Unknown tool", "{}", step.tool);
                format!("refused {code}: {message}")
            }
        };
        told.push_str(&format!("{} {}\n  {shown}\n", step.tool, step.arguments));
    }
    told
}

fn without_incidentals(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !INCIDENTAL.contains(&name.as_str()));
            members.values_mut().for_each(without_incidentals);
        }
        Value::Array(items) => items.iter_mut().for_each(without_incidentals),
        _ => {}
    }
}

#[test]
fn the_torture_contract_answers_a_real_client_the_same_on_the_sandbox_and_on_anvil() {
    let path = repo_root().join(ARTIFACT);
    let path_text = path.display().to_string();
    let steps = steps();
    let arguments = ["serve", &path_text, "--init", r#"[0,""]"#];
    let on_sandbox = told(&stdio_session(TOOLMESH, &arguments, "legacy", &steps));

    let artifact: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let code = artifact["bytecode"]
        .as_str()
        .or_else(|| artifact["bytecode"]["object"].as_str())
        .unwrap();
    // A number, where the text begins, and an empty text.
    let constructor = format!("{:064x}{:064x}{:064x}", 0, 0x40, 0);
    let anvil = Anvil::start();
    let address = anvil.deploy(&format!("0x{}{constructor}", code.trim_start_matches("0x")));
    let folder = folder(&[("torture.abi", &artifact["abi"].to_string())]);
    let abi = folder.path().join("torture.abi").display().to_string();
    let mut serve = command(&[
        "serve",
        &abi,
        "--address",
        &address,
        "--rpc",
        anvil.url(),
        "--http=0",
    ]);
    serve
        .env("TOOLMESH_EVM_PRIVATE_KEY", PUBLIC_KEY_OF_NOBODY)
        .env("TOOLMESH_SOURCE_TORTURE_CHAIN_ID", "31337")
        .env("TOOLMESH_SOURCE_TORTURE_MAX_FEE_WEI", "1000000000000000000");
    let server = ServerProcess::start_command(&mut serve);
    let on_anvil = told(&http_session(server.url(), &steps));

    // A node's receipt does not hold what a transaction returned, and a sandbox's does.
    let comparable = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| {
                if line.trim_start().starts_with("{\"simulated\":false") {
                    without_result(line)
                } else {
                    line.to_owned()
                }
            })
            .collect()
    };
    for (sandbox, anvil) in comparable(&on_sandbox).iter().zip(comparable(&on_anvil)) {
        assert_eq!(*sandbox, anvil, "the sandbox on the left, anvil on the right");
    }
    assert_eq!(on_sandbox.lines().count(), on_anvil.lines().count());
    insta::assert_snapshot!(on_sandbox);
}

fn without_result(line: &str) -> String {
    let mut value: Value = serde_json::from_str(line.trim()).unwrap();
    if let Some(members) = value.as_object_mut() {
        members.remove("result");
    }
    value.to_string()
}
