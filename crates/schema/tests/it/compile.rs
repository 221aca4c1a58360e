//! What Profile 1 refuses, with which kind, where.

use toolmesh_schema::{CompileErrorKind as Kind, Profile, Schema};

use crate::shared::{draft, json, profile_1, refusal};

/// Asserts the kind, the place and the keyword of a refusal by Profile 1.
fn refused(document: &str, kind: Kind, location: &str, keyword: Option<&str>) {
    let error = refusal(document, Profile::Profile1);
    let found = error.location().map(ToString::to_string).unwrap_or_default();
    assert_eq!(
        (error.kind(), found.as_str(), error.keyword()),
        (kind, location, keyword),
        "{document}"
    );
}

#[test]
fn the_root_must_be_an_object() {
    for document in ["true", "false", "null", "[]", "\"\"", "1"] {
        refused(document, Kind::InvalidSchema, "", None);
    }
}

#[test]
fn a_place_for_a_schema_holds_nothing_else() {
    refused(r#"{"items":3}"#, Kind::InvalidSchema, "/items", None);
    refused(r#"{"items":[{}]}"#, Kind::InvalidSchema, "/items", None);
    refused(
        r#"{"properties":{"a/b":null}}"#,
        Kind::InvalidSchema,
        "/properties/a~1b",
        None,
    );
    refused(r#"{"allOf":[true,"x"]}"#, Kind::InvalidSchema, "/allOf/1", None);
    refused(r#"{"$defs":{"a":[]}}"#, Kind::InvalidSchema, "/$defs/a", None);
}

#[test]
fn every_keyword_outside_the_profile_is_refused_by_name() {
    let excluded = [
        "$id",
        "$vocabulary",
        "$dynamicAnchor",
        "$dynamicRef",
        "oneOf",
        "not",
        "dependentRequired",
        "dependentSchemas",
        "prefixItems",
        "contains",
        "minContains",
        "maxContains",
        "pattern",
        "patternProperties",
        "propertyNames",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "multipleOf",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "definitions",
        "$recursiveRef",
        "x-vendor",
        "",
        "Type",
    ];
    for keyword in excluded {
        let document = format!(r#"{{"properties":{{"a":{{"{keyword}":1}}}}}}"#);
        refused(
            &document,
            Kind::UnsupportedKeyword,
            &format!("/properties/a/{keyword}"),
            Some(keyword),
        );
    }
}

#[test]
fn of_several_unknown_keywords_the_first_in_order_is_reported() {
    refused(
        r#"{"zz":1,"type":7,"not":{},"aa":2}"#,
        Kind::UnsupportedKeyword,
        "/aa",
        Some("aa"),
    );
}

#[test]
fn the_order_of_processing_decides_which_error_wins() {
    refused(
        r#"{"maximum":"x","minimum":"x","required":1,"type":7}"#,
        Kind::InvalidKeywordValue,
        "/type",
        Some("type"),
    );
    refused(
        r#"{"maximum":"x","required":1}"#,
        Kind::InvalidKeywordValue,
        "/required",
        Some("required"),
    );
    refused(
        r#"{"title":1,"$schema":1}"#,
        Kind::InvalidKeywordValue,
        "/$schema",
        Some("$schema"),
    );
    refused(
        r#"{"$ref":1,"items":{"type":1}}"#,
        Kind::InvalidKeywordValue,
        "/items/type",
        Some("type"),
    );
    refused(
        r#"{"properties":{"b":1,"a":2}}"#,
        Kind::InvalidSchema,
        "/properties/a",
        None,
    );
    refused(
        r#"{"else":1,"then":1,"if":1,"anyOf":1}"#,
        Kind::InvalidKeywordValue,
        "/anyOf",
        Some("anyOf"),
    );
}

#[test]
fn profile_1_names_its_own_dialect_at_the_root_or_none() {
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    profile_1(&format!(r#"{{"$schema":"{dialect}"}}"#));
    let fragment = format!(r#"{{"$schema":"{dialect}#"}}"#);
    refused(&fragment, Kind::UnsupportedDialect, "/$schema", Some("$schema"));
    let older = r#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#;
    refused(older, Kind::UnsupportedDialect, "/$schema", Some("$schema"));
    refused(
        r#"{"$schema":1}"#,
        Kind::InvalidKeywordValue,
        "/$schema",
        Some("$schema"),
    );
    let nested = format!(r#"{{"items":{{"$schema":"{dialect}"}}}}"#);
    refused(&nested, Kind::MisplacedDialect, "/items/$schema", Some("$schema"));
}

#[test]
fn a_keyword_with_a_value_of_another_shape_is_refused() {
    for (keyword, values) in [
        ("$defs", &["[]", "true", "1"][..]),
        ("properties", &["[]", "null"]),
        ("$anchor", &["1"]),
        ("$ref", &["1", "null"]),
        ("$comment", &["1"]),
        ("title", &["null"]),
        ("description", &["[]"]),
        ("format", &["{}"]),
        ("examples", &["{}", "1"]),
        ("deprecated", &["1", "\"true\""]),
        ("readOnly", &["null"]),
        ("writeOnly", &["0"]),
        ("allOf", &["[]", "{}", "true"]),
        ("anyOf", &["[]", "{}", "true"]),
        (
            "type",
            &[
                "\"any\"",
                "[]",
                "[\"string\",\"string\"]",
                "[1]",
                "null",
                "\"String\"",
            ],
        ),
        ("enum", &["{}", "1", "\"a\""]),
        ("required", &["{}", "true", "[1]", "[\"a\",\"a\"]"]),
        ("minimum", &["\"1\"", "null", "true"]),
        ("maximum", &["\"1\"", "[]"]),
        ("x-mcp-header", &["1", "null"]),
    ] {
        for value in values {
            let document = format!(r#"{{"{keyword}":{value}}}"#);
            refused(
                &document,
                Kind::InvalidKeywordValue,
                &format!("/{keyword}"),
                Some(keyword),
            );
        }
    }
}

#[test]
fn shapes_at_the_edge_of_the_rules_compile() {
    for document in [
        r#"{"enum":[]}"#,
        r#"{"enum":[1,1]}"#,
        r#"{"required":[]}"#,
        r#"{"properties":{"":{}}}"#,
        r#"{"const":null}"#,
        r#"{"default":null,"examples":[]}"#,
        r##"{"then":{"$anchor":"a"},"properties":{"x":{"$ref":"#a"}}}"##,
        r#"{"format":"no such format"}"#,
        r#"{"type":["null","boolean","object","array","number","string","integer"]}"#,
    ] {
        profile_1(document);
    }
}

#[test]
fn anchors_are_plain_names_and_unique() {
    refused(
        r##"{"$anchor":"#a"}"##,
        Kind::InvalidAnchor,
        "/$anchor",
        Some("$anchor"),
    );
    refused(
        r#"{"$anchor":""}"#,
        Kind::InvalidAnchor,
        "/$anchor",
        Some("$anchor"),
    );
    let twice = r#"{"$anchor":"a","items":{"$anchor":"a"}}"#;
    refused(twice, Kind::DuplicateAnchor, "/items/$anchor", Some("$anchor"));
}

#[test]
fn references_stay_within_the_document() {
    for reference in [
        "",
        "a",
        "https://example.com/schema",
        "https://example.com/schema#/a",
        "a#",
        "/a",
        "#/a b",
        "#%",
        "#/~2",
    ] {
        refused(
            &format!(r#"{{"$ref":"{reference}"}}"#),
            Kind::InvalidReference,
            "/$ref",
            Some("$ref"),
        );
    }
}

#[test]
fn references_lead_to_schemas_only() {
    for pointer in [
        "/enum/0",
        "/const",
        "/default",
        "/examples/0",
        "/properties",
        "/allOf",
        "/allOf/00",
        "/allOf/1",
        "/properties/b",
        "/items/",
        "/type",
        "/$defs",
    ] {
        let document = format!(
            r##"{{"enum":[{{}}],"const":{{}},"default":{{}},"examples":[{{}}],"properties":{{"a":true}},
                "allOf":[true],"items":true,"type":"object","$defs":{{}},"if":{{"$ref":"#{pointer}"}}}}"##
        );
        refused(&document, Kind::UnresolvedReference, "/if/$ref", Some("$ref"));
    }
    refused(
        r##"{"$ref":"#nobody"}"##,
        Kind::UnresolvedReference,
        "/$ref",
        Some("$ref"),
    );
}

#[test]
fn every_place_that_bears_a_schema_may_be_referred_to() {
    for pointer in [
        "",
        "/$defs/a",
        "/$defs/~0~1%25",
        "/properties/",
        "/additionalProperties",
        "/items",
        "/allOf/1",
        "/anyOf/0",
        "/if",
        "/then",
        "/else",
        "%2Fitems",
        "/%69tems",
        "/items/items",
    ] {
        let document = format!(
            r##"{{"$defs":{{"a":true,"~/%":true}},"properties":{{"":true,"ref":{{"$ref":"#{pointer}"}}}},
                "additionalProperties":{{}},"items":{{"items":{{}}}},"allOf":[{{}},{{}}],"anyOf":[{{}}],
                "if":{{}},"then":{{}},"else":{{}}}}"##
        );
        profile_1(&document);
    }
}

#[test]
fn the_document_is_published_as_it_was_given() {
    let text = r#"{"type":"object","title":"é","properties":{"b":{"maximum":1.0},"a":{"minimum":1e2}},"required":["b","a"]}"#;
    let schema = profile_1(text);
    assert_eq!(schema.document().to_text(), json(text).to_text());
    assert_eq!(schema.document(), &json(text));
    assert_eq!(schema.profile(), Profile::Profile1);
    assert_eq!(schema.node_count(), 3);
}

#[test]
fn the_draft_keeps_unknown_keywords_and_lists_them() {
    let schema = draft(r#"{"x-vendor":1,"items":{"example":2,"additionalItems":3},"title":7}"#);
    let unknown: Vec<String> = schema
        .unknown_keywords()
        .iter()
        .map(|each| each.location().to_string())
        .collect();
    assert_eq!(unknown, ["/x-vendor", "/items/additionalItems", "/items/example"]);
}

#[test]
fn the_draft_refuses_the_keywords_of_2019_09_that_it_has_replaced() {
    for keyword in ["$recursiveAnchor", "$recursiveRef"] {
        let document = format!(r#"{{"items":{{"{keyword}":false}}}}"#);
        let error = refusal(&document, Profile::Draft2020_12);
        assert_eq!(
            (error.kind(), error.keyword()),
            (Kind::UnsupportedKeyword, Some(keyword))
        );
    }
}

#[test]
fn the_draft_checks_the_shapes_of_its_keywords() {
    for document in [
        r#"{"oneOf":[]}"#,
        r#"{"minLength":-1}"#,
        r#"{"maxItems":1.5}"#,
        r#"{"minProperties":"1"}"#,
        r#"{"multipleOf":0}"#,
        r#"{"multipleOf":-1}"#,
        r#"{"uniqueItems":1}"#,
        r#"{"prefixItems":[]}"#,
        r#"{"prefixItems":{}}"#,
        r#"{"pattern":1}"#,
        r#"{"pattern":"("}"#,
        r#"{"patternProperties":{"[":true}}"#,
        r#"{"dependentRequired":{"a":"b"}}"#,
        r#"{"items":[]}"#,
        r#"{"dependentRequired":{"a":["b","b"]}}"#,
        r#"{"minContains":-1}"#,
        r#"{"exclusiveMinimum":true}"#,
        r#"{"$id":1}"#,
        r##"{"$id":"a#b"}"##,
        r#"{"patternProperties":[]}"#,
        r#"{"dependentSchemas":[]}"#,
        r#"{"dependencies":[]}"#,
        r#"{"dependencies":{"a":[1]}}"#,
        r#"{"$vocabulary":[]}"#,
        r#"{"$dynamicAnchor":1}"#,
        r#"{"$dynamicRef":1}"#,
        r#"{"$defs":{"a":{"$id":"b"},"b":{"$id":"b"}}}"#,
    ] {
        assert_eq!(
            refusal(document, Profile::Draft2020_12).kind(),
            Kind::InvalidKeywordValue,
            "{document}"
        );
    }
    for document in [
        r#"{"not":1}"#,
        r#"{"propertyNames":"a"}"#,
        r#"{"contains":null}"#,
        r#"{"oneOf":[1]}"#,
        r#"{"unevaluatedItems":1}"#,
        r#"{"unevaluatedProperties":[]}"#,
        r#"{"dependencies":{"a":1}}"#,
        r#"{"contentSchema":1}"#,
    ] {
        assert_eq!(
            refusal(document, Profile::Draft2020_12).kind(),
            Kind::InvalidSchema,
            "{document}"
        );
    }
}

#[test]
fn a_pattern_beyond_linear_time_is_refused_by_what_it_uses() {
    let error = refusal(
        r#"{"properties":{"a":{"pattern":"^(?!b)"}}}"#,
        Profile::Draft2020_12,
    );
    insta::assert_snapshot!(error, @"UNSUPPORTED_PATTERN at /properties/a/pattern, keyword `pattern`: negative look-ahead `(?!` cannot be matched in linear time; say the same without it");
}

#[test]
fn errors_read_as_sentences() {
    let texts = [
        refusal("true", Profile::Profile1),
        refusal(r#"{"oneOf":[{}]}"#, Profile::Profile1),
        refusal(r##"{"items":{"$ref":"#/nowhere"}}"##, Profile::Profile1),
        refusal(r#"{"pattern":"a**"}"#, Profile::Draft2020_12),
        refusal(r##"{"$recursiveRef":"#"}"##, Profile::Draft2020_12),
    ]
    .map(|error| error.to_string())
    .join("\n");
    insta::assert_snapshot!(texts);
}

#[test]
fn the_root_of_a_draft_document_may_be_a_boolean_except_for_a_tool() {
    assert!(draft("true").evaluate(&json("1")).is_valid());
    assert!(!draft("false").evaluate(&json("1")).is_valid());
    assert!(Schema::compile_tool_input(json("true"), Profile::Draft2020_12).is_err());
}
