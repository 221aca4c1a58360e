//! Calls that are targeted by handles.

use toolmesh_calimero::{HandleKey, Mapping, NodeOptions};
use toolmesh_calimero_node::{App, Behaviour, LoopbackNode};
use toolmesh_json::Value;
use toolmesh_tool::{ContentBlock, Outcome, Transport};

use crate::manifests::bytes;
use crate::served::{Served, battleships, kv, settings};

const AGAIN: &str =
    "Call select_app for com.calimero.kv-store and retry with the app_handle that it returns.";

/// A served key-value store whose tools take handles, and the id of its context.
async fn store() -> (Served, String) {
    Served::store_with(|options| options.mapping = Mapping::handles()).await
}

/// Another source over the same node.
async fn another(served: Served, change: impl FnOnce(&mut NodeOptions)) -> Served {
    let mut options = NodeOptions::new(settings(&served.node));
    options.mapping = Mapping::handles();
    change(&mut options);
    Served::start_with(served.node, options).await
}

fn text(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(toolmesh_json::View::as_str);
    text.unwrap_or_else(|| panic!("{key}: {}", value.to_text()))
        .to_owned()
}

async fn selected(served: &Served) -> String {
    let answer = served.done("select_app", r#"{"app":"kv-store"}"#).await;
    text(&answer, "app_handle")
}

fn with(handle: &str) -> String {
    format!(r#"{{"app_handle":"{handle}"}}"#)
}

#[tokio::test]
async fn select_app_gives_a_handle_with_which_tools_run_and_it_never_reaches_the_application() {
    let (served, context) = store().await;
    let answer = served.done("select_app", r#"{"app":"kv-store"}"#).await;
    assert_eq!(text(&answer, "context"), context);
    assert!(text(&answer, "toolsNote").contains("prefix"));
    let handle = text(&answer, "app_handle");
    // The loopback node panics on an argument that is not declared.
    let set = format!(r#"{{"app_handle":"{handle}","key":"a","value":"1"}}"#);
    served.done("kv_store_set", &set).await;
    let get = format!(r#"{{"key":"a","app_handle":"{handle}"}}"#);
    assert_eq!(
        served.done("kv_store_get", &get).await.to_text(),
        r#"{"result":"1"}"#
    );
}

#[tokio::test]
async fn the_handle_is_a_required_argument_of_every_tool_in_the_place_of_the_context() {
    let (served, _) = store().await;
    let snapshot = served.toolbox.snapshot();
    let tools = snapshot.listed_tools();
    let of_app: Vec<_> = tools
        .filter(|tool| tool.name().as_str().starts_with("kv_store_"))
        .collect();
    assert_eq!(of_app.len(), 10);
    for tool in of_app {
        let document = tool.tool().input_schema().document();
        let names = document.get("properties").unwrap();
        let names: Vec<&str> = names.as_object().unwrap().keys().collect();
        assert_eq!(names[0], "app_handle");
        assert!(!names.contains(&"_context"));
        let required = document.get("required").unwrap().to_text();
        assert!(required.starts_with(r#"["app_handle""#), "{required}");
    }
    insta::assert_snapshot!(
        "get_by_handle",
        snapshot
            .listed_tools()
            .find(|tool| tool.name().as_str() == "kv_store_get")
            .unwrap()
            .tool()
            .input_schema()
            .document()
            .to_text()
    );
    insta::assert_snapshot!(
        "call_by_handle",
        snapshot
            .listed_tools()
            .find(|tool| tool.name().as_str() == "call")
            .unwrap()
            .tool()
            .input_schema()
            .document()
            .to_text()
    );
}

#[tokio::test]
async fn a_missing_handle_is_told_before_wrong_arguments() {
    let (served, _) = store().await;
    let told = served.refused("kv_store_get", r#"{"key":7}"#).await;
    assert!(
        told.contains("/app_handle: expected the app_handle that select_app returns, as a string (missing)"),
        "{told}"
    );
    let told = served.refused("kv_store_len", r#"{"app_handle":7}"#).await;
    assert!(told.contains("as a string (type)"), "{told}");
}

#[tokio::test]
async fn forged_foreign_and_truncated_handles_are_refused_with_one_text() {
    let (served, context) = store().await;
    let other = served.node.install(App::new(
        "com.calimero.other",
        &bytes("kv_store"),
        Behaviour::KeyValue,
    ));
    served.node.create_context(&other, None);
    let own = selected(&served).await;
    let foreign = text(
        &served.done("select_app", r#"{"app":"other"}"#).await,
        "app_handle",
    );
    let (payload, signature) = own.split_once('.').unwrap();
    let (foreign_payload, _) = foreign.split_once('.').unwrap();
    let by_hand = {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        let payload = URL_SAFE_NO_PAD.decode(payload).unwrap();
        let payload = String::from_utf8(payload).unwrap().replace("1.0.0", "9.0.0");
        URL_SAFE_NO_PAD.encode(payload)
    };
    for wrong in [
        foreign.clone(),
        format!("{payload}."),
        payload.to_owned(),
        format!(".{signature}"),
        format!("{foreign_payload}.{signature}"),
        format!("{by_hand}.{signature}"),
        own[..own.len() - 1].to_owned(),
        format!("{own}="),
        context.clone(),
        "room".to_owned(),
        String::new(),
        "x".repeat(10_000),
    ] {
        assert_eq!(
            served.refused("kv_store_len", &with(&wrong)).await,
            AGAIN,
            "{wrong}"
        );
    }
    served.done("kv_store_len", &with(&own)).await;
}

#[tokio::test]
async fn a_handle_of_describe_app_names_no_context() {
    let (served, _) = store().await;
    let described = served.done("describe_app", r#"{"app":"kv-store"}"#).await;
    let told = served
        .refused("kv_store_len", &with(&text(&described, "app_handle")))
        .await;
    assert!(
        told.starts_with("This app_handle names no context: call select_app for"),
        "{told}"
    );
}

#[tokio::test]
async fn a_handle_ends_with_an_upgrade_a_new_guide_and_its_context() {
    let (served, context) = store().await;
    let guided = || kv().metadata(serde_json::json!({ "guide": "# New" }));
    for change in [kv().version("2.0.0"), guided().version("2.0.0"), guided()] {
        let handle = selected(&served).await;
        served.done("kv_store_len", &with(&handle)).await;
        served.node.install(change);
        assert_eq!(served.refused_last("kv_store_len", &with(&handle)).await, AGAIN);
        let fresh = selected(&served).await;
        served.done("kv_store_len", &with(&fresh)).await;
    }
    let handle = selected(&served).await;
    served.node.delete_context(&context);
    for call in ["kv_store_len", "call"] {
        let arguments = format!(r#"{{"app_handle":"{handle}","method":"len"}}"#);
        assert_eq!(served.refused_last(call, &arguments).await, AGAIN);
    }
}

#[tokio::test]
async fn a_handle_ends_with_a_context_that_is_deleted_here() {
    let (served, context) = store().await;
    let handle = selected(&served).await;
    let delete = format!(r#"{{"context":"{context}"}}"#);
    served.done("delete_context", &delete).await;
    assert_eq!(served.refused_last("kv_store_len", &with(&handle)).await, AGAIN);
}

#[tokio::test]
async fn a_handle_of_an_application_that_is_gone_is_refused() {
    let (served, _) = store().await;
    let handle = selected(&served).await;
    let apps = served.done("list_applications", "{}").await;
    let id = apps.pointer("/apps/0/id").unwrap().as_str().unwrap().to_owned();
    served.node.uninstall(&id);
    assert_eq!(
        served.refused("kv_store_len", &with(&handle)).await,
        "Application not found"
    );
}

#[tokio::test]
async fn a_refusal_brings_the_guide_of_the_application() {
    let (served, _) = store().await;
    let guided = kv().metadata(serde_json::json!({ "name": "The Store", "guide": "# How to" }));
    served.node.install(guided);
    served.done("list_applications", "{}").await;
    let result = served.call("kv_store_len", &with("forged")).await;
    assert!(result.is_error);
    let [label, guide, line, ..] = result.content.as_slice() else {
        panic!("{:?}", result.content)
    };
    let ContentBlock::Text(label) = label else {
        panic!("{label:?}")
    };
    assert_eq!(
        label.text,
        "The guide of The Store (1.0.0), by its author (did:key:z6MkTest):"
    );
    let ContentBlock::Resource(guide) = guide else {
        panic!("{guide:?}")
    };
    assert!(guide.resource.uri.starts_with("calimero://apps/"));
    assert_eq!(
        guide.resource.body,
        toolmesh_tool::ResourceBody::Text("# How to".to_owned())
    );
    let ContentBlock::Text(line) = line else {
        panic!("{line:?}")
    };
    assert_eq!(line.text, AGAIN);
}

#[tokio::test]
async fn a_handle_lives_as_long_as_its_key() {
    let (served, _) = store().await;
    let handle = selected(&served).await;
    let restarted = another(served, |_| {}).await;
    assert_eq!(restarted.refused("kv_store_len", &with(&handle)).await, AGAIN);
    let key = || Some(HandleKey::new(&[7; 32]).unwrap());
    let first = another(restarted, |options| options.handle_key = key()).await;
    let handle = selected(&first).await;
    let second = another(first, |options| options.handle_key = key()).await;
    second.done("kv_store_len", &with(&handle)).await;
    let third = another(second, |options| {
        options.handle_key = Some(HandleKey::new(&[8; 32]).unwrap());
    })
    .await;
    assert_eq!(third.refused("kv_store_len", &with(&handle)).await, AGAIN);
}

#[tokio::test]
async fn call_takes_a_handle_or_an_application_and_a_context() {
    let (served, _) = store().await;
    let other = App::new("com.calimero.other", &bytes("kv_store"), Behaviour::KeyValue);
    served.node.install(other);
    let handle = selected(&served).await;
    let by_handle = format!(r#"{{"app_handle":"{handle}","method":"len"}}"#);
    assert_eq!(served.done("call", &by_handle).await.to_text(), r#"{"result":0}"#);
    let by_name = r#"{"app":"kv-store","context":"room","method":"len"}"#;
    assert_eq!(served.done("call", by_name).await.to_text(), r#"{"result":0}"#);
    let both = format!(r#"{{"app_handle":"{handle}","app":"kv-store","method":"len"}}"#);
    served.done("call", &both).await;
    let apart = format!(r#"{{"app_handle":"{handle}","app":"other","method":"len"}}"#);
    assert_eq!(
        served.refused("call", &apart).await,
        "The app_handle is of com.calimero.kv-store, and `app` names another application."
    );
    let same = format!(r#"{{"app_handle":"{handle}","context":"room","method":"len"}}"#);
    served.done("call", &same).await;
    let another = format!(
        r#"{{"app_handle":"{handle}","context":"{}","method":"len"}}"#,
        "0".repeat(64)
    );
    let told = served.refused("call", &another).await;
    assert!(
        told.starts_with("The app_handle is of the context ") && told.ends_with("names another."),
        "{told}"
    );
    assert_eq!(
        served.refused("call", r#"{"method":"len"}"#).await,
        "Pass app_handle from select_app, or `app` and `context`."
    );
    let nowhere = served
        .refused("call", r#"{"app":"kv-store","method":"len"}"#)
        .await;
    assert!(
        nowhere.starts_with("Pass app_handle from select_app, or `context` with `app`. Contexts for"),
        "{nowhere}"
    );
    assert_eq!(
        served
            .refused("call", r#"{"app_handle":"forged","method":"len"}"#)
            .await,
        "Call select_app for the application and retry with the app_handle that it returns."
    );
}

#[tokio::test]
async fn of_many_calls_those_with_a_bad_handle_fail_alone() {
    let (served, _) = store().await;
    let handle = selected(&served).await;
    let many = format!(
        r#"{{"calls":[{{"app_handle":"{handle}","method":"len"}},{{"app_handle":"x","method":"len"}},{{"app_handle":"{handle}","method":"init"}}]}}"#
    );
    let results = served.done("call_many", &many).await;
    let ok: Vec<bool> = (0..3)
        .map(|place| {
            let ok = results.pointer(&format!("/results/{place}/ok"));
            ok.unwrap().as_bool().unwrap()
        })
        .collect();
    assert_eq!(ok, [true, false, false]);
}

#[tokio::test]
async fn over_http_a_handle_is_all_that_a_call_needs() {
    let (served, _) = store().await;
    let select = served
        .outcome(Transport::Http, "select_app", r#"{"app":"kv-store"}"#)
        .await;
    let Outcome::Completed(selected) = select else {
        panic!("{select:?}")
    };
    let selected = selected.structured.unwrap();
    assert!(selected.get("note").is_none(), "{}", selected.to_text());
    let handle = text(&selected, "app_handle");
    let called = served
        .outcome(Transport::Http, "kv_store_len", &with(&handle))
        .await;
    assert!(matches!(called, Outcome::Completed(result) if !result.is_error));
}

#[tokio::test]
async fn a_handle_is_bound_to_the_service_of_its_context() {
    let node = LoopbackNode::start(Default::default()).await;
    let id = node.install(battleships());
    let context = node.create_context(&id, Some("lobby"));
    let mut options = NodeOptions::new(settings(&node));
    options.mapping = Mapping::handles();
    let served = Served::start_with(node, options).await;
    let select = format!(r#"{{"app":"battleships","context":"{context}"}}"#);
    let handle = text(&served.done("select_app", &select).await, "app_handle");
    served.done("battleships_lobby_get_matches", &with(&handle)).await;
    let game = served.tool_names();
    let game = game
        .iter()
        .find(|name| name.starts_with("battleships_game_get"))
        .unwrap();
    let told = served.refused(game, &with(&handle)).await;
    assert!(
        told.contains("The context runs the service \"lobby\", and the method is of \"game\".")
            || told.contains("expected"),
        "{told}"
    );
}

#[tokio::test]
async fn a_method_that_declares_the_arguments_name_has_no_tool_and_call_reaches_it() {
    let manifest = br#"{"schema_version":"wasm-abi/1","types":{},"events":[],"methods":[
        {"name":"take","params":[{"name":"app_handle","type":{"kind":"u32"}}],"returns":{"kind":"u32"}},
        {"name":"ping","params":[]}]}"#;
    let node = LoopbackNode::start(Default::default()).await;
    let id = node.install(App::new("com.x.taker", manifest, Behaviour::Echo));
    node.create_context(&id, None);
    let mut options = NodeOptions::new(settings(&node));
    options.mapping = Mapping::handles();
    let served = Served::start_with(node, options).await;
    assert!(!served.tool_names().contains(&"taker_take".to_owned()));
    assert!(served.tool_names().contains(&"taker_ping".to_owned()));
    let handle = text(
        &served.done("select_app", r#"{"app":"taker"}"#).await,
        "app_handle",
    );
    let call = format!(r#"{{"app_handle":"{handle}","method":"take","args":{{"app_handle":7}}}}"#);
    assert_eq!(served.done("call", &call).await.to_text(), r#"{"result":7}"#);
}
