//! Calimero applications, in a file and on a node.

use serde_json::json;
use toolmesh_calimero_node::{App, Behaviour, Fault, LoopbackNode, Options, sample};
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

#[cfg(not(feature = "calimero-sandbox"))]
#[test]
fn a_module_does_not_run_in_a_build_without_its_runtime_and_that_is_6() {
    let folder = folder(&[]);
    let path = folder.path().join("notes.wasm");
    std::fs::write(&path, toolmesh_calimero_node::modules::notes()).unwrap();
    let path = path.display().to_string();
    for arguments in [["serve", &path].as_slice(), &["call", "notes_note", &path]] {
        let shown = screen(&toolmesh(arguments)).replace(&path, "notes.wasm");
        insta::assert_snapshot!("a_module_without_its_runtime", shown);
    }
    let tools = json(&toolmesh(&["tools", &path, "--format", "json"]));
    assert_eq!(tools.as_array().unwrap().len(), 25);
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
async fn a_node_is_inspected_with_what_became_of_every_method_of_its_applications() {
    let (node, source) = store(Options::default()).await;
    node.install(App::new(
        "com.x.conformance",
        &manifest("abi_conformance.json"),
        Behaviour::Echo,
    ));
    let report = json(&toolmesh(&["inspect", &source, "--format", "json"]));
    assert_eq!(report["kind"], "calimero");
    let functions = report["functions"].as_array().unwrap();
    let manifests = ["kv_store.json", "abi_conformance.json"].map(|name| {
        let manifest: serde_json::Value = serde_json::from_slice(&manifest(name)).unwrap();
        manifest
    });
    let listed = |key: &str| -> usize {
        let lists = manifests
            .iter()
            .map(|manifest| manifest[key].as_array().unwrap().len());
        lists.sum()
    };
    assert_eq!(functions.len(), listed("methods"));
    assert_eq!(report["events"].as_array().unwrap().len(), listed("events"));
    for function in functions {
        assert_ne!(
            function["tool"].is_null(),
            function["reason"].is_null(),
            "{function}"
        );
    }
    let screen = screen(&toolmesh(&["inspect", &source]));
    assert!(
        screen.contains("kv_store_get") && screen.contains("found by env"),
        "{screen}"
    );
    let calls = node
        .requests()
        .into_iter()
        .filter(|request| request.path == "/jsonrpc");
    assert_eq!(calls.count(), 0, "nothing is called");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_valid_when_its_applications_are() {
    let (node, source) = store(Options::default()).await;
    assert_eq!(toolmesh(&["validate", &source]).code(), Some(0));
    node.install(App::new(
        "com.x.handmade",
        &manifest("handmade.json"),
        Behaviour::Echo,
    ));
    let broken = toolmesh(&["validate", &source]);
    assert_eq!(broken.code(), Some(4));
    assert!(broken.stdout.contains("com.x.handmade: "), "{}", broken.stdout);
    assert!(
        !broken.stdout.contains("com.calimero.kv-store: "),
        "{}",
        broken.stdout
    );
    node.switch_on(Fault::AbiRefused);
    let unreadable = toolmesh(&["validate", &source]);
    assert_eq!(unreadable.code(), Some(4));
    assert!(
        unreadable
            .stdout
            .contains("com.calimero.kv-store: no usable embedded ABI"),
        "{}",
        unreadable.stdout
    );
    let inspected = toolmesh(&["inspect", &source]);
    assert_eq!(inspected.code(), Some(0));
    assert!(
        inspected.stdout.contains("no usable embedded ABI"),
        "{}",
        inspected.stdout
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_of_a_node_is_described() {
    let (_node, source) = store(Options::default()).await;
    let described = screen(&toolmesh(&["describe", "kv_store_get", &source]));
    assert!(
        described.contains("get(key: string) -> string") && described.contains("_context"),
        "{described}"
    );
}

#[test]
fn a_node_that_is_not_there_cannot_be_inspected() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let source = format!("calimero:http://{}", listener.local_addr().unwrap());
    drop(listener);
    for verb in ["inspect", "validate"] {
        let finished = toolmesh(&[verb, &source]);
        assert_ne!(finished.code(), Some(0));
        assert!(
            finished.stderr.contains("Cannot reach the node at"),
            "{}",
            finished.stderr
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handles_of_a_shared_key_work_in_every_process_and_others_do_not() {
    // Base64 of 32 bytes of 1, and of 2.
    let (own, other) = (
        format!("{}AQE=", "AQEB".repeat(10)),
        format!("{}AgI=", "AgIC".repeat(10)),
    );
    let (_node, source) = store(Options::default()).await;
    let file = format!("[[source]]\nlocation = \"{source}\"\nprofile = \"handles\"\ntoolsets = [\"core\"]\n");
    let folder = folder(&[("toolmesh.toml", &file)]);
    let file = folder.path().join("toolmesh.toml");
    let call = |key: Option<&str>, tool: &str, arguments: &str| {
        let mut command = command(&["call", tool, arguments, "--config", file.to_str().unwrap()]);
        if let Some(key) = key {
            command.env("TOOLMESH_HANDLE_KEY", key);
        }
        toolmesh_testkit::run_command(&mut command)
    };
    let selected = json(&call(Some(&own), "select_app", r#"{"app":"kv-store"}"#));
    let arguments = json!({ "app_handle": selected["app_handle"] }).to_string();
    assert_eq!(
        json(&call(Some(&own), "kv_store_len", &arguments)),
        json!({ "result": 0 })
    );
    for key in [Some(other.as_str()), None] {
        let refused = call(key, "kv_store_len", &arguments);
        assert_eq!(refused.code(), Some(1));
        assert!(
            refused
                .stderr
                .contains("Call select_app for com.calimero.kv-store and retry"),
            "{}",
            refused.stderr
        );
    }
    let tools = json(&toolmesh(&[
        "tools",
        "--config",
        file.to_str().unwrap(),
        "--format",
        "json",
    ]));
    let names = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap());
    assert!(!names.clone().any(|name| name == "list_blobs"));
    assert!(names.clone().any(|name| name == "kv_store_len"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_source_says_of_a_node_has_its_forms_in_the_environment() {
    let (_node, source) = store(Options::default()).await;
    let tools = |variables: &[(&str, &str)]| {
        let finished = toolmesh_testkit::run_command(
            command(&["tools", &source, "--format", "json"]).envs(variables.iter().copied()),
        );
        json(&finished).to_string()
    };
    assert!(tools(&[]).contains("list_blobs") && !tools(&[]).contains("app_handle"));
    let changed = tools(&[
        ("TOOLMESH_SOURCE_CALIMERO_PROFILE", "handles"),
        ("TOOLMESH_SOURCE_CALIMERO_TOOLSETS", "core,governance"),
    ]);
    assert!(changed.contains("app_handle") && changed.contains("create_group"));
    assert!(!changed.contains("list_blobs"));
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

/// A call of every method but `init`, with the value that comes back where the one argument does.
fn calls_of_every_method(manifest: &serde_json::Value) -> Vec<(Step, Option<serde_json::Value>)> {
    let methods = manifest["methods"].as_array().unwrap().iter();
    methods
        .filter(|method| method["name"] != "init")
        .map(|method| {
            let params = method["params"].as_array().unwrap();
            let value = |param: &serde_json::Value| match param["type"]["kind"].as_str() {
                // Whatever a client rounds would show.
                Some("u64") => json!(u64::MAX),
                Some("i64") => json!(i64::MIN),
                _ => sample(manifest, &param["type"]),
            };
            let mut arguments: serde_json::Map<_, _> = params
                .iter()
                .map(|param| (param["name"].as_str().unwrap().to_owned(), value(param)))
                .collect();
            if method["name"] == "may_fail" {
                arguments.insert("flag".to_owned(), json!(false));
            }
            let echoed = match params.as_slice() {
                [param] if param["type"] == method["returns"] => Some(value(param)),
                _ => None,
            };
            let tool = format!("abi_{}", method["name"].as_str().unwrap());
            (Step::call(&tool, arguments.into()), echoed)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_client_calls_every_method_of_the_core_conformance_manifest() {
    let bytes = manifest("abi_conformance.json");
    let node = LoopbackNode::start(Options::default()).await;
    node.install(App::new("com.calimero.abi", &bytes, Behaviour::Echo));
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let every = calls_of_every_method(&manifest);
    assert_eq!(every.len() + 1, manifest["methods"].as_array().unwrap().len());
    let mut steps = vec![
        Step::call(
            "create_context",
            json!({"application": "abi", "namespace": "a".repeat(64)}),
        ),
        Step::call("select_app", json!({"app": "abi"})),
    ];
    steps.extend(every.iter().map(|(step, _)| step.clone()));
    steps.push(Step::call("abi_may_fail", json!({"flag": true})));
    let source = format!("calimero:{}", node.url());
    let session = stdio_session(TOOLMESH, &["serve", &source], "legacy", &steps);
    let results = &session.results[2..];
    let mut echoed = 0;
    for (result, (step, expected)) in results.iter().zip(&every) {
        let value = &result.structured()["result"];
        if let Some(expected) = expected {
            assert_eq!(value, expected, "{}", step.tool);
            echoed += 1;
        }
    }
    assert!(echoed >= 15, "{echoed} values came back");
    let toolmesh_testkit::CallResult::Answered {
        is_error: true, text, ..
    } = results.last().unwrap()
    else {
        panic!("{:?}", results.last())
    };
    assert!(text.iter().any(|text| text == "it was asked to fail"), "{text:?}");
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
        Step::call("select_app", json!({"app": "kv-store"})),
        Step::call("kv_store_len", json!({})),
    ];
    let session = http_session(server.url(), &steps);
    assert_eq!(session.tools.len(), 40, "{:?}", session.tool_names());
    assert_eq!(session.results[1].structured()["result"], json!({"k": "v"}));
    // What is selected lasts as long as the session.
    assert_eq!(session.results[3].structured()["result"], json!(1));
    let another = http_session(server.url(), &[Step::call("kv_store_len", json!({}))]);
    assert!(
        matches!(
            &another.results[0],
            toolmesh_testkit::CallResult::Answered { is_error: true, .. }
        ),
        "{:?}",
        another.results
    );
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
