//! Lines on stdio: each is answered as a plain model of JSON-RPC 2.0 says, once, with its own id, and with fixed texts.
#![no_main]

use std::{collections::BTreeMap, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;
use toolmesh_fuzz::{on_stdio, server};
use toolmesh_json::{Value, View, canonical_text};
use toolmesh_mcp::{McpServer, ServerLimits};
use toolmesh_tool::{CallContext, Tool, ToolResult};

static SERVER: LazyLock<McpServer> = LazyLock::new(|| {
    let echo = Tool::with_name("echo")
        .json_object_arguments()
        .handler(|_: CallContext, arguments: Value| std::future::ready(ToolResult::structured(arguments)));
    server(vec![echo.build().expect("a sound tool")], ServerLimits::default())
});

/// What a line is owed.
#[derive(Debug, PartialEq)]
enum Owed {
    Nothing,
    /// An answer with this id, in canonical form.
    Answer(String),
    /// An error with this code and, where it can be read, this id.
    Refusal(i64, Option<String>),
}

fuzz_target!(|input: &[u8]| {
    let mut owed = BTreeMap::new();
    let mut cancels = false;
    for line in input
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
    {
        cancels |= line.windows(9).any(|window| window == b"cancelled");
        let key = match model(line) {
            Owed::Nothing => continue,
            Owed::Answer(id) => (Some(id), None),
            Owed::Refusal(code, id) => (id, Some(code)),
        };
        *owed.entry(key).or_insert(0_usize) += 1;
    }
    for message in on_stdio(&SERVER, input) {
        if message.get("method").is_none() {
            pay(&mut owed, &message);
        }
    }
    // Only a call that was cancelled ends without its answer.
    assert!(cancels || owed.values().all(|count| *count == 0), "{owed:?}");
});

/// Takes an answer off what is owed: it is owed.
fn pay(owed: &mut BTreeMap<(Option<String>, Option<i64>), usize>, message: &Json) {
    let id = message.get("id").filter(|id| !id.is_null()).map(canonical);
    let code = message.pointer("/error/code").and_then(Json::as_i64);
    // A request may be refused for itself as well: for its id, which is in flight, its method, its params.
    let mut keys = [(id.clone(), code), (id, None)].into_iter();
    let paid = keys.find(|key| owed.get(key).is_some_and(|count| *count > 0));
    let key = paid.unwrap_or_else(|| panic!("nobody asked for {message}: {owed:?}"));
    *owed.entry(key).or_insert(1) -= 1;
}

fn canonical(id: &Json) -> String {
    let value = toolmesh_json::parse(id.to_string().as_bytes()).expect("an id is JSON");
    canonical_text(value.view())
}

/// JSON-RPC 2.0 as MCP has it, in as few words as possible.
fn model(line: &[u8]) -> Owed {
    let Ok(message) = toolmesh_json::parse(line) else {
        return Owed::Refusal(-32700, None);
    };
    let has = |name: &str| message.get(name).is_some();
    let is_id =
        |id: &View<'_>| id.as_str().is_some() || id.as_number().is_some_and(|number| number.is_integer());
    let id = message.get("id").filter(is_id).map(canonical_text);
    let is_method = message
        .get("method")
        .is_some_and(|method| method.as_str().is_some());
    let params = message
        .get("params")
        .is_none_or(|params| params.as_object().is_some());
    let sound = message.get("jsonrpc").and_then(View::as_str) == Some("2.0") && id.is_some() == has("id");
    match (has("method"), has("result"), has("error")) {
        (true, false, false) if sound && is_method && params => id.map_or(Owed::Nothing, Owed::Answer),
        (false, true, false) if sound && id.is_some() => Owed::Nothing,
        (false, false, true) if sound => Owed::Nothing,
        _ => Owed::Refusal(-32600, id),
    }
}
