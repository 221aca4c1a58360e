//! Provider formats, text in and text out.

use toolmesh_embed::{FaultKind, FormatError, ToolFormat, Toolset, json, lower_call, to_tool};

const SEARCH: &str = r#"{"tool_id":"web.search","description":"Search.","input_schema":{"type":"object",
    "properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}}"#;

#[test]
fn the_plain_form_is_the_one_that_other_programs_know() {
    let tool = to_tool(ToolFormat::Anthropic, SEARCH).unwrap();
    assert!(
        tool.starts_with(r#"{"name":"web.search","description":"Search.","input_schema":{"type":"object""#),
        "{tool}"
    );
    let call = lower_call(
        ToolFormat::OpenAi,
        r#"{"id":"c1","function":{"name":"web.search","arguments":"{\"query\": 1.50}"}}"#,
    )
    .unwrap();
    assert_eq!(call.arguments_json, r#"{"query": 1.50}"#);
    let refused = lower_call(ToolFormat::Gemini, r#"{"name":"x"}"#).unwrap_err();
    assert!(matches!(refused, FormatError::Reply(_)), "{refused}");
    assert_eq!(ToolFormat::named("cohere").unwrap_err().kind, FaultKind::Invalid);
}

#[test]
fn a_toolset_goes_to_the_model_and_back() {
    let toolset = Toolset::translate("openai", &format!("[{SEARCH}]")).unwrap();
    let tools = json::parse(toolset.tools().as_bytes()).unwrap();
    let sent = tools
        .view()
        .pointer("/0/function/name")
        .unwrap()
        .as_str()
        .unwrap();
    assert_ne!(sent, "web.search", "the provider does not take a dot");
    assert!(toolset.warnings().contains("web.search"));
    let reply = format!(
        r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{sent}","arguments":"{{\"query\":\"mesh\"}}"}}}}]}}}}]}}"#
    );
    assert_eq!(
        toolset.calls(&reply).unwrap(),
        r#"[{"name":"web.search","arguments":{"query":"mesh"},"call_id":"c1"}]"#
    );
    let limited = toolset
        .calls(r#"{"error":{"message":"rate limited"}}"#)
        .unwrap_err();
    assert_eq!(limited.kind, FaultKind::Invalid, "{limited}");
    let messages = toolset
        .messages(r#"[{"name":"web.search","call_id":"c1","result":{"hits":[]}}]"#)
        .unwrap();
    assert!(messages.contains(r#""tool_call_id":"c1""#), "{messages}");
}
