//! T-1: the vectors by which programs of the tool mesh compare their translators.

use toolmesh_json::{Value, View};
use toolmesh_provider::{ToolCallParseError, ToolCallSpec, compat};
use toolmesh_tool::ToolDescriptor;

use crate::support::json;

fn vectors() -> Value {
    json(include_str!("../../../../testdata/net/golden_vectors.json"))
}

/// The vectors hold schemas as objects, under names of their own.
fn descriptor(input: View<'_>) -> ToolDescriptor {
    let mut descriptor = ToolDescriptor::from_value(input).unwrap();
    let text = |name| {
        input
            .get(name)
            .filter(|schema| !schema.is_null())
            .map(View::to_text)
    };
    descriptor.input_schema = text("input_schema_object");
    descriptor.output_schema = text("output_schema_object");
    descriptor
}

#[test]
fn every_descriptor_is_lowered_to_the_shared_shape() {
    let vectors = vectors();
    let cases = vectors.get("descriptors").unwrap().as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let tool = descriptor(case.get("input").unwrap());
        let made = [
            ("lowered_openai", compat::to_openai_tool(&tool)),
            ("lowered_anthropic", compat::to_anthropic_tool(&tool)),
            ("lowered_mcp", compat::to_mcp_tool(&tool)),
            ("lowered_gemini", compat::to_gemini_function_declaration(&tool)),
        ];
        for (name, made) in made {
            // Texts, not values: members stand in the same order too.
            assert_eq!(made.to_text(), case.get(name).unwrap().to_text(), "{name}");
        }
    }
}

type Lower = fn(View<'_>) -> Result<ToolCallSpec, ToolCallParseError>;

fn lower(provider: &str) -> Lower {
    match provider {
        "openai" => compat::lower_openai_tool_call,
        "anthropic" => compat::lower_anthropic_tool_use,
        "mcp" => compat::lower_mcp_tools_call,
        "gemini" => compat::lower_gemini_function_call,
        other => panic!("an unknown provider {other}"),
    }
}

#[test]
fn every_call_is_read_as_the_shared_spec() {
    let vectors = vectors();
    let mut count = 0;
    for provider in ["openai", "anthropic", "mcp", "gemini"] {
        let cases = vectors.get(&format!("lower_{provider}_cases")).unwrap();
        for case in cases.as_array().unwrap() {
            let spec = lower(provider)(case.get("reply_json").unwrap()).unwrap();
            let expected = case.get("expected_spec").unwrap();
            assert_eq!(Some(spec.name.as_str()), expected.get("name").unwrap().as_str());
            assert_eq!(
                spec.provider_call_id.as_deref(),
                expected.get("provider_call_id").unwrap().as_str()
            );
            match expected.get("arguments_json") {
                Some(exact) => assert_eq!(Some(spec.arguments_json.as_str()), exact.as_str()),
                None => assert_eq!(
                    json(&spec.arguments_json).view(),
                    expected.get("arguments_parsed").unwrap()
                ),
            }
            count += 1;
        }
    }
    assert_eq!(count, 5);
}

#[test]
fn every_call_that_must_be_refused_is_refused_with_its_kind() {
    let vectors = vectors();
    let kinds: Vec<String> = vectors
        .get("error_cases")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let provider = case.get("provider").unwrap().as_str().unwrap();
            lower(provider)(case.get("reply_json").unwrap())
                .unwrap_err()
                .to_string()
        })
        .collect();
    insta::assert_snapshot!(kinds.join("\n"));
}

#[test]
fn a_malformed_schema_is_the_empty_object_but_still_strict() {
    let mut tool = ToolDescriptor::new("t");
    tool.input_schema = Some("{".to_owned());
    assert_eq!(
        compat::to_openai_tool(&tool).to_text(),
        r#"{"type":"function","function":{"name":"t","description":"","parameters":{"type":"object","properties":{}},"strict":true}}"#
    );
}
