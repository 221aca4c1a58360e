//! What safe translations look like, read by people.

use toolmesh_provider::{GeminiForm, Options, Provider, Strictness, Toolset, WarningKind};
use toolmesh_tool::{ToolAnnotations, ToolDescriptor};

use crate::support::{json, tool, translate};

/// A schema with something that each provider has to treat.
const ORDER: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Order",
  "type": "object",
  "properties": {
    "amount": {"type": "integer", "minimum": 0, "exclusiveMaximum": 100, "description": "How much."},
    "side": {"oneOf": [{"const": "buy", "description": "Take."}, {"const": "sell", "description": "Give."}]},
    "note": {"type": "string", "default": "none"},
    "limit": {"$ref": "#/$defs/price", "description": "At most this."},
    "legs": {"type": "array", "items": {"$ref": "#/$defs/price"}}
  },
  "required": ["amount", "side"],
  "additionalProperties": false,
  "$defs": {"price": {"type": "object", "properties": {"value": {"type": "number"}, "unit": {"type": ["string", "null"]}}, "required": ["value"], "additionalProperties": false}}
}"##;

fn shown(toolset: &Toolset) -> String {
    let tools: serde_json::Value = serde_json::from_str(&toolset.tools().to_text()).unwrap();
    let mut lines = vec![serde_json::to_string_pretty(&tools).unwrap()];
    lines.extend(toolset.warnings().iter().map(ToString::to_string));
    lines.join("\n")
}

#[test]
fn an_order_for_openai_is_strict() {
    insta::assert_snapshot!(shown(&translate(Provider::OpenAi, ORDER)));
}

#[test]
fn an_order_for_openai_responses_is_flat() {
    insta::assert_snapshot!(shown(&translate(Provider::OpenAiResponses, ORDER)));
}

#[test]
fn an_order_for_anthropic_is_json_schema() {
    insta::assert_snapshot!(shown(&translate(Provider::Anthropic, ORDER)));
}

#[test]
fn an_order_for_gemini_is_small() {
    insta::assert_snapshot!(shown(&translate(Provider::Gemini, ORDER)));
}

#[test]
fn an_order_for_newer_geminis_is_json_schema() {
    let options = Options {
        gemini: GeminiForm::JsonSchema,
        ..Options::default()
    };
    let toolset = Toolset::translate(Provider::Gemini, [tool("t", ORDER)], &options);
    insta::assert_snapshot!(shown(&toolset));
}

#[test]
fn an_order_for_mcp_has_everything() {
    let mut order = tool("t", ORDER);
    order.title = Some("Place an order".to_owned());
    order.output_schema = Some(r#"{"type":"object","properties":{"id":{"type":"string"}}}"#.to_owned());
    order.annotations = ToolAnnotations {
        destructive: Some(true),
        ..ToolAnnotations::default()
    };
    let toolset = Toolset::translate(Provider::Mcp, [order], &Options::default());
    insta::assert_snapshot!(shown(&toolset));
}

#[test]
fn strict_tools_of_anthropic_keep_to_the_counts_of_one_request() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
    let options = Options {
        strictness: Strictness::Lossless,
        ..Options::default()
    };
    let tools = (0..30).map(|index| tool(&format!("t{index}"), schema));
    let toolset = Toolset::translate(Provider::Anthropic, tools, &options);
    let strict = toolset
        .tools()
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool.get("strict").is_some())
        .count();
    assert_eq!(strict, 20);
    assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new());
    assert_eq!(
        toolset.warnings().last().unwrap().to_string(),
        "tool `t29`: not strict: one request takes at most 20 strict tools"
    );
}

#[test]
fn why_a_tool_is_not_strict_is_told() {
    let schemas = [
        r#"{"type":"object"}"#,
        r#"{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}"#,
        r#"{"type":"object","properties":{"a":{}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"array"}}}"#,
        r#"{"type":"object","properties":{"a":{"oneOf":[{"type":"number"},{"type":"integer"}]}}}"#,
        r#"{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"type":"string"}]}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer","not":{"const":1}}}}"#,
        r#"{"type":"object","properties":{},"required":["b"]}"#,
        r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/x","type":"string"}},"$defs":{"x":{"type":"string"}}}"##,
    ];
    let tools = schemas
        .iter()
        .enumerate()
        .map(|(index, schema)| tool(&format!("t{index}"), schema));
    let toolset = Toolset::translate(Provider::OpenAi, tools, &Options::default());
    let told: Vec<String> = toolset.warnings().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new());
}

fn nested(levels: usize) -> String {
    let inner = r#"{"type":"string"}"#.to_owned();
    (0..levels).fold(inner, |inner, _| {
        format!(r#"{{"type":"object","properties":{{"a":{inner}}},"required":["a"],"additionalProperties":false}}"#)
    })
}

fn is_strict(schema: &str) -> bool {
    let toolset = translate(Provider::OpenAi, schema);
    assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new());
    let tool = toolset.tools().as_array().unwrap().get(0).unwrap();
    tool.get("function")
        .unwrap()
        .get("strict")
        .unwrap()
        .as_bool()
        .unwrap()
}

#[test]
fn strict_ends_where_openai_says_that_it_ends() {
    assert!(is_strict(&nested(10)));
    assert!(!is_strict(&nested(11)));
    let values = |count: usize| {
        let list: Vec<String> = (0..count).map(|index| format!("\"{index}\"")).collect();
        let list = list.join(",");
        format!(
            r#"{{"type":"object","properties":{{"a":{{"enum":[{list}]}}}},"required":["a"],"additionalProperties":false}}"#
        )
    };
    assert!(is_strict(&values(1_000)));
    assert!(!is_strict(&values(1_001)));
}

#[test]
fn long_descriptions_and_too_many_tools_are_told() {
    let mut long = tool("t", r#"{"type":"object","properties":{}}"#);
    long.description = Some("ä".repeat(1_025));
    let toolset = Toolset::translate(Provider::OpenAi, [long.clone()], &Options::default());
    assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new());
    assert!(
        toolset
            .warnings()
            .iter()
            .any(|warning| warning.to_string().contains("cut to 1024"))
    );
    long.description = Some("ä".repeat(1_024));
    let toolset = Toolset::translate(Provider::OpenAi, [long], &Options::default());
    assert!(
        !toolset
            .warnings()
            .iter()
            .any(|warning| warning.to_string().contains("cut"))
    );

    let many = |count: usize| {
        let tools = (0..count).map(|index| {
            tool(
                &format!("t{index}"),
                r#"{"type":"object","properties":{},"additionalProperties":false}"#,
            )
        });
        Toolset::translate(Provider::OpenAi, tools, &Options::default())
            .warnings()
            .len()
    };
    assert_eq!((many(128), many(129)), (0, 1));
}

#[test]
fn what_cannot_be_offered_is_left_out_or_offered_without_arguments() {
    let mut newer = tool("twice", r#"{"type":"object","properties":{}}"#);
    newer.version = "1.10.0".to_owned();
    let tools = [
        tool("no_object", r#"{"type":"string"}"#),
        tool("broken", "{"),
        tool("elsewhere", r#"{"$ref":"https://example.org/schema"}"#),
        tool("twice", r#"{"type":"object","properties":{}}"#),
        newer,
        ToolDescriptor::new("unknown"),
    ];
    for provider in Provider::ALL {
        let toolset = Toolset::translate(provider, tools.clone(), &Options::default());
        assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new(), "{provider}");
        assert_eq!(toolset.names().len(), 4);
        let told: Vec<String> = toolset.warnings().iter().map(ToString::to_string).collect();
        assert!(
            told.contains(&"tool `no_object`: left out: its arguments are no object".to_owned()),
            "{told:?}"
        );
        assert!(
            told.contains(
                &"tool `twice`: left out: version 1.0.0, because one at least as high is listed".to_owned()
            ),
            "{told:?}"
        );
    }
}

#[test]
fn an_empty_toolset_is_an_empty_array() {
    for provider in Provider::ALL {
        let toolset = Toolset::translate(provider, [], &Options::default());
        assert_eq!(toolset.tools(), &json("[]"));
    }
}

#[test]
fn what_is_too_much_for_gemini_is_asked_for_as_json_text() {
    let as_text = |schema: &str| {
        let toolset = translate(Provider::Gemini, schema);
        assert_eq!(crate::rules::broken(&toolset), Vec::<String>::new());
        toolset
            .warnings()
            .iter()
            .any(|warning| warning.kind == WarningKind::AsJsonText)
    };
    // The root is the first level.
    assert!(!as_text(&nested(31)));
    assert!(as_text(&nested(32)));
    let alternatives = |count: usize| {
        let one = |index: usize| format!(r#"{{"type":"string","minLength":{index}}}"#);
        let all: Vec<String> = (0..count).map(one).collect();
        format!(
            r#"{{"type":"object","properties":{{"a":{{"anyOf":[{}]}}}},"additionalProperties":false}}"#,
            all.join(",")
        )
    };
    assert!(!as_text(&alternatives(32)));
    assert!(as_text(&alternatives(33)));
    let properties = |count: usize| {
        let all: Vec<String> = (0..count)
            .map(|index| format!(r#""{index}":{{"type":"string"}}"#))
            .collect();
        format!(
            r#"{{"type":"object","properties":{{{}}},"additionalProperties":false}}"#,
            all.join(",")
        )
    };
    assert!(!as_text(&properties(1_999)));
    assert!(as_text(&properties(2_000)));
}
