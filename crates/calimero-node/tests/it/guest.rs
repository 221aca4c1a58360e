//! The interpreter checks arguments as serde would.

use serde_json::{Value, json};
use toolmesh_calimero_node::{App, Behaviour, LoopbackNode, Options, sample};
use toolmesh_testkit::http::Request;

/// Variant types in every representation, and one in another.
const TYPES: &str = r##"{
    "Tagged":{"kind":"variant","tag":"t","variants":[{"name":"None"},{"name":"Point","payload":{"$ref":"Point"}},
        {"name":"Deep","payload":{"$ref":"External"}}]},
    "Adjacent":{"kind":"variant","tag":"t","content":"v","variants":[{"name":"Count","payload":{"kind":"u64"}},{"name":"None"}]},
    "External":{"kind":"variant","variants":[{"name":"Size","payload":{"kind":"u32"}},{"name":"Empty"}]},
    "Untagged":{"kind":"variant","untagged":true,"variants":[{"name":"A","payload":{"kind":"string"}},{"name":"B"}]},
    "Point":{"kind":"record","fields":[{"name":"x","type":{"kind":"i32"}}]}}"##;

async fn takes(ty: &str, value: &Value) -> bool {
    let manifest = format!(
        r##"{{"schema_version":"wasm-abi/1","types":{TYPES},"events":[],"methods":[{{"name":"put","params":[
            {{"name":"v","type":{{"$ref":"{ty}"}}}}]}}]}}"##
    );
    let node = LoopbackNode::start(Options::default()).await;
    let id = node.install(App::new("com.x.y", manifest.as_bytes(), Behaviour::Echo));
    let context = node.create_context(&id, None);
    let params = json!({ "contextId": context, "method": "put", "argsJson": { "v": value } });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "execute", "params": params });
    let url = format!("{}/jsonrpc", node.url());
    let answer = Request::post_json(&url, request.to_string()).send().json();
    answer["error"].is_null()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn variants_are_taken_in_their_own_representation_alone() {
    for (ty, value, is_taken) in [
        ("Tagged", json!({ "t": "None", "more": 1 }), true),
        ("Tagged", json!({ "t": "Point", "x": 1 }), true),
        ("Tagged", json!({ "t": "Point" }), false),
        ("Tagged", json!({ "t": "Deep", "Size": 1 }), true),
        ("Tagged", json!({ "t": "Deep", "Empty": null }), true),
        ("Tagged", json!({ "t": "Deep", "Size": 1, "Empty": null }), false),
        ("Tagged", json!("None"), false),
        ("Adjacent", json!({ "t": "Count", "v": 1 }), true),
        ("Adjacent", json!({ "t": "Count" }), false),
        ("Adjacent", json!({ "t": "None" }), true),
        ("External", json!("Empty"), true),
        ("External", json!({ "Size": -1 }), false),
        ("External", json!("Size"), false),
        ("Untagged", json!("text"), true),
        ("Untagged", json!(null), true),
        ("Untagged", json!(1), false),
    ] {
        assert_eq!(takes(ty, &value).await, is_taken, "{ty} {value}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sample_of_a_type_is_taken_for_it() {
    let manifest = json!({ "types": serde_json::from_str::<Value>(TYPES).unwrap() });
    for ty in ["Tagged", "Adjacent", "External", "Untagged", "Point"] {
        let value = sample(&manifest, &json!({ "$ref": ty }));
        assert!(takes(ty, &value).await, "{ty} {value}");
    }
}
