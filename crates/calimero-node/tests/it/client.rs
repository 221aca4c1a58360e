//! The node as a client finds it that nobody here wrote (`calimero-client-py`).

use serde_json::{Value, json};
use toolmesh_calimero_node::{App, Behaviour, Fault, LoopbackNode, Options};
use toolmesh_testkit::{paths::repo_root, run_python};

fn manifest(name: &str) -> Vec<u8> {
    std::fs::read(repo_root().join("testdata/calimero").join(name)).unwrap()
}

/// What each step came to.
fn drive(node: &LoopbackNode, steps: &[Value]) -> Vec<Value> {
    let plan = json!({ "url": node.url(), "steps": steps });
    let printed = run_python("calimero_client.py", &[&plan.to_string()]);
    printed.as_array().unwrap().clone()
}

async fn store() -> (LoopbackNode, String, String) {
    let node = LoopbackNode::start(Options::default()).await;
    let id = node.install(App::new(
        "com.calimero.kv-store",
        &manifest("kv_store.json"),
        Behaviour::KeyValue,
    ));
    let context = node.create_context(&id, None);
    (node, id, context)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_nobody_here_wrote_asks_the_node_what_it_has() {
    let (node, id, context) = store().await;
    let results = drive(
        &node,
        &[
            json!({ "ask": "health_check" }),
            json!({ "ask": "is_authenticated" }),
            json!({ "ask": "list_applications" }),
            json!({ "ask": "get_application", "arguments": [id] }),
            json!({ "ask": "list_contexts" }),
            json!({ "ask": "get_context", "arguments": [context] }),
            json!({ "ask": "list_blobs" }),
            json!({ "ask": "delete_context", "arguments": [context] }),
            json!({ "ask": "get_context", "arguments": [context] }),
            json!({ "ask": "get_application", "arguments": ["nothing"] }),
        ],
    );
    let data = |place: usize, pointer: &str| {
        assert_eq!(results[place]["success"], json!(true), "{}", results[place]);
        results[place]["data"]["data"].pointer(pointer).cloned().unwrap()
    };
    assert_eq!(data(0, "/status"), "alive");
    assert_eq!(data(1, "/status"), "alive");
    assert_eq!(data(2, "/apps/0/package"), "com.calimero.kv-store");
    assert_eq!(data(3, "/application/id"), json!(id));
    assert_eq!(data(4, "/contexts/0/id"), json!(context));
    assert_eq!(data(5, "/applicationId"), json!(id));
    assert_eq!(data(6, "/blobs"), json!([]));
    assert_eq!(data(7, "/isDeleted"), json!(true));
    let refused = |place: usize| results[place]["error"].as_str().unwrap().to_owned();
    assert_eq!(refused(8), r#"HTTP 404: {"error":"Context not found"}"#);
    assert_eq!(refused(9), r#"HTTP 404: {"error":"Application not found"}"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_nobody_here_wrote_runs_methods_and_is_told_of_errors() {
    let (node, _, context) = store().await;
    let call = |method: &str, arguments: Value| json!({ "context": context, "method": method, "arguments": arguments });
    let results = drive(
        &node,
        &[
            call("set", json!({ "key": "k", "value": "v" })),
            call("get", json!({ "key": "k" })),
            call("entries", json!({})),
            call("get", json!({ "key": 7 })),
            call("jump", json!({})),
            json!({ "context": "nowhere", "method": "len", "arguments": {} }),
        ],
    );
    assert_eq!(results[0]["result"], json!({ "output": null }));
    assert_eq!(results[1]["result"], json!({ "output": "v" }));
    assert_eq!(results[2]["result"], json!({ "output": { "k": "v" } }));
    for (place, told) in [
        (
            3,
            "guest panicked: Failed to deserialize input: invalid value for `key`",
        ),
        (4, "method \\\"jump\\\" not found"),
        (5, "ContextNotFound"),
    ] {
        let error = results[place]["error"].as_str().unwrap().replace('\'', "\"");
        let plain = |text: &str| text.replace(['\\', '"'], "");
        assert!(plain(&error).contains(&plain(told)), "{error}");
    }
    node.switch_on(Fault::LargestInteger);
    let largest = drive(&node, &[call("len", json!({}))]);
    assert_eq!(largest[0]["result"], json!({ "output": u64::MAX }));
}
