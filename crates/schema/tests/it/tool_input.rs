//! What a tool's input schema must satisfy.

use toolmesh_schema::{CompileErrorKind as Kind, MirroredType, Profile, Schema};

use crate::shared::{draft, json, refusal};

fn tool(document: &str) -> Schema {
    Schema::compile_tool_input(json(document), Profile::Profile1)
        .unwrap_or_else(|error| panic!("{error}: {document}"))
}

/// Asserts how Profile 1 refuses a tool's input schema whose members are these.
fn refused(members: &str, kind: Kind, location: &str) {
    for profile in [Profile::Profile1, Profile::Draft2020_12] {
        let document = format!(r#"{{"type":"object",{members}}}"#);
        let error = Schema::compile_tool_input(json(&document), profile).expect_err(&document);
        let found = error.location().map(ToString::to_string).unwrap_or_default();
        assert_eq!(
            (error.kind(), found.as_str(), error.keyword()),
            (kind, location, Some("x-mcp-header")),
            "{document}"
        );
    }
}

#[test]
fn the_root_must_say_object_directly() {
    for document in [
        r#"{}"#,
        r#"{"type":["object"]}"#,
        r#"{"type":"array"}"#,
        r#"{"allOf":[{"type":"object"}]}"#,
    ] {
        for profile in [Profile::Profile1, Profile::Draft2020_12] {
            let error = Schema::compile_tool_input(json(document), profile).expect_err(document);
            assert_eq!(
                (error.kind(), error.keyword()),
                (Kind::InvalidSchema, Some("type")),
                "{document}"
            );
        }
    }
    tool(r#"{"type":"object"}"#);
}

#[test]
fn headers_are_found_with_their_paths_and_types() {
    let schema = tool(
        r#"{"type":"object","properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"},
        "options":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"dry-run"},"n":{"type":"integer","x-mcp-header":"N~1"}}}}}"#,
    );
    let headers: Vec<(&str, String, MirroredType)> = schema
        .mirrored_headers()
        .iter()
        .map(|header| (header.suffix(), header.path().join("."), header.value_type()))
        .collect();
    assert_eq!(
        headers,
        [
            ("dry-run", "options.dry".to_owned(), MirroredType::Boolean),
            ("N~1", "options.n".to_owned(), MirroredType::Integer),
            ("Tenant", "tenant".to_owned(), MirroredType::String),
        ]
    );
}

#[test]
fn a_header_is_mirrored_only_from_a_property_reached_by_properties() {
    let header = r#"{"type":"string","x-mcp-header":"H"}"#;
    for (members, location) in [
        (r#""x-mcp-header":"H""#.to_owned(), "/x-mcp-header"),
        (
            format!(r#""additionalProperties":{header}"#),
            "/additionalProperties/x-mcp-header",
        ),
        (
            format!(r#""properties":{{"a":{{"items":{header}}}}}"#),
            "/properties/a/items/x-mcp-header",
        ),
        (
            format!(r#""allOf":[{{"properties":{{"a":{header}}}}}]"#),
            "/allOf/0/properties/a/x-mcp-header",
        ),
        (format!(r#""anyOf":[{header}]"#), "/anyOf/0/x-mcp-header"),
        (format!(r#""if":{header}"#), "/if/x-mcp-header"),
        (format!(r#""then":{header}"#), "/then/x-mcp-header"),
        (format!(r#""else":{header}"#), "/else/x-mcp-header"),
        (format!(r#""$defs":{{"a":{header}}}"#), "/$defs/a/x-mcp-header"),
    ] {
        refused(&members, Kind::MisplacedMirroredHeader, location);
    }
}

#[test]
fn a_suffix_is_a_header_name_token() {
    for suffix in ["", "a b", "a:b", "é", "(a)", "a/b"] {
        let members = format!(r#""properties":{{"a":{{"type":"string","x-mcp-header":"{suffix}"}}}}"#);
        refused(
            &members,
            Kind::InvalidMirroredHeaderName,
            "/properties/a/x-mcp-header",
        );
    }
}

#[test]
fn a_mirrored_property_says_one_simple_type_directly() {
    for property in [
        r#""type":"number""#,
        r#""type":["string"]"#,
        r#""type":"object""#,
        r#""type":"null""#,
        r#""const":"a""#,
    ] {
        let members = format!(r#""properties":{{"a":{{{property},"x-mcp-header":"H"}}}}"#);
        refused(
            &members,
            Kind::InvalidMirroredHeaderType,
            "/properties/a/x-mcp-header",
        );
    }
}

#[test]
fn suffixes_differ_in_more_than_letter_case() {
    let members = r#""properties":{"a":{"type":"string","x-mcp-header":"Tenant"},"b":{"type":"string","x-mcp-header":"tENANT"}}"#;
    refused(
        members,
        Kind::DuplicateMirroredHeader,
        "/properties/b/x-mcp-header",
    );
}

#[test]
fn outside_tool_inputs_profile_1_mirrors_nothing_and_the_draft_has_no_such_keyword() {
    let document = r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"H"}}}"#;
    assert_eq!(
        refusal(document, Profile::Profile1).kind(),
        Kind::MisplacedMirroredHeader
    );
    assert!(draft(document).mirrored_headers().is_empty());
}
