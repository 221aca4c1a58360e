//! Every answer of the transcripts fits the revision's own wire schema (testdata/mcp-schema).

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{http_client::MODERN, wire::conversation};

/// The definition that a result of this method must fit.
fn result_definition(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "server/discover" => "DiscoverResult",
        "initialize" => "InitializeResult",
        "ping" => "EmptyResult",
        _ => return None,
    })
}

struct Schemas {
    document: Value,
    definitions: &'static str,
}

impl Schemas {
    fn of(version: &str) -> Self {
        let path = format!(
            "{}/../../testdata/mcp-schema/{version}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).expect("the schema is there");
        let document: Value = serde_json::from_str(&text).expect("the schema is JSON");
        let definitions = if document.get("$defs").is_some() {
            "$defs"
        } else {
            "definitions"
        };
        Self {
            document,
            definitions,
        }
    }

    fn validator(&self, name: &str) -> Validator {
        let mut schema = self.document.clone();
        schema["$ref"] = json!(format!("#/{}/{name}", self.definitions));
        jsonschema::validator_for(&schema).expect("the schema compiles")
    }
}

async fn every_answer_fits(version: &str, error: &str) -> usize {
    let schemas = Schemas::of(version);
    let mut checked = 0;
    for (asked, answer) in conversation(version).await {
        let message: Value = serde_json::from_str(&answer.body).expect("an answer is JSON");
        let method = asked.split(' ').next().unwrap_or_default();
        let (definition, part) = match message.get("result") {
            Some(result) => (result_definition(method).expect("a known result"), result),
            // JSON-RPC answers null for an id that it could not read; this schema has no word for that.
            None if message.get("id") == Some(&Value::Null) => continue,
            None => (error, &message),
        };
        let faults: Vec<_> = schemas
            .validator(definition)
            .iter_errors(part)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{version} {asked}: {part}: {faults:#?}");
        checked += 1;
    }
    checked
}

#[tokio::test]
async fn every_answer_fits_the_wire_schema_of_2025_06_18() {
    assert!(every_answer_fits("2025-06-18", "JSONRPCError").await >= 30);
}

#[tokio::test]
async fn every_answer_fits_the_wire_schema_of_2025_11_25() {
    assert!(every_answer_fits("2025-11-25", "JSONRPCErrorResponse").await >= 30);
}

#[tokio::test]
async fn every_answer_fits_the_wire_schema_of_2026_07_28() {
    assert!(every_answer_fits(MODERN, "JSONRPCErrorResponse").await >= 30);
}

#[test]
fn the_wire_schema_refuses_what_is_wrong() {
    let schemas = Schemas::of(MODERN);
    assert!(
        !schemas
            .validator("CallToolResult")
            .is_valid(&json!({"content": []}))
    );
    assert!(
        schemas
            .validator("CallToolResult")
            .is_valid(&json!({"content": [], "resultType": "complete"}))
    );
}
