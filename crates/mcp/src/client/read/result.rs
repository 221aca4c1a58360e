//! What a tool call came to.

use indexmap::IndexMap;
use toolmesh_json::{Value, View};
use toolmesh_tool::{InputRequired, ToolResult};

use super::{content::block, question};
use crate::client::{error::ClientError, parking::Returned, peer::text, prefix::Prefixed};

/// The `_meta` key under which a server describes itself in every result; it is not the tool's.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Reads a complete result of `tools/call`.
pub(in crate::client) fn tool_result(result: &Value, prefixed: &Prefixed) -> Result<ToolResult, ClientError> {
    let result = result.view();
    let content = result.get("content").and_then(View::as_array);
    let content = content.into_iter().flat_map(|content| content.iter());
    Ok(ToolResult {
        content: content
            .map(|item| block(item, prefixed))
            .collect::<Result<_, _>>()?,
        structured: result.get("structuredContent").map(View::to_value),
        is_error: result.get("isError").and_then(View::as_bool).unwrap_or_default(),
        meta: meta(result),
    })
}

/// What the server asks first (2026-07-28), its state marked as its own; `None` when the result is there. A result
/// without a type is complete, as the protocol has it.
pub(in crate::client) fn asked(result: &Value) -> Result<Option<InputRequired>, ClientError> {
    match result.get("resultType").and_then(View::as_str) {
        None | Some("complete") => Ok(None),
        Some("input_required") => input_required(result.view()).map(Some),
        Some(_) => Err(ClientError::Protocol(
            "a result is of a type that nobody asked for",
        )),
    }
}

/// The result's `_meta` without what the server says of itself; `None` when nothing is left.
fn meta(result: View<'_>) -> Option<Value> {
    let meta = result.get("_meta")?.as_object()?;
    let own = meta.iter().filter(|(name, _)| *name != SERVER_KEY);
    let own: toolmesh_json::ObjectBuilder = own.map(|(name, value)| (name, value.to_value())).collect();
    (!own.is_empty()).then(|| own.build())
}

fn input_required(result: View<'_>) -> Result<InputRequired, ClientError> {
    let requests = result.get("inputRequests").and_then(View::as_object);
    let requests = requests.into_iter().flat_map(|requests| requests.iter());
    let read = |(key, request): (&str, View<'_>)| {
        let request =
            question(request).ok_or(ClientError::Protocol("a server asks for what is not known here"))?;
        Ok((key.to_owned(), request))
    };
    Ok(InputRequired {
        requests: requests
            .map(read)
            .collect::<Result<IndexMap<_, _>, ClientError>>()?,
        state: text(result, "requestState").map(|state| Returned::foreign(&state)),
    })
}

#[cfg(test)]
mod tests {
    use toolmesh_tool::{ContentBlock, InputRequest, Prefix};

    use super::*;

    fn json(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).expect("JSON")
    }

    fn read(text: &str) -> Result<ToolResult, ClientError> {
        tool_result(&json(text), &Prefixed::new(Prefix::Name("up".into())))
    }

    #[test]
    fn a_result_keeps_its_numbers_its_order_and_its_hints() {
        let Ok(result) = read(
            r#"{"content":[{"type":"text","text":"t","annotations":{"audience":["user"],"priority":0.5}},
                {"type":"image","data":"AAE=","mimeType":"image/png"}],
                "structuredContent":{"z":1.10,"a":123456789012345678901234567890},
                "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"},"x":1}}"#,
        ) else {
            panic!("a complete result");
        };
        let structured = result.structured.expect("there").to_text();
        assert_eq!(structured, r#"{"z":1.10,"a":123456789012345678901234567890}"#);
        assert_eq!(result.meta.expect("there").to_text(), r#"{"x":1}"#);
        assert!(matches!(&result.content[1], ContentBlock::Image(media) if media.data == [0, 1]));
    }

    #[test]
    fn uris_are_those_that_callers_know() {
        let Ok(result) = read(
            r#"{"content":[{"type":"resource_link","uri":"test://a","name":"a"},
                {"type":"resource_link","uri":"https://h/","name":"h"},
                {"type":"resource","resource":{"uri":"test://b","text":"x"}}]}"#,
        ) else {
            panic!("a complete result");
        };
        let uris: Vec<&str> = result
            .content
            .iter()
            .map(|block| match block {
                ContentBlock::ResourceLink(link) => link.uri.as_str(),
                ContentBlock::Resource(embedded) => embedded.resource.uri.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(uris, ["test://up_a", "https://h/", "test://up_b"]);
    }

    #[test]
    fn what_the_server_asks_is_read_and_what_nobody_knows_is_refused() {
        let asked = r#"{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"roots/list"}}}"#;
        assert_eq!(
            super::asked(&json(asked)).expect("a question"),
            Some(InputRequired::one("k", InputRequest::Roots).with_state("server:s"))
        );
        assert_eq!(
            super::asked(&json(r#"{"content":[]}"#)).expect("no question"),
            None
        );
        assert!(super::asked(&json(r#"{"resultType":"task"}"#)).is_err());
        let unknown = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"other/thing"}}}"#;
        assert!(super::asked(&json(unknown)).is_err());
        assert!(read(r#"{"content":[{"type":"image","data":"!","mimeType":"a/b"}]}"#).is_err());
        assert!(matches!(
            read(r#"{"content":[{"type":"later","x":1}]}"#),
            Ok(result) if result.joined_text() == r#"{"type":"later","x":1}"#
        ));
    }
}
