//! What each provider refuses, written from what it publishes and from public reports, apart from the code under test.
//!
//! Each rule names where it comes from. A translated tool that breaks one would cost the whole request.

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openai_strict;
mod walk;

use std::cell::RefCell;
use std::collections::HashMap;

use toolmesh_json::{Value, View};
use toolmesh_provider::{Provider, Toolset};

use crate::support::sent_tools;

/// The rules that a toolset breaks, each with the place; empty when the provider takes it.
pub(crate) fn broken(toolset: &Toolset) -> Vec<String> {
    let tools = sent_tools(toolset);
    let mut found: Vec<String> = tools
        .iter()
        .flat_map(|tool| match toolset.provider() {
            Provider::OpenAi => openai::tool(*tool),
            Provider::OpenAiResponses => openai::flat_tool(*tool),
            Provider::Anthropic => anthropic::tool(*tool),
            Provider::Gemini => gemini::tool(*tool),
            Provider::Mcp => mcp::tool(*tool),
        })
        .collect();
    if toolset.provider() == Provider::Anthropic {
        found.extend(anthropic::strict_counts(&tools));
    }
    // Every provider: names tell tools apart.
    let mut names: Vec<String> = tools.iter().map(|tool| name(*tool)).collect();
    names.sort();
    names.dedup();
    if names.len() < tools.len() {
        found.push("two tools have one name".to_owned());
    }
    found
}

fn name(tool: View<'_>) -> String {
    let holder = tool.get("function").unwrap_or(tool);
    holder
        .get("name")
        .and_then(View::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Whether the text matches; patterns are few and are compiled once.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, regex::Regex>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let compile = || regex::Regex::new(pattern).unwrap();
        compiled
            .entry(pattern.to_owned())
            .or_insert_with(compile)
            .is_match(text)
    })
}

#[test]
fn a_validator_sees_what_real_providers_refused() {
    use crate::support::json;
    let refused = |check: fn(View<'_>) -> Vec<String>, tool: &str| {
        let tool: Value = json(tool);
        let found = check(tool.view());
        assert!(!found.is_empty(), "not refused: {tool}");
    };
    // The plain form of a tool with an optional member.
    refused(
        openai::tool,
        r#"{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","default":10}},"required":["q"]},"strict":true}}"#,
    );
    refused(
        openai::tool,
        r#"{"type":"function","function":{"name":"a.b","parameters":{"type":"object","properties":{}},"strict":false}}"#,
    );
    refused(
        openai::tool,
        r#"{"type":"function","function":{"name":"a","parameters":{"type":"object","anyOf":[]},"strict":false}}"#,
    );
    refused(
        openai::tool,
        r#"{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"x":{"type":"array"}}},"strict":false}}"#,
    );
    refused(
        anthropic::tool,
        r#"{"name":"a","input_schema":{"type":"object","properties":{"filter[id]":{}}}}"#,
    );
    refused(
        anthropic::tool,
        r#"{"name":"a","input_schema":{"type":"object","oneOf":[]}}"#,
    );
    for schema in [
        r#"{"type":"object","properties":{}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string","const":"x"}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":1}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
        r#"{"type":"object","properties":{"a":{"type":"array"}}}"#,
        r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}],"description":"d"}}}"#,
        r#"{"type":"object","properties":{"a":{"type":["string","null"]}}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}"#,
    ] {
        refused(
            gemini::tool,
            &format!(r#"{{"name":"a","description":"d","parameters":{schema}}}"#),
        );
    }
    refused(mcp::tool, r#"{"name":"a b","inputSchema":{"type":"object"}}"#);
    refused(mcp::tool, r#"{"name":"a","inputSchema":{"type":"string"}}"#);
}
