//! A node's applications, called the way every front calls them.

use proptest::prelude::ProptestConfig;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use toolmesh_calimero::NodeSettings;
use toolmesh_calimero_node::{App, Behaviour, Fault, IdForm, LoopbackNode, Options};
use toolmesh_json::{Value, parse};
use toolmesh_tool::{CallRequest, Caller, FrontInfo, Outcome, Transport};

use crate::generate::fitting;
use crate::manifests::{application, bytes, tool};
use crate::served::{Served, battleships, conformance, kv, settings};

#[tokio::test]
async fn a_method_is_called_in_a_context_by_alias_and_by_id() {
    let (served, context) = Served::store().await;
    served
        .done("kv_store_set", r#"{"key":"a","value":"1","_context":"room"}"#)
        .await;
    let by_id = format!(r#"{{"key":"a","_context":"{context}"}}"#);
    assert_eq!(
        served.done("kv_store_get", &by_id).await.to_text(),
        r#"{"result":"1"}"#
    );
    assert_eq!(
        served
            .done("kv_store_get", r#"{"key":"b","_context":"room"}"#)
            .await
            .to_text(),
        r#"{"result":null}"#
    );
    assert_eq!(
        served
            .done("kv_store_entries", r#"{"_context":"room"}"#)
            .await
            .to_text(),
        r#"{"result":{"a":"1"}}"#
    );
    assert_eq!(
        served.node.count("/admin-api/alias/lookup/context/room"),
        1,
        "an alias is looked up once"
    );
}

#[tokio::test]
async fn a_selection_is_the_default_context() {
    let (served, context) = Served::store().await;
    let refused = served.refused("kv_store_len", "{}").await;
    assert_eq!(
        refused,
        format!(
            "No context of com.calimero.kv-store is selected: call select_app, or pass `_context`. Contexts for \
             \"com.calimero.kv-store\": {context}"
        )
    );
    let selected = served.done("select_app", r#"{"app":"kv-store"}"#).await;
    assert_eq!(selected.get("context").unwrap().as_str(), Some(context.as_str()));
    assert_eq!(
        served.done("kv_store_len", "{}").await.to_text(),
        r#"{"result":0}"#
    );
    let names = selected.get("tools").unwrap().to_text();
    assert!(
        names.contains("kv_store_get") && !names.contains("init"),
        "{names}"
    );
}

#[tokio::test]
async fn over_http_without_a_session_nothing_is_selected_and_the_context_must_be_given() {
    let (served, _) = Served::store().await;
    served.done("select_app", r#"{"app":"kv-store"}"#).await;
    let Outcome::Completed(result) = served.outcome(Transport::Http, "kv_store_len", "{}").await else {
        panic!()
    };
    assert!(result.is_error);
    let told = result.joined_text();
    assert!(
        told.starts_with("This connection keeps no selection: pass `_context`."),
        "{told}"
    );
    let given = served
        .outcome(Transport::Http, "kv_store_len", r#"{"_context":"room"}"#)
        .await;
    assert!(matches!(given, Outcome::Completed(result) if !result.is_error));
}

#[tokio::test]
async fn a_selection_is_of_the_session_that_made_it() {
    let (served, _) = Served::store().await;
    let call = async |session: u64, tool: &str, arguments: &str| {
        let front = FrontInfo {
            session: Some(session),
            ..FrontInfo::default()
        };
        let caller = Caller::anonymous(Transport::Http);
        let request = CallRequest::new(tool, parse(arguments.as_bytes()).unwrap(), caller).front(front);
        match served.dispatcher.call(request).await {
            Outcome::Completed(result) => result,
            other => panic!("{other:?}"),
        }
    };
    let selected = call(1, "select_app", r#"{"app":"kv-store"}"#).await;
    assert!(!selected.joined_text().contains("keeps no selection"));
    assert!(!call(1, "kv_store_len", "{}").await.is_error);
    let other = call(2, "kv_store_len", "{}").await;
    assert!(other.is_error && other.joined_text().starts_with("No context of"));
    assert!(
        served
            .refused("kv_store_len", "{}")
            .await
            .starts_with("No context of")
    );
}

#[tokio::test]
async fn a_context_of_another_application_and_a_name_of_none_are_refused() {
    let served = Served::with(vec![kv(), conformance()]).await;
    let apps = served.done("list_applications", "{}").await;
    let other = apps.pointer("/apps/1/id").unwrap().as_str().unwrap().to_owned();
    let other_is_kv = apps.pointer("/apps/1/package").unwrap().as_str() == Some("com.calimero.kv-store");
    let context = served.node.create_context(&other, None);
    let wrong = if other_is_kv {
        "abi_conformance_noop"
    } else {
        "kv_store_len"
    };
    let told = served
        .refused(wrong, &format!(r#"{{"_context":"{context}"}}"#))
        .await;
    assert!(told.contains("does not belong to"), "{told}");
    assert_eq!(
        served.refused("kv_store_len", r#"{"_context":"nowhere"}"#).await,
        "Context \"nowhere\" not found: it is neither a context id nor an alias"
    );
    let unknown = "0".repeat(64);
    let told = served
        .refused("kv_store_len", &format!(r#"{{"_context":"{unknown}"}}"#))
        .await;
    assert!(told.starts_with("Context \""), "{told}");
}

#[tokio::test]
async fn every_method_of_the_conformance_application_runs_and_values_come_back_exactly() {
    let served = Served::with(vec![conformance()]).await;
    let created = served
        .done(
            "create_context",
            &format!(
                r#"{{"application":"abi_conformance","namespace":"{}"}}"#,
                "a".repeat(64)
            ),
        )
        .await;
    let context = created.get("contextId").unwrap().as_str().unwrap().to_owned();
    served.done("select_app", r#"{"app":"abi_conformance"}"#).await;
    let application = application("abi_conformance");
    let manifest = &application.services[0].manifest;
    let mut runner = TestRunner::new(ProptestConfig::default());
    let mut echoed = 0;
    for method in manifest.methods().filter(|method| method.name != "init") {
        let tool = tool(&application, &method.name);
        let strategy = fitting(tool.input_schema().document().view());
        for _ in 0..5 {
            let mut given = strategy.new_tree(&mut runner).unwrap().current();
            given = without_context(&given);
            if method.name == "may_fail" {
                given = parse(br#"{"flag":false}"#).unwrap();
            }
            let name = format!("abi_conformance_{}", method.name);
            let answer = served.done(&name, &given.to_text()).await;
            let (Some(returns), [param]) = (&method.returns, method.params.as_slice()) else {
                continue;
            };
            if *returns == param.ty {
                let sent = tool.accept().unwrap().accept(given.view()).unwrap();
                let sent = sent
                    .get(&param.name)
                    .map_or_else(|| "null".to_owned(), |value| value.to_text());
                assert_eq!(answer.get("result").unwrap().to_text(), sent, "{}", method.name);
                echoed += 1;
            }
        }
    }
    assert!(echoed > 100, "only {echoed} values came back");
    let largest = format!(r#"{{"x":18446744073709551615,"_context":"{context}"}}"#);
    assert_eq!(
        served.done("abi_conformance_echo_u64", &largest).await.to_text(),
        r#"{"result":18446744073709551615}"#
    );
    assert_eq!(
        served
            .refused("abi_conformance_may_fail", r#"{"flag":true}"#)
            .await,
        "it was asked to fail"
    );
}

fn without_context(arguments: &Value) -> Value {
    let members = arguments
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != "_context");
    members.collect::<toolmesh_json::ObjectBuilder>().build()
}

#[tokio::test]
async fn init_runs_through_create_context_with_arguments_that_were_checked() {
    let game = App::new("com.calimero.game", &bytes("battleships_game"), Behaviour::Echo);
    let served = Served::with(vec![game]).await;
    let namespace = "b".repeat(64);
    let create = |args: &str| format!(r#"{{"application":"game","namespace":"{namespace}","args":{args}}}"#);
    let told = served
        .refused("create_context", &create(r#"{"player1":"a"}"#))
        .await;
    assert!(
        told.starts_with("The arguments do not fit: /player2: expected a string (missing)."),
        "{told}"
    );
    assert!(told.contains("init(player1: string"), "{told}");
    assert_eq!(creations(&served), Vec::<String>::new(), "nothing was created");
    let args = r#"{"player1":"a","player2":"b","match_id":"m"}"#;
    served.done("create_context", &create(args)).await;
    let body = creations(&served).remove(0);
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let sent: Vec<u8> = serde_json::from_value(body["initializationParams"].clone()).unwrap();
    assert_eq!(String::from_utf8(sent).unwrap(), args);
    assert!(
        served
            .refused("call", r#"{"app":"game","method":"init"}"#)
            .await
            .starts_with("init runs once")
    );
}

/// What was asked for when contexts were created.
fn creations(served: &Served) -> Vec<String> {
    let requests = served.node.requests().into_iter();
    requests
        .filter(|request| request.method == "POST" && request.path == "/admin-api/contexts")
        .map(|request| request.body)
        .collect()
}

#[tokio::test]
async fn a_method_is_called_by_name_alone_and_several_at_once() {
    let (served, _) = Served::store().await;
    let set = r#"{"app":"kv-store","method":"set","args":{"key":"k","value":"v"},"context":"room"}"#;
    assert_eq!(served.done("call", set).await.to_text(), r#"{"result":null}"#);
    let many = r#"{"calls":[
        {"app":"kv-store","method":"get","args":{"key":"k"},"context":"room"},
        {"app":"kv-store","method":"get","args":{"key":1},"context":"room"},
        {"app":"kv-store","method":"jump","context":"room"},
        {"app":"nothing","method":"get"}]}"#;
    let results = served.done("call_many", many).await;
    let results: Vec<String> = results
        .get("results")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.to_text())
        .collect();
    assert_eq!(results[0], r#"{"ok":true,"result":"v"}"#);
    assert!(
        results[1].contains("/key: expected a string (type)"),
        "{}",
        results[1]
    );
    assert!(
        results[2].contains("Available: clear, entries, get"),
        "{}",
        results[2]
    );
    assert!(
        results[3].contains("Installed: com.calimero.kv-store"),
        "{}",
        results[3]
    );
}

#[tokio::test]
async fn call_many_takes_at_most_32_calls() {
    let (served, _) = Served::store().await;
    let many = |count: usize| {
        let one = r#"{"app":"kv-store","method":"len","context":"room"}"#;
        format!(r#"{{"calls":[{}]}}"#, vec![one; count].join(","))
    };
    served.done("call_many", &many(32)).await;
    served.refused("call_many", &many(33)).await;
    served.refused("call_many", &many(0)).await;
}

#[tokio::test]
async fn a_service_is_named_in_the_tool_and_its_context_must_run_it() {
    let served = Served::with(vec![battleships()]).await;
    assert!(
        served
            .tool_names()
            .contains(&"battleships_lobby_create_match".to_owned()),
        "{:?}",
        served.tool_names()
    );
    let apps = served.done("list_applications", "{}").await;
    assert_eq!(
        apps.pointer("/apps/0/services").unwrap().to_text(),
        r#"["game","lobby"]"#
    );
    let id = apps.pointer("/apps/0/id").unwrap().as_str().unwrap().to_owned();
    let context = served.node.create_context(&id, Some("game"));
    let told = served
        .refused(
            "battleships_lobby_get_matches",
            &format!(r#"{{"_context":"{context}"}}"#),
        )
        .await;
    assert_eq!(
        told,
        "The context runs the service \"game\", and the method is of \"lobby\"."
    );
    let described = served
        .done("describe_app", r#"{"app":"battleships","service":"lobby"}"#)
        .await;
    assert!(
        described
            .get("methods")
            .unwrap()
            .to_text()
            .contains("create_match")
    );
    let told = served
        .refused("describe_app", r#"{"app":"battleships","service":"bar"}"#)
        .await;
    assert!(told.contains("(available: game, lobby)"), "{told}");
}

#[tokio::test]
async fn the_list_follows_what_is_installed() {
    let served = Served::with(vec![kv()]).await;
    let mut watch = served.toolbox.watch();
    served.node.publish(conformance());
    let installed = served
        .done(
            "install_application",
            r#"{"coords":"com.calimero.abi_conformance@1.0.0"}"#,
        )
        .await;
    assert!(installed.get("applicationId").is_some());
    assert!(watch.changed().await.unwrap().tools());
    assert!(served.tool_names().contains(&"abi_conformance_noop".to_owned()));
    served
        .done("uninstall_application", r#"{"application":"kv-store"}"#)
        .await;
    assert!(watch.changed().await.unwrap().tools());
    assert!(
        !served
            .tool_names()
            .iter()
            .any(|name| name.starts_with("kv_store_"))
    );
    assert!(
        served
            .refused("install_application", r#"{"coords":"nothing"}"#)
            .await
            .starts_with("Expected package@version")
    );
    served.node.publish(kv());
    served.node.switch_on(Fault::InstallFails);
    let failed = served
        .refused(
            "install_application",
            r#"{"coords":"com.calimero.kv-store@1.0.0"}"#,
        )
        .await;
    assert!(
        failed.starts_with("HTTP 500 from ") && failed.ends_with("the bundle's signature does not verify"),
        "{failed}"
    );
    served.node.switch_off(Fault::InstallFails);
    let missing = served
        .refused("install_application", r#"{"coords":"com.x@1"}"#)
        .await;
    assert!(
        missing.contains("500") && missing.contains("has no application published at 1"),
        "{missing}"
    );
}

#[tokio::test]
async fn an_upgrade_in_place_brings_the_new_methods() {
    let (served, _) = Served::store().await;
    let manifest = br#"{"schema_version":"wasm-abi/1","types":{},"events":[],"methods":[{"name":"len","params":[],"returns":{"kind":"u32"}},{"name":"clear","params":[]}]}"#;
    served
        .node
        .install(App::new("com.calimero.kv-store", manifest, Behaviour::KeyValue).version("2.0.0"));
    served.done("list_applications", "{}").await;
    let names: Vec<String> = served
        .tool_names()
        .into_iter()
        .filter(|name| name.starts_with("kv_"))
        .collect();
    assert_eq!(names, ["kv_store_len", "kv_store_clear"]);
    assert_eq!(
        served
            .done("kv_store_len", r#"{"_context":"room"}"#)
            .await
            .to_text(),
        r#"{"result":0}"#
    );
}

#[tokio::test]
async fn an_interface_is_read_once_for_each_blob() {
    let (served, _) = Served::store().await;
    let read = |served: &Served| {
        let requests = served.node.requests().into_iter();
        requests.filter(|request| request.path.ends_with("/abi")).count()
    };
    served.done("list_applications", "{}").await;
    assert_eq!(read(&served), 1);
    served.node.install(kv().version("2.0.0"));
    served.done("list_applications", "{}").await;
    served.done("list_applications", "{}").await;
    assert_eq!(read(&served), 2);
}

#[tokio::test]
async fn what_a_package_says_of_itself_is_listed_without_its_guide() {
    let about = serde_json::json!({ "name": "Store", "author": "A", "guide": "# Use" });
    let served = Served::with(vec![kv().metadata(about)]).await;
    let apps = served.done("list_applications", "{}").await;
    let shown = apps.pointer("/apps/0/metadata").unwrap().to_text();
    assert_eq!(shown, r#"{"name":"Store","author":"A"}"#);
}

#[tokio::test]
async fn two_signers_of_one_package_have_tools_of_their_own() {
    let served = Served::with(vec![kv(), kv().signed_by("did:key:z6Other")]).await;
    let names = served.tool_names();
    let of_get: Vec<&String> = names
        .iter()
        .filter(|name| name.starts_with("kv_store") && name.ends_with("_len"))
        .collect();
    assert_eq!(of_get.len(), 2, "{of_get:?}");
    let told = served.refused("describe_app", r#"{"app":"kv-store"}"#).await;
    assert!(told.contains("is published by several signers"), "{told}");
}

#[tokio::test]
async fn an_application_whose_interface_cannot_be_read_has_no_tools_and_does_not_hide_the_others() {
    for (fault, told) in [
        (Fault::NoAbiRoute, "cannot be read from the node"),
        (Fault::AbiRefused, "cannot be read from the node"),
        (Fault::AbiMalformed, "cannot be read from the node"),
    ] {
        let node = LoopbackNode::start(Options::default()).await;
        node.install(kv());
        node.switch_on(fault);
        let settings = settings(&node);
        let served = Served::start(node, settings).await;
        assert!(
            !served
                .tool_names()
                .iter()
                .any(|name| name.starts_with("kv_store_")),
            "{fault:?}"
        );
        let refused = served
            .refused("call", r#"{"app":"kv-store","method":"len","service":"x"}"#)
            .await;
        assert!(refused.contains(told), "{refused}");
        served.node.switch_off(fault);
        served.done("list_applications", "{}").await;
        assert!(
            served
                .tool_names()
                .iter()
                .any(|name| name.starts_with("kv_store_")),
            "a failure is not remembered"
        );
    }
}

#[tokio::test]
async fn what_an_application_and_a_node_answer_in_trouble_is_told() {
    let (served, _) = Served::store().await;
    for (fault, told) in [
        (Fault::GuestError, "the application says no"),
        (Fault::GuestPanic, "guest panicked: out of cheese at lib.rs:1:2"),
        (Fault::Uninitialized, "Uninitialized. This passes: retry later."),
        (
            Fault::GroupKeyPending,
            r#"GroupKeyPending: {"context_id":"c"}. This passes: retry later."#,
        ),
        (
            Fault::UpgradeInProgress,
            r#"UpgradeInProgress: {"group_id":"g"}. This passes: retry later."#,
        ),
        (Fault::InternalError, "InternalError"),
        (Fault::InternalKind, r#"InternalError: {"kind":"runtime"}"#),
        (Fault::OutputNotJson, "SerdeError: expected value at line 1"),
        (Fault::ParseError, "ParseError: invalid context id"),
        (
            Fault::NotAuthorized,
            r#"Unauthorized: {"context_id":"c","public_key":"k"}"#,
        ),
        (Fault::CrossCall, r#"XCallNotPermitted: {"context_id":"c"}"#),
        (Fault::NotMember, "Caller is not a member of this context"),
        (Fault::OutOfGas, "execution exhausted its gas limit of 7 points"),
        (
            Fault::Garbage,
            "The node's answer cannot be understood: it is not JSON",
        ),
        (
            Fault::PermissionDenied,
            "The node does not allow this to whoever is logged in.",
        ),
    ] {
        served.done("kv_store_len", r#"{"_context":"room"}"#).await;
        served.node.switch_on(fault);
        assert_eq!(
            served.refused("kv_store_len", r#"{"_context":"room"}"#).await,
            told,
            "{fault:?}"
        );
        served.node.switch_off(fault);
    }
    served.node.switch_on(Fault::NullResult);
    assert_eq!(
        served
            .done("kv_store_len", r#"{"_context":"room"}"#)
            .await
            .to_text(),
        r#"{"result":null}"#
    );
    served.node.switch_off(Fault::NullResult);
    served.node.switch_on(Fault::LargestInteger);
    let told = served.refused("kv_store_len", r#"{"_context":"room"}"#).await;
    assert!(told.ends_with("which is: 18446744073709551615"), "{told}");
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_told_within_the_time_that_it_has() {
    let (served, _) = Served::store().await;
    let mut settings = settings(&served.node);
    settings.timeout = std::time::Duration::from_millis(50);
    served.node.switch_on(Fault::Silence);
    let node = toolmesh_calimero::Node::new(settings);
    let error = node
        .execute("c", "len", &Value::object().build(), None)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Cannot reach the node at {}: no answer in time",
            served.node.url()
        )
    );
}

#[tokio::test]
async fn a_node_that_is_not_there_yet_is_no_failure_to_start() {
    let settings = NodeSettings {
        // A port that nobody listens on: it was free a moment ago.
        url: Some({
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            format!("http://{}", listener.local_addr().unwrap())
        }),
        ..NodeSettings::default()
    };
    let node = LoopbackNode::start(Options::default()).await;
    let served = Served::start(node, settings).await;
    assert!(served.tool_names().contains(&"node_status".to_owned()));
    let told = served.refused("node_status", "{}").await;
    assert!(
        told.starts_with("Cannot reach the node at http://127.0.0.1:") && told.ends_with("no connection"),
        "{told}"
    );
}

#[tokio::test]
async fn both_forms_of_ids_work() {
    for ids in [IdForm::Hex, IdForm::Base58] {
        let node = LoopbackNode::start(Options {
            ids,
            ..Options::default()
        })
        .await;
        let id = node.install(kv());
        let context = node.create_context(&id, None);
        let settings = settings(&node);
        let served = Served::start(node, settings).await;
        assert_eq!(
            served
                .done("kv_store_len", &format!(r#"{{"_context":"{context}"}}"#))
                .await
                .to_text(),
            r#"{"result":0}"#
        );
    }
}

#[tokio::test]
async fn a_guide_is_a_resource_and_its_procedures_are_listed() {
    let guide = "# Store\n## Procedures\n### Fill it\nset.\n";
    let app = kv().metadata(serde_json::json!({ "name": "The Store", "guide": guide }));
    let served = Served::with(vec![app]).await;
    let apps = served.done("list_applications", "{}").await;
    assert_eq!(
        apps.pointer("/apps/0/procedures").unwrap().to_text(),
        r#"["Fill it"]"#
    );
    let uri = apps
        .pointer("/apps/0/guide")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let snapshot = served.toolbox.snapshot();
    let resource = snapshot.resources().next().unwrap();
    assert_eq!(
        (resource.uri.as_str(), resource.info.name.as_str()),
        (uri.as_str(), "The Store guide")
    );
    let context = toolmesh_tool::CallContext::in_process();
    let read = resource
        .reader
        .read(context.clone(), &uri, Default::default())
        .await
        .unwrap();
    assert_eq!(read[0].body, toolmesh_tool::ResourceBody::Text(guide.to_owned()));
    let missing = resource
        .reader
        .read(context, "calimero://apps/x/1/guide", Default::default())
        .await;
    assert!(missing.is_err());
    let tool = snapshot
        .listed_tools()
        .find(|tool| tool.name().as_str() == "kv_store_get")
        .cloned()
        .unwrap();
    assert_eq!(tool.tool().title(), Some("Get (The Store)"));
}

#[tokio::test]
async fn the_trace_context_of_a_call_goes_along() {
    let (served, _) = Served::store().await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (given, sent) in [(trace, Some(trace.to_owned())), ("ff-0-0-0", None)] {
        let arguments = parse(br#"{"_context":"room"}"#).unwrap();
        let front = FrontInfo {
            meta: Some(Value::object().put("traceparent", given).build()),
            ..FrontInfo::default()
        };
        let caller = Caller::anonymous(Transport::Stdio);
        let request = CallRequest::new("kv_store_len", arguments, caller).front(front);
        let outcome = served.dispatcher.call(request).await;
        assert!(matches!(outcome, Outcome::Completed(result) if !result.is_error));
        let last = served
            .node
            .requests()
            .into_iter()
            .rfind(|request| request.path == "/jsonrpc")
            .unwrap();
        assert_eq!(last.traceparent, sent);
    }
}
