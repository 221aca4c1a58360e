//! The example as a process, with a client that nobody here wrote.

use serde_json::json;
use toolmesh_testkit::{ServerProcess, Step, http_session};

#[test]
fn the_rust_tool_prepares_what_the_contract_takes() {
    let server = ServerProcess::start(env!("CARGO_BIN_EXE_toolmesh-example-native"), &["127.0.0.1:0"]);
    let receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let session = http_session(
        server.url(),
        &[
            Step::call("token_units", json!({"amount": "1.5"})),
            Step::call(
                "token_transfer",
                json!({"to": receiver, "value": "1500000000000000000", "simulate": false}),
            ),
            Step::call("token_balance_of", json!({"account": receiver})),
        ],
    );
    // Nine functions and two events of the contract, and two tools in Rust.
    assert_eq!(session.tools.len(), 13);
    assert_eq!(session.results[0].structured()["value"], "1500000000000000000");
    assert_eq!(session.results[2].structured()["result"], "1500000000000000000");
}
