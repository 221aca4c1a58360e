//! The providers' own packages judge what we send: `openai`, `anthropic`, `google-genai` and `mcp`, without any network.

use std::collections::HashMap;

use serde_json::{Value as Json, json as plain};
use toolmesh_json::Value;
use toolmesh_provider::{Options, Provider, Reply, Strictness, Toolset};
use toolmesh_testkit::run_python;
use toolmesh_tool::{ContentBlock, MediaContent, ToolDescriptor, ToolResult};

use crate::corpus::{self, contract_corpus};
use crate::support::{schemas::input_schema, sent_schema, sent_tools, tool};

const SCRIPT: &str = "provider_formats.py";

fn as_plain(value: &Value) -> Json {
    serde_json::from_str(&value.to_text()).unwrap()
}

#[test]
fn pydantic_models_become_what_openai_itself_makes_of_them() {
    let models = run_python(SCRIPT, &["models"]);
    let models = models.as_array().unwrap();
    assert!(models.len() >= 6);
    for model in models {
        let toolset = crate::support::translate(Provider::OpenAi, &model["schema"].to_string());
        let ours = as_plain(toolset.tools());
        assert_eq!(
            ours[0]["function"]["strict"],
            true,
            "{}: {:?}",
            model["name"],
            toolset.warnings()
        );
        assert_eq!(
            ours[0]["function"]["parameters"],
            reachable(&model["strict"]),
            "{}",
            model["name"]
        );
    }
}

/// Without definitions that nothing refers to any more.
fn reachable(schema: &Json) -> Json {
    let mut schema = schema.clone();
    let Some(mut left) = schema.as_object_mut().and_then(|root| root.remove("$defs")) else {
        return schema;
    };
    let mut kept = serde_json::Map::new();
    let mut text = schema.to_string();
    loop {
        let names: Vec<String> = left.as_object().unwrap().keys().cloned().collect();
        let next = names
            .into_iter()
            .find(|name| text.contains(&format!("\"#/$defs/{name}\"")));
        let Some(name) = next else {
            break;
        };
        let definition = left.as_object_mut().unwrap().remove(&name).unwrap();
        text.push_str(&definition.to_string());
        kept.insert(name, definition);
    }
    if !kept.is_empty() {
        schema["$defs"] = Json::Object(kept);
    }
    schema
}

/// Asks the packages about each value.
fn judge(entries: &[(&str, Json)]) {
    let folder = std::env::temp_dir().join(format!(
        "toolmesh-providers-{}-{}",
        std::process::id(),
        entries.len()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("entries.json");
    std::fs::write(&file, plain!(entries).to_string()).unwrap();
    let report = run_python(SCRIPT, &["judge", file.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    let seen = report["seen"].as_object().unwrap().values();
    let seen: u64 = seen.map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(usize::try_from(seen).unwrap(), entries.len());
    let faults: Vec<String> = report["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults, the first: {:#?}",
        faults.len(),
        faults.first()
    );
}

/// Tools of contracts, and generated ones.
fn tools() -> Vec<ToolDescriptor> {
    use proptest::strategy::{Strategy, ValueTree};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let generated = (0..200).map(|index| {
        let schema = input_schema().new_tree(&mut runner).unwrap().current();
        tool(&format!("generated/{index}"), &schema)
    });
    contract_corpus().into_iter().chain(generated).collect()
}

#[test]
fn every_translated_tool_is_of_the_shape_that_the_packages_know() {
    let tools = tools();
    let mut entries = Vec::new();
    let mut strict = 0;
    for (provider, options) in corpus::ways() {
        let toolset = Toolset::translate(provider, tools.iter().cloned(), &options);
        let kind = HashMap::from([
            (Provider::OpenAi, "openai_tool"),
            (Provider::OpenAiResponses, "responses_tool"),
            (Provider::Anthropic, "anthropic_tool"),
            (Provider::Gemini, "gemini_tool"),
            (Provider::Mcp, "mcp_tool"),
        ])[&provider];
        let sent = as_plain(toolset.tools());
        entries.extend(sent.as_array().unwrap().iter().map(|one| (kind, one.clone())));
        if provider == Provider::Anthropic && options.strictness == Strictness::Lossless {
            strict += sent
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["strict"] == true)
                .count();
        }
    }
    assert!(strict > 5, "only {strict} strict tools of Anthropic");
    judge(&entries);
}

#[test]
fn anthropics_transform_leaves_our_strict_schemas_as_they_are() {
    let options = Options {
        strictness: Strictness::Lossless,
        ..Options::default()
    };
    let mut entries = Vec::new();
    // One at a time, so that no count of a request stops any.
    for tool in tools() {
        let toolset = Toolset::translate(Provider::Anthropic, [tool], &options);
        for sent in sent_tools(&toolset) {
            let schema = sent_schema(Provider::Anthropic, sent).unwrap();
            if sent.get("strict").is_some() {
                entries.push(("anthropic_strict_schema", as_plain(&schema.to_value())));
            }
        }
    }
    assert!(entries.len() > 40, "only {} strict schemas", entries.len());
    judge(&entries);
}

#[test]
fn results_are_of_the_shape_that_the_packages_know() {
    let image = ContentBlock::Image(MediaContent {
        data: vec![1, 2, 3],
        mime_type: "image/png".to_owned(),
        annotations: None,
        meta: None,
    });
    let results = [
        ToolResult::text("done").with_content(image),
        ToolResult::structured(Value::object().put("n", 1)),
        ToolResult::error_text("no"),
    ];
    let replies: Vec<Reply> = results
        .into_iter()
        .enumerate()
        .map(|(index, result)| Reply {
            name: "t".to_owned(),
            call_id: Some(format!("c{index}")),
            result,
        })
        .collect();
    let mut entries = Vec::new();
    for (provider, kind) in [
        (Provider::OpenAi, "openai_message"),
        (Provider::OpenAiResponses, "responses_item"),
        (Provider::Anthropic, "anthropic_message"),
        (Provider::Gemini, "gemini_content"),
        (Provider::Mcp, "mcp_result"),
    ] {
        let toolset = crate::support::translate(provider, r#"{"type":"object","properties":{}}"#);
        entries.extend(
            toolset
                .messages(&replies)
                .iter()
                .map(|message| (kind, as_plain(message))),
        );
    }
    judge(&entries);
}
