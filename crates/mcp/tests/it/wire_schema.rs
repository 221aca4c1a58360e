//! Every message that the server sends in these tests fits the wire schema of its revision (testdata/mcp-schema): the
//! clients of the tests hand in whatever they receive.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{http_client::MODERN, wire::conversation};

/// The revision whose schema has an optional id in errors.
const NEWEST_HANDSHAKE: &str = "2025-11-25";

/// The revision of messages that say none.
const OLDEST: &str = "2025-06-18";

/// What a client of the tests knows of a message before it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    /// The revision of the request, when it said one.
    pub(crate) version: Option<String>,
    /// The method of the request that a result answers.
    pub(crate) method: Option<String>,
}

impl Expected {
    /// What is known of the answers to a request with this version header and body.
    pub(crate) fn of(header: Option<&str>, body: &str) -> Self {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let meta = body.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
        let version = header.or(meta.and_then(Value::as_str));
        Self {
            version: version.filter(|version| is_served(version)).map(str::to_owned),
            method: body.get("method").and_then(Value::as_str).map(str::to_owned),
        }
    }

    /// Checks a message as text.
    ///
    /// # Panics
    /// When it does not fit.
    #[track_caller]
    pub(crate) fn check(&self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("a message is JSON");
        if let Some((version, definition, part)) = self.definition(&message) {
            let faults = faults(&version, &definition, part);
            assert!(faults.is_empty(), "{version} {definition}: {part}: {faults:#?}");
        }
    }

    /// Checks the messages of a body: one, or the events of a stream.
    #[track_caller]
    pub(crate) fn check_body(&self, content_type: &str, body: &str) {
        match content_type {
            "application/json" => self.check(body),
            "text/event-stream" => {
                let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
                data.filter(|data| !data.is_empty())
                    .for_each(|data| self.check(data));
            }
            _ => {}
        }
    }

    /// The revision, the definition that the message, or the part of it, must fit; `None` for extensions, which have no
    /// schema, and for an id of null, for which the schemas have no word.
    fn definition<'a>(&self, message: &'a Value) -> Option<(String, String, &'a Value)> {
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            let version = self
                .version
                .clone()
                .unwrap_or_else(|| NEWEST_HANDSHAKE.to_owned());
            let definition = schemas(&version).methods.get(method).cloned();
            if definition.is_none() {
                assert_eq!(
                    method, "notifications/tasks",
                    "a method that the schema does not know"
                );
            }
            return Some((version, definition?, message));
        }
        if let Some(result) = message.get("result") {
            let method = self.method.as_deref().expect("a result answers a request");
            let negotiated = result.get("protocolVersion").and_then(Value::as_str);
            let version = negotiated.map(str::to_owned).or(self.version.clone());
            let version = version.unwrap_or_else(|| OLDEST.to_owned());
            let kind = result.get("resultType").and_then(Value::as_str);
            let definition = result_definition(method, kind)?;
            return Some((version, definition.to_owned(), result));
        }
        match message.get("id") {
            Some(Value::Null) => None,
            None => Some((
                self.version
                    .clone()
                    .unwrap_or_else(|| NEWEST_HANDSHAKE.to_owned()),
                "JSONRPCErrorResponse".to_owned(),
                message,
            )),
            Some(_) => {
                let version = self.version.clone().unwrap_or_else(|| OLDEST.to_owned());
                let definition = if version == OLDEST {
                    "JSONRPCError"
                } else {
                    "JSONRPCErrorResponse"
                };
                Some((version, definition.to_owned(), message))
            }
        }
    }
}

fn is_served(version: &str) -> bool {
    [OLDEST, NEWEST_HANDSHAKE, MODERN].contains(&version)
}

/// The definition that a result of this method must fit; `None` for the tasks extension.
fn result_definition(method: &str, kind: Option<&str>) -> Option<&'static str> {
    match kind {
        Some("task") => return None,
        Some("input_required") => return Some("InputRequiredResult"),
        _ => {}
    }
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
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => "EmptyResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        "tasks/get" | "tasks/update" | "tasks/cancel" => return None,
        other => panic!("a result of {other}, which no schema knows"),
    })
}

/// The schema of one revision.
struct Schemas {
    document: Value,
    definitions: &'static str,
    /// The definition of each method's message.
    methods: HashMap<String, String>,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

fn schemas(version: &str) -> &'static Schemas {
    static ALL: OnceLock<HashMap<&'static str, Schemas>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let versions = [OLDEST, NEWEST_HANDSHAKE, MODERN];
        versions.map(|version| (version, Schemas::read(version))).into()
    });
    all.get(version).expect("a served revision")
}

fn faults(version: &str, definition: &str, part: &Value) -> Vec<String> {
    let validator = schemas(version).validator(definition);
    let faults = validator.iter_errors(part).map(|fault| fault.to_string());
    faults.collect()
}

impl Schemas {
    fn read(version: &str) -> Self {
        let root = env!("CARGO_MANIFEST_DIR");
        let path = format!("{root}/../../testdata/mcp-schema/{version}.json");
        let text = std::fs::read_to_string(path).expect("the schema is there");
        let document: Value = serde_json::from_str(&text).expect("the schema is JSON");
        let definitions = ["$defs", "definitions"]
            .into_iter()
            .find(|name| document.get(name).is_some());
        let definitions = definitions.expect("definitions");
        let all = document[definitions].as_object().expect("definitions");
        let methods = all.iter().filter_map(|(name, definition)| {
            let method = definition.pointer("/properties/method/const")?.as_str()?;
            Some((method.to_owned(), name.clone()))
        });
        Self {
            methods: methods.collect(),
            definitions,
            document,
            compiled: Mutex::default(),
        }
    }

    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().expect("no panic holds it");
        let validator = compiled.entry(name.to_owned()).or_insert_with(|| {
            let mut schema = self.document.clone();
            schema["$ref"] = json!(format!("#/{}/{name}", self.definitions));
            Arc::new(jsonschema::validator_for(&schema).expect("the schema compiles"))
        });
        Arc::clone(validator)
    }
}

#[tokio::test]
async fn every_answer_of_the_transcripts_is_checked() {
    // The client of these conversations checks what it receives; here is counted that they say enough.
    for version in [OLDEST, NEWEST_HANDSHAKE, MODERN] {
        assert!(conversation(version).await.len() >= 30);
    }
}

#[test]
fn the_wire_schemas_refuse_what_is_wrong() {
    let listed = Expected {
        version: Some(MODERN.to_owned()),
        method: Some("tools/call".to_owned()),
    };
    let fits = |message: Value| {
        let (version, definition, part) = listed.definition(&message).expect("a definition");
        faults(&version, &definition, part).is_empty()
    };
    assert!(fits(
        json!({"id": 1, "result": {"content": [], "resultType": "complete"}})
    ));
    assert!(!fits(json!({"id": 1, "result": {"content": []}})));
    assert!(!fits(
        json!({"id": 1, "result": {"resultType": "input_required", "inputRequests": {"a": 7}}})
    ));
    assert!(!fits(
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    ));
    assert!(!fits(
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": ""}})
    ));
}
