//! Calimero applications, in a file and on a node.

use serde_json::json;
use toolmesh_calimero_node::{App, Behaviour, LoopbackNode, Options};
use toolmesh_testkit::{ServerProcess, Step, http_session, paths::repo_root, stdio_session};

use crate::support::{TOOLMESH, command, folder, json, screen, toolmesh};

const STORE: &str = "testdata/calimero/kv_store.json";

fn manifest(name: &str) -> Vec<u8> {
    std::fs::read(repo_root().join("testdata/calimero").join(name)).unwrap()
}

#[test]
fn a_manifest_is_inspected_and_its_tools_are_listed_and_described() {
    insta::assert_snapshot!("inspect", screen(&toolmesh(&["inspect", STORE])));
    let tools = json(&toolmesh(&["tools", STORE, "--format", "json"]));
    assert_eq!(tools.as_array().unwrap().len(), 10);
    let described = screen(&toolmesh(&["describe", "kv_store_set", STORE]));
    assert!(
        described.contains("[mut]  set(key: string, value: string) -> unit"),
        "{described}"
    );
}

#[test]
fn a_module_is_read_whatever_it_is_called() {
    let abi = manifest("kv_store.json");
    let abi: serde_json::Value = serde_json::from_slice(&abi).unwrap();
    let abi = abi.to_string();
    let size = |mut number: usize| {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        bytes.push(u8::try_from(number).unwrap());
        bytes
    };
    let name = "calimero_abi_v1";
    let body = [size(name.len()), name.as_bytes().to_vec(), abi.into_bytes()].concat();
    let module = [b"\0asm\x01\0\0\0\0".to_vec(), size(body.len()), body].concat();
    let folder = folder(&[]);
    for file in ["store.wasm", "store.bin"] {
        let path = folder.path().join(file);
        std::fs::write(&path, &module).unwrap();
        let report = json(&toolmesh(&[
            "inspect",
            path.to_str().unwrap(),
            "--format",
            "json",
        ]));
        assert_eq!(report["kind"], "calimero");
        assert_eq!(report["functions"][0]["tool"], "store_clear");
    }
}

#[test]
fn validate_is_strict_where_reading_is_not() {
    assert_eq!(toolmesh(&["validate", STORE]).code(), Some(0));
    let handmade = "testdata/calimero/handmade.json";
    assert_eq!(toolmesh(&["inspect", handmade]).code(), Some(0));
    insta::assert_snapshot!("validate", screen(&toolmesh(&["validate", handmade])));
}

#[test]
fn a_file_alone_cannot_be_called_and_that_is_2() {
    insta::assert_snapshot!(
        "call_of_a_file",
        screen(&toolmesh(&["call", "kv_store_len", STORE]))
    );
}

/// A node with the key-value store, its URL as a source, and a context called `room`.
async fn store(options: Options) -> (LoopbackNode, String) {
    let node = LoopbackNode::start(options).await;
    let id = node.install(App::new(
        "com.calimero.kv-store",
        &manifest("kv_store.json"),
        Behaviour::KeyValue,
    ));
    let context = node.create_context(&id, None);
    node.create_alias("room", &context);
    let source = format!("calimero:{}", node.url());
    (node, source)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_is_called_from_the_command_line() {
    let (_node, source) = store(Options::default()).await;
    let set = r#"{"key":"a","value":"1","_context":"room"}"#;
    assert_eq!(
        json(&toolmesh(&["call", "kv_store_set", set, &source])),
        json!({ "result": null })
    );
    let got = toolmesh(&[
        "call",
        "kv_store_get",
        r#"{"key":"a","_context":"room"}"#,
        &source,
    ]);
    assert_eq!(json(&got), json!({ "result": "1" }));
    let wrong = toolmesh(&["call", "kv_store_get", r#"{"key":1,"_context":"room"}"#, &source]);
    assert_eq!(wrong.code(), Some(1));
    assert!(
        wrong.stderr.contains("/key: expected a string (type)"),
        "{}",
        wrong.stderr
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_only_leaves_what_changes_nothing() {
    let (node, source) = store(Options::default()).await;
    node.install(App::new(
        "com.x.conformance",
        &manifest("abi_conformance.json"),
        Behaviour::Echo,
    ));
    let tools = json(&toolmesh(&["tools", &source, "--read-only", "--format", "json"]));
    let names: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "node_status",
            "list_nodes",
            "list_applications",
            "list_namespaces",
            "list_contexts",
            "lookup_alias",
            "describe_app",
            "select_app",
            "list_blobs",
            "list_group_members",
            "conformance_view_constant",
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_client_calls_applications_of_a_node_over_stdio_exactly() {
    let node = LoopbackNode::start(Options::default()).await;
    node.install(App::new(
        "com.calimero.abi",
        &manifest("abi_conformance.json"),
        Behaviour::Echo,
    ));
    let source = format!("calimero:{}", node.url());
    let person = json!({"id": vec![7; 32], "name": "n", "age": 3});
    let steps = [
        Step::call(
            "create_context",
            json!({"application": "abi", "namespace": "a".repeat(64)}),
        ),
        Step::call("select_app", json!({"app": "abi"})),
        Step::call("abi_echo_u64", json!({"x": u64::MAX})),
        Step::call("abi_echo_u64", json!({"x": u64::MAX.to_string()})),
        Step::call("abi_echo_i64", json!({"x": i64::MIN})),
        Step::call(
            "abi_make_person",
            json!({"p": {"id": "07".repeat(32), "name": "n", "age": 3}}),
        ),
        Step::call("abi_opt_string", json!({})),
        Step::call(
            "abi_act",
            json!({"a": {"MultiTuple": {"field_0": 1, "field_1": "x"}}}),
        ),
    ];
    let session = stdio_session(TOOLMESH, &["serve", &source], "legacy", &steps);
    let results: Vec<_> = session
        .results
        .iter()
        .map(|result| &result.structured()["result"])
        .collect();
    assert_eq!(
        results[2..],
        [
            &json!(u64::MAX),
            &json!(u64::MAX),
            &json!(i64::MIN),
            &person,
            &json!(null),
            &json!(1)
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_typescript_client_calls_applications_of_a_node_over_http() {
    let (_node, source) = store(Options::default()).await;
    let server = ServerProcess::start_command(&mut command(&["serve", &source, "--http=0"]));
    let steps = [
        Step::call(
            "kv_store_set",
            json!({"key": "k", "value": "v", "_context": "room"}),
        ),
        Step::call("kv_store_entries", json!({"_context": "room"})),
    ];
    let session = http_session(server.url(), &steps);
    assert_eq!(session.tools.len(), 40, "{:?}", session.tool_names());
    assert_eq!(session.results[1].structured()["result"], json!({"k": "v"}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_find_a_token_ended_at_once_renew_it_once() {
    let (node, source) = store(Options {
        users: vec![("admin".to_owned(), "secret".to_owned())],
        ..Options::default()
    })
    .await;
    let folder = folder(&[("password", "secret\n")]);
    let call = || {
        let mut command = command(&["call", "kv_store_len", r#"{"_context":"room"}"#, &source]);
        command
            .env("CALIMERO_USERNAME", "admin")
            .env("CALIMERO_PASSWORD_FILE", folder.path().join("password"))
            .env("CALIMERO_MCP_STATE_DIR", folder.path().join("state"));
        command
    };
    assert_eq!(
        json(&toolmesh_testkit::run_command(&mut call())),
        json!({ "result": 0 })
    );
    node.expire_tokens();
    let running: Vec<_> = (0..6)
        .map(|_| {
            let mut command = call();
            std::thread::spawn(move || toolmesh_testkit::run_command(&mut command))
        })
        .collect();
    for thread in running {
        let finished = thread.join().unwrap();
        assert_eq!(json(&finished), json!({ "result": 0 }));
        assert!(!finished.stderr.contains("secret"));
    }
    assert_eq!(node.count("/auth/refresh"), 1, "a refresh token works once");
    assert_eq!(node.count("/auth/token"), 1);
}
