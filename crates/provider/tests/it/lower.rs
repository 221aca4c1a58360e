//! Calls on their way to the tool.

use toolmesh_json::Value;
use toolmesh_provider::{CallFault, Options, Provider, Reply, ToolCallParseError, Toolset};

use crate::support::{call, json, lowered, tool, translate};

const OPTIONAL: &str = r#"{"type":"object","properties":{
    "id":{"type":"integer"},
    "note":{"type":"string"},
    "maybe":{"type":["string","null"]},
    "inner":{"type":"object","properties":{"deep":{"type":"boolean"}},"additionalProperties":false}
},"required":["id"],"additionalProperties":false}"#;

#[test]
fn the_strict_transform_is_undone() {
    for provider in [Provider::OpenAi, Provider::OpenAiResponses] {
        let toolset = translate(provider, OPTIONAL);
        let sent = json(r#"{"id":1,"note":null,"maybe":null,"inner":{"deep":null}}"#);
        // A null that the tool itself knows stays.
        assert_eq!(
            lowered(&toolset, &sent).to_text(),
            r#"{"id":1,"maybe":null,"inner":{}}"#
        );
        assert_eq!(
            toolset
                .express("t", json(r#"{"id":1,"inner":{}}"#).view())
                .unwrap()
                .to_text(),
            r#"{"id":1,"inner":{"deep":null},"note":null,"maybe":null}"#
        );
        assert_eq!(toolset.express("u", Value::null().view()), None);
    }
}

#[test]
fn integers_beyond_a_double_survive_in_every_provider() {
    for provider in Provider::ALL {
        for schema in [
            r#"{"type":"object","properties":{"id":{"type":"integer"},"note":{"type":"string"}},"required":["id"]}"#,
            r#"{"type":"object"}"#,
            r#"{"type":"object","anyOf":[{"properties":{"id":{"type":"integer"}}}]}"#,
        ] {
            let toolset = translate(provider, schema);
            let own = json(
                r#"{"id":115792089237316195423570985008687907853269984665640564039457584007913129639935}"#,
            );
            let sent = toolset.express("t", own.view()).unwrap();
            assert_eq!(
                lowered(&toolset, &sent).to_text(),
                own.to_text(),
                "{provider} {schema}"
            );
        }
    }
}

#[test]
fn absent_and_empty_arguments_are_an_empty_object() {
    let toolset = |provider| translate(provider, r#"{"type":"object","properties":{}}"#);
    let cases = [
        (
            Provider::OpenAi,
            r#"{"id":"c","function":{"name":"t","arguments":""}}"#,
        ),
        (
            Provider::OpenAiResponses,
            r#"{"type":"function_call","name":"t","arguments":" "}"#,
        ),
        (Provider::Anthropic, r#"{"type":"tool_use","name":"t"}"#),
        (Provider::Gemini, r#"{"name":"t"}"#),
        (Provider::Mcp, r#"{"name":"t"}"#),
    ];
    for (provider, text) in cases {
        assert_eq!(
            toolset(provider).lower(json(text).view()).unwrap().arguments_json,
            "{}",
            "{provider}"
        );
    }
}

#[test]
fn ids_come_from_where_each_provider_puts_them() {
    let id = |provider, text: &str| {
        let toolset = translate(provider, r#"{"type":"object","properties":{}}"#);
        toolset.lower(json(text).view()).unwrap().provider_call_id
    };
    assert_eq!(
        id(
            Provider::OpenAiResponses,
            r#"{"id":"fc_1","call_id":"call_1","name":"t","arguments":"{}"}"#
        )
        .as_deref(),
        Some("call_1")
    );
    assert_eq!(
        id(Provider::Gemini, r#"{"id":"g1","name":"t","args":{}}"#).as_deref(),
        Some("g1")
    );
    assert_eq!(id(Provider::Mcp, r#"{"id":7,"name":"t","arguments":{}}"#), None);
}

#[test]
fn every_call_of_a_reply_is_found() {
    let tools =
        || ["a", "b"].map(|name| tool(name, r#"{"type":"object","properties":{"x":{"type":"integer"}}}"#));
    let replies = [
        (
            Provider::OpenAi,
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"2","function":{"name":"b","arguments":"{}"}}]}}]}"#,
        ),
        (
            Provider::OpenAiResponses,
            r#"{"output":[{"type":"reasoning"},{"type":"function_call","call_id":"1","name":"a","arguments":"{\"x\":1}"},{"type":"function_call","call_id":"2","name":"b","arguments":"{}"}]}"#,
        ),
        (
            Provider::Anthropic,
            r#"{"content":[{"type":"text","text":"t"},{"type":"tool_use","id":"1","name":"a","input":{"x":1}},{"type":"tool_use","id":"2","name":"b","input":{}}]}"#,
        ),
        (
            Provider::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"t"},{"functionCall":{"id":"1","name":"a","args":{"x":1}}},{"functionCall":{"id":"2","name":"b"}}]}}]}"#,
        ),
    ];
    for (provider, reply) in replies {
        let toolset = Toolset::translate(provider, tools(), &Options::default());
        let calls: Vec<_> = toolset
            .calls(json(reply).view())
            .unwrap()
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let seen: Vec<_> = calls
            .iter()
            .map(|spec| {
                (
                    spec.name.as_str(),
                    spec.arguments_json.as_str(),
                    spec.provider_call_id.as_deref().unwrap(),
                )
            })
            .collect();
        assert_eq!(seen, [("a", r#"{"x":1}"#, "1"), ("b", "{}", "2")], "{provider}");
    }
}

/// Replies without calls in each form, whole and in part, as the providers' own libraries write them too.
const WITHOUT_CALLS: [(Provider, &[&str]); 5] = [
    (
        Provider::OpenAi,
        &[
            r#"{"error":null,"choices":[{"message":{"role":"assistant","content":"t","tool_calls":null}}]}"#,
            r#"{"role":"assistant","content":"t"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"t"}]}"#,
            "[]",
        ],
    ),
    (
        Provider::OpenAiResponses,
        &[
            r#"{"object":"response","error":null,"output":[{"type":"message","content":[]}]}"#,
            r#"[{"type":"reasoning"},{"type":"something_new"}]"#,
        ],
    ),
    (
        Provider::Anthropic,
        &[
            r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"t"}]}"#,
            r#"{"type":"message","role":"assistant","content":[]}"#,
            r#"[{"type":"thinking","thinking":"t"},{"type":"something_new"}]"#,
        ],
    ),
    (
        Provider::Gemini,
        &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"t"}]}}]}"#,
            r#"{"candidates":[{"finishReason":"SAFETY"}],"promptFeedback":null}"#,
            r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
            r#"{"role":"model","parts":[{"text":"t"}]}"#,
            r#"[{"text":"t"}]"#,
        ],
    ),
    (Provider::Mcp, &[r#"{"method":"tools/list","params":{}}"#]),
];

/// Calls in each form.
const CALLS: [(Provider, &[&str]); 4] = [
    (
        Provider::OpenAi,
        &[
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}]}"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}"#,
            r#"[{"type":"function","function":{"name":"a","arguments":"{}"}}]"#,
        ],
    ),
    (
        Provider::OpenAiResponses,
        &[
            r#"{"output":[{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}]}"#,
            r#"[{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}]"#,
        ],
    ),
    (
        Provider::Anthropic,
        &[
            r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","name":"a","input":{}}]}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool_use","name":"a","input":{}}]}"#,
            r#"[{"type":"tool_use","name":"a","input":{}}]"#,
        ],
    ),
    (
        Provider::Gemini,
        &[
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}}]}}]}"#,
            r#"{"role":"model","parts":[{"function_call":{"name":"a"}}]}"#,
            r#"[{"functionCall":{"name":"a"}}]"#,
        ],
    ),
];

#[test]
fn a_reply_in_the_form_of_another_provider_is_none_without_calls() {
    let errors = [
        r#"{"error":{"message":"rate limited","code":429}}"#,
        r#"{"type":"error","error":{"type":"rate_limit_error"}}"#,
        r#"{"choices":[],"output":[],"content":[],"candidates":[],"name":"a","error":{"code":429}}"#,
    ];
    let nothing = ["null", "5", r#""text""#, "{}", "[5]", r#"["text"]"#, "[{}, 5]"];
    for provider in Provider::ALL {
        let toolset = Toolset::translate(provider, [tool("a", r#"{"type":"object"}"#)], &Options::default());
        let calls = |reply: &str| toolset.calls(json(reply).view());
        for reply in errors.iter().chain(&nothing) {
            let refused = calls(reply).unwrap_err().to_string();
            assert!(refused.contains(provider.as_str()), "{provider}: {reply}");
        }
        for (of, replies) in WITHOUT_CALLS {
            for reply in replies.iter().filter(|_| of == provider) {
                assert_eq!(calls(reply), Ok(Vec::new()), "{provider}: {reply}");
            }
        }
        for (of, replies) in CALLS {
            for reply in replies {
                let found = calls(reply);
                assert_eq!(found.is_ok(), of == provider, "{provider}: {reply}");
                assert_eq!(
                    found.map_or(0, |found| found.len()),
                    usize::from(of == provider),
                    "{provider}: {reply}"
                );
            }
        }
    }
}

#[test]
fn a_call_that_cannot_be_made_can_be_answered() {
    let toolset = translate(Provider::OpenAi, OPTIONAL);
    let unknown = toolset
        .lower(json(r#"{"id":"c1","function":{"name":"nope","arguments":"{}"}}"#).view())
        .unwrap_err();
    assert_eq!(unknown.fault, CallFault::UnknownTool("nope".to_owned()));
    let broken = toolset
        .lower(json(r#"{"id":"c2","function":{"name":"t","arguments":"{\"id\":"}}"#).view())
        .unwrap_err();
    assert!(matches!(
        broken.fault,
        CallFault::Parse(ToolCallParseError::InvalidArgumentsJson(_))
    ));
    let shapeless = toolset.lower(json(r#"{"id":"c3"}"#).view()).unwrap_err();
    assert_eq!(
        shapeless.fault.to_string(),
        "tool-call reply missing field `function`"
    );
    let replies = [unknown, broken, shapeless].map(|failed| Reply::to_failed(&failed));
    let messages: Vec<String> = toolset.messages(&replies).iter().map(Value::to_text).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_wrapped_root_is_unwrapped() {
    let schema = r#"{"type":"object","oneOf":[
        {"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind"],"additionalProperties":false},
        {"type":"object","properties":{"kind":{"const":"b"},"y":{"type":"integer"}},"required":["kind","y"],"additionalProperties":false}]}"#;
    for provider in Provider::ALL {
        let toolset = translate(provider, schema);
        for own in [
            r#"{"kind":"a"}"#,
            r#"{"kind":"a","x":1}"#,
            r#"{"kind":"b","y":2}"#,
        ] {
            let sent = toolset.express("t", json(own).view()).unwrap();
            assert_eq!(lowered(&toolset, &sent).to_text(), own, "{provider}");
        }
    }
    let toolset = translate(Provider::OpenAi, schema);
    assert_eq!(
        lowered(&toolset, &json(r#"{"arguments":{"kind":"a","x":null}}"#)).to_text(),
        r#"{"kind":"a"}"#
    );
}

#[test]
fn a_tool_is_known_by_its_own_name_too() {
    let toolset = Toolset::translate(Provider::OpenAi, [tool("a.b", OPTIONAL)], &Options::default());
    for name in ["a.b", toolset.names().sent("a.b").unwrap()] {
        let spec = toolset
            .lower(call(Provider::OpenAi, name, &json("{}")).view())
            .unwrap();
        assert_eq!(spec.name, "a.b");
    }
}

#[test]
fn a_property_that_anthropic_refuses_comes_back_by_its_name() {
    let schema = r#"{"type":"object","properties":{"filter[id]":{"type":"string"},"b":{"type":"string"}},"required":["filter[id]"]}"#;
    let toolset = translate(Provider::Anthropic, schema);
    let own = json(r#"{"filter[id]":"x","b":"y"}"#);
    let sent = toolset.express("t", own.view()).unwrap();
    assert_ne!(sent, own);
    assert_eq!(lowered(&toolset, &sent), own);
}
