//! The vectors by which programs of the tool mesh compare themselves across languages.

use toolmesh_mesh::{
    MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE, Predicate, ToolDescriptor, ToolEvent, WHERE_HEADER,
    wire::{Headers, RequestChunk, RequestFrame, StreamGrant},
};
use toolmesh_tool::{
    SchemaForm,
    json::{Value, View, parse},
};

fn vectors(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

fn cases(vectors: &Value) -> impl Iterator<Item = View<'_>> {
    vectors.get("cases").unwrap().as_array().unwrap().iter()
}

fn text<'a>(value: View<'a>, name: &str) -> &'a str {
    value.get(name).unwrap().as_str().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

#[test]
fn every_shared_event_comes_back_as_it_went() {
    let vectors = vectors(include_str!("../../../../testdata/net/tool_event_vectors.json"));
    let mut seen = 0;
    for case in cases(&vectors) {
        let wire = case.get("wire").unwrap();
        let event = ToolEvent::from_value(wire).unwrap();
        assert_eq!(event.to_value(), wire.to_value(), "{}", text(case, "name"));
        assert_eq!(
            Some(event.is_terminal()),
            case.get("is_terminal").unwrap().as_bool()
        );
        seen += 1;
    }
    assert_eq!(seen, 15);
}

#[test]
fn the_synthesised_terminal_is_the_shared_one() {
    let vectors = vectors(include_str!("../../../../testdata/net/tool_event_vectors.json"));
    let last = cases(&vectors).last().unwrap();
    let expected = ToolEvent::Error {
        code: MISSING_TERMINAL.into(),
        message: MISSING_TERMINAL_MESSAGE.into(),
        details: None,
    };
    assert_eq!(ToolEvent::from_value(last.get("wire").unwrap()), Ok(expected));
}

#[test]
fn every_shared_descriptor_comes_back_as_it_went() {
    let vectors = vectors(include_str!("../../../../testdata/net/golden_vectors.json"));
    for case in vectors.get("descriptors").unwrap().as_array().unwrap().iter() {
        let input = case.get("input").unwrap();
        // The vectors write schemas as objects under names of their own.
        let wire: Value = input
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| match name.strip_suffix("_object") {
                Some(name) if value.is_null() => (name.to_owned(), Value::null()),
                Some(name) => (name.to_owned(), Value::from(value.to_text())),
                None => (name.to_owned(), value.to_value()),
            })
            .collect::<toolmesh_tool::json::ObjectBuilder>()
            .build();
        let descriptor = ToolDescriptor::from_value(wire.view()).unwrap();
        assert_eq!(
            descriptor.to_value(SchemaForm::Text),
            wire,
            "{}",
            text(case, "name")
        );
    }
}

#[test]
fn every_shared_predicate_comes_back_as_it_went() {
    let vectors = vectors(include_str!(
        "../../../../testdata/net/predicate_nrpc_envelope.json"
    ));
    assert_eq!(text(vectors.view(), "header_name"), WHERE_HEADER);
    let mut seen = 0;
    for case in cases(&vectors) {
        let wire = case.get("wire").unwrap().to_text();
        let predicate = Predicate::from_header(&wire).unwrap();
        assert_eq!(predicate.to_header().unwrap(), wire, "{}", text(case, "name"));
        seen += 1;
    }
    assert_eq!(seen, 18);
}

#[test]
fn every_shared_predicate_is_judged_as_others_judge_it() {
    let vectors = vectors(include_str!("../../../../testdata/net/predicate_eval.json"));
    let mut seen = 0;
    for case in cases(&vectors) {
        let predicate = Predicate::from_header(&case.get("wire").unwrap().to_text()).unwrap();
        let tags: Vec<&str> = case
            .get("tags")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|tag| tag.as_str().unwrap())
            .collect();
        let metadata = case.get("metadata").unwrap();
        let holds = predicate.evaluate(&tags, |key| metadata.get(key)?.as_str());
        assert_eq!(
            Some(holds),
            case.get("expected").unwrap().as_bool(),
            "{}",
            text(case, "name")
        );
        seen += 1;
    }
    assert_eq!(seen, 40);
}

#[test]
fn frames_are_the_shared_bytes() {
    let vectors = vectors(include_str!(
        "../../../../testdata/net/rpc_streaming_vectors.json"
    ));
    let bytes = |name: &str| {
        let pointer = format!("/wire_snapshots/{name}/hex");
        vectors.pointer(&pointer).unwrap().as_str().unwrap().to_owned()
    };
    let request = RequestFrame {
        service: "test".into(),
        deadline_ns: 0,
        flags: RequestFrame::CLIENT_STREAMING,
        headers: Headers::new(),
        body: b"hello".to_vec(),
    };
    let expected = bytes("request_payload_minimal_clientstream");
    assert_eq!(hex(&request.encode().unwrap()), expected);
    assert_eq!(RequestFrame::decode(&unhex(&expected)), Ok(request));

    let chunk = RequestChunk {
        call: 42,
        flags: RequestChunk::END,
        headers: Headers::new(),
        body: b"bye".to_vec(),
    };
    let expected = bytes("request_chunk_payload_with_end");
    assert_eq!(hex(&chunk.encode().unwrap()), expected);
    assert_eq!(RequestChunk::decode(&unhex(&expected)), Ok(chunk));

    let grant = StreamGrant { call: 42, credits: 8 };
    let expected = bytes("request_grant_payload");
    assert_eq!(hex(&grant.encode()), expected);
    assert_eq!(StreamGrant::decode(&unhex(&expected)), Ok(grant));
}
