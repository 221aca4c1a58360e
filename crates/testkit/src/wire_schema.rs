//! The wire schemas of MCP (`testdata/mcp-schema`) as a judge: every message that a test receives from the server is one
//! that its revision knows.
//!
//! Over HTTP the request says what its answer must be ([`Expected::of`]); on stdio all that was sent before does
//! ([`Conversation`]).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::paths::repo_root;

/// The revision without a handshake.
const STATELESS: &str = "2026-07-28";

/// The revision whose schema has an optional id in errors.
const NEWEST_HANDSHAKE: &str = "2025-11-25";

/// The revision of messages that say none.
const OLDEST: &str = "2025-06-18";

/// What is known of a message before it comes.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The revision of the request, when it said one.
    pub version: Option<String>,
    /// The method of the request that a result answers.
    pub method: Option<String>,
}

/// One conversation on stdio.
#[derive(Debug, Default)]
pub struct Conversation {
    /// What is known of the answers to come, by id.
    expected: HashMap<String, Expected>,
    /// The revision of the handshake.
    version: Option<String>,
}

impl Expected {
    /// What is known of the answers to a request with this version header and body.
    #[must_use]
    pub fn of(header: Option<&str>, body: &str) -> Self {
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
    pub fn check(&self, text: &str) {
        let message = parsed(text);
        if let Some((version, definition, part)) = self.definition(&message) {
            let faults = faults(&version, &definition, part);
            assert!(faults.is_empty(), "{version} {definition}: {part}: {faults:#?}");
        }
    }

    /// Checks the messages of a body: one, or the events of a stream.
    ///
    /// # Panics
    /// When one does not fit.
    #[track_caller]
    pub fn check_body(&self, content_type: &str, body: &str) {
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
    #[track_caller]
    fn definition<'a>(&self, message: &'a Value) -> Option<(String, String, &'a Value)> {
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            let version = self.version_or(NEWEST_HANDSHAKE);
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
            let Some(method) = &self.method else {
                panic!("a result answers no request: {message}");
            };
            let negotiated = result.get("protocolVersion").and_then(Value::as_str);
            let version = negotiated.map_or_else(|| self.version_or(OLDEST), str::to_owned);
            let kind = result.get("resultType").and_then(Value::as_str);
            let definition = result_definition(method, kind)?;
            return Some((version, definition.to_owned(), result));
        }
        let (version, definition) = match message.get("id") {
            Some(Value::Null) => return None,
            None => (self.version_or(NEWEST_HANDSHAKE), "JSONRPCErrorResponse"),
            Some(_) => match self.version_or(OLDEST) {
                version if version == OLDEST => (version, "JSONRPCError"),
                version => (version, "JSONRPCErrorResponse"),
            },
        };
        Some((version, definition.to_owned(), message))
    }

    fn version_or(&self, otherwise: &str) -> String {
        self.version.clone().unwrap_or_else(|| otherwise.to_owned())
    }
}

impl Conversation {
    /// Takes note of a line that is sent to the server.
    pub fn sent(&mut self, line: &str) {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(id) = message.get("id") {
            let mut expected = Expected::of(None, line);
            expected.version = expected.version.or(self.version.clone());
            self.expected.insert(id.to_string(), expected);
        }
    }

    /// Checks a line of the server, as far as it answers what was sent whole.
    ///
    /// # Panics
    /// When it does not fit.
    #[track_caller]
    pub fn received(&mut self, line: &str) {
        let message = parsed(line);
        let negotiated = message.pointer("/result/protocolVersion").and_then(Value::as_str);
        self.version = negotiated.map(str::to_owned).or(self.version.take());
        let id = message.get("id").filter(|_| message.get("method").is_none());
        match id.map(|id| self.expected.get(&id.to_string())) {
            Some(Some(expected)) => expected.check(line),
            Some(None) if message.get("result").is_some() => {}
            _ => self.unasked(&message).check(line),
        }
    }

    /// What is known of a message that answers nothing.
    fn unasked(&self, message: &Value) -> Expected {
        let tagged = message.pointer("/params/_meta/io.modelcontextprotocol~1subscriptionId");
        Expected {
            version: tagged.map(|_| STATELESS.to_owned()).or(self.version.clone()),
            method: None,
        }
    }
}

#[track_caller]
fn parsed(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(message) => message,
        Err(error) => panic!("a message is not JSON: {error}: {text}"),
    }
}

fn is_served(version: &str) -> bool {
    [OLDEST, NEWEST_HANDSHAKE, STATELESS].contains(&version)
}

/// The definition that a result of this method must fit; `None` for the tasks extension.
#[track_caller]
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

#[track_caller]
fn schemas(version: &str) -> &'static Schemas {
    static ALL: OnceLock<HashMap<&'static str, Schemas>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let versions = [OLDEST, NEWEST_HANDSHAKE, STATELESS];
        versions.map(|version| (version, Schemas::read(version))).into()
    });
    match all.get(version) {
        Some(schemas) => schemas,
        None => panic!("the server speaks {version}, which is none of its revisions"),
    }
}

#[track_caller]
fn faults(version: &str, definition: &str, part: &Value) -> Vec<String> {
    let validator = schemas(version).validator(definition);
    let faults = validator.iter_errors(part).map(|fault| fault.to_string());
    faults.collect()
}

impl Schemas {
    fn read(version: &str) -> Self {
        let path = repo_root().join(format!("testdata/mcp-schema/{version}.json"));
        let document: Value = match std::fs::read_to_string(&path).map(|text| parsed(&text)) {
            Ok(document) => document,
            Err(error) => panic!("cannot read {}: {error}", path.display()),
        };
        let name = |name: &&str| document.get(*name).is_some();
        let definitions = ["$defs", "definitions"]
            .into_iter()
            .find(name)
            .unwrap_or_default();
        let all = document.get(definitions).and_then(Value::as_object);
        let methods = all.into_iter().flatten().filter_map(|(name, definition)| {
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

    #[track_caller]
    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let validator = compiled.entry(name.to_owned()).or_insert_with(|| {
            let mut schema = self.document.clone();
            schema["$ref"] = json!(format!("#/{}/{name}", self.definitions));
            match jsonschema::validator_for(&schema) {
                Ok(validator) => Arc::new(validator),
                Err(error) => panic!("the wire schema of {name} does not compile: {error}"),
            }
        });
        Arc::clone(validator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_schemas_refuse_what_is_wrong() {
        let listed = Expected {
            version: Some(STATELESS.to_owned()),
            method: Some("tools/call".to_owned()),
        };
        let fits = |message: Value| {
            let (version, definition, part) = listed.definition(&message).unwrap();
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

    #[test]
    fn an_answer_on_stdio_is_judged_by_the_revision_of_the_handshake() {
        let judged = |version: &str, result: &str| {
            let mut conversation = Conversation::default();
            conversation.sent(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#);
            conversation.received(&format!(
                r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
            ));
            conversation.sent(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            std::panic::catch_unwind(move || conversation.received(&answer)).is_ok()
        };
        // A link has icons since the newer of the two.
        let link = r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n","icons":7}]}"#;
        assert!(judged(OLDEST, r#"{"content":[]}"#) && judged(NEWEST_HANDSHAKE, r#"{"content":[]}"#));
        assert!(judged(OLDEST, link) && !judged(NEWEST_HANDSHAKE, link));
    }
}
