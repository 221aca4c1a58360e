//! Resources, references across documents, and dynamic references.

use toolmesh_schema::{
    CompileError, CompileErrorKind as Kind, CompileLimit, CompileLimits, CompileOptions, Draft,
    EvaluationOutcome, Profile, Registry, Schema,
};

use crate::shared::{draft, json, judge, refusal};

fn with(registry: Registry, document: &str) -> Result<Schema, CompileError> {
    let options = CompileOptions::default().with_registry(registry);
    Schema::compile_with(json(document), Profile::Draft2020_12, &options)
}

#[test]
fn an_id_inside_a_document_is_what_references_below_it_are_relative_to() {
    let schema = draft(
        r##"{"$id":"https://example.com/root/","properties":{"a":{"$ref":"sub/a#name"},"b":{"$ref":"/abs"}},
        "$defs":{"x":{"$id":"sub/a","$defs":{"y":{"$anchor":"name","$ref":"b"},"z":{"$id":"b","type":"string"}}},
        "w":{"$id":"/abs","type":"null"}}}"##,
    );
    judge(&schema, &[r#"{"a":"s","b":null}"#], &[r#"{"a":1}"#, r#"{"b":1}"#]);
}

#[test]
fn the_same_anchor_may_stand_in_two_resources() {
    let schema = draft(
        r##"{"$id":"https://example.com/r","$defs":{"a":{"$anchor":"n","type":"string"},
        "b":{"$id":"inner","$defs":{"c":{"$anchor":"n","type":"null"}}}},
        "prefixItems":[{"$ref":"#n"},{"$ref":"inner#n"}]}"##,
    );
    judge(&schema, &[r#"["a",null]"#], &["[null]", r#"["a","a"]"#]);
    let twice = r##"{"$defs":{"a":{"$anchor":"n"},"b":{"$dynamicAnchor":"n"}}}"##;
    assert_eq!(
        refusal(twice, Profile::Draft2020_12).kind(),
        Kind::DuplicateAnchor
    );
}

#[test]
fn references_lead_into_documents_of_the_registry_and_from_there_on() {
    let registry = Registry::new()
        .with(
            "https://example.com/a",
            json(r#"{"items":{"$ref":"b#/$defs/int"}}"#),
        )
        .with(
            "https://example.com/b",
            json(r#"{"$defs":{"int":{"type":"integer"}}}"#),
        );
    let schema = with(registry, r#"{"$ref":"https://example.com/a"}"#).unwrap();
    judge(&schema, &["[1]", "{}"], &[r#"["a"]"#]);
}

#[test]
fn documents_may_refer_to_each_other_in_a_circle() {
    let registry = Registry::new()
        .with(
            "urn:a",
            json(r#"{"properties":{"b":{"$ref":"urn:b"}},"additionalProperties":false}"#),
        )
        .with(
            "urn:b",
            json(r#"{"properties":{"a":{"$ref":"urn:a"}},"additionalProperties":false}"#),
        );
    let schema = with(registry, r#"{"$ref":"urn:a"}"#).unwrap();
    judge(&schema, &[r#"{"b":{"a":{"b":{}}}}"#], &[r#"{"b":{"b":{}}}"#]);
}

#[test]
fn a_reference_out_of_the_document_is_refused_without_a_registry() {
    let error = refusal(r#"{"$ref":"https://example.com/a"}"#, Profile::Draft2020_12);
    assert_eq!(error.kind(), Kind::UnresolvedReference);
    insta::assert_snapshot!(error);
}

#[test]
fn an_error_in_another_document_says_which() {
    let registry = Registry::new().with("urn:a", json(r#"{"items":{"type":"text"}}"#));
    let error = with(registry, r#"{"$ref":"urn:a"}"#).unwrap_err();
    assert_eq!(error.document(), Some("urn:a"));
    insta::assert_snapshot!(error);
    let missing = Registry::new().with("urn:a", json(r#"{"items":{"$ref":"nowhere"}}"#));
    assert_eq!(
        with(missing, r#"{"$ref":"urn:a"}"#).unwrap_err().document(),
        Some("urn:a")
    );
}

#[test]
fn a_failure_in_another_document_says_which() {
    let registry = Registry::new().with("urn:a", json(r#"{"items":{"type":"string"}}"#));
    let schema = with(registry, r#"{"$ref":"urn:a"}"#).unwrap();
    let EvaluationOutcome::Invalid(diagnostics) = schema.evaluate(&json("[1]")).into_outcome() else {
        panic!("it must not fit")
    };
    let only = &diagnostics.as_slice()[0];
    assert_eq!(
        (only.document(), only.schema().to_string().as_str()),
        (Some("urn:a"), "/items/type")
    );
    assert_eq!(
        only.to_string(),
        "/0: expected a string (TYPE_MISMATCH at urn:a#/items/type)"
    );
}

#[test]
fn the_bounds_count_all_documents_together() {
    let registry = Registry::new().with("urn:a", json(r#"{"allOf":[true,true]}"#));
    let limits = |count| {
        CompileLimits::default()
            .with(CompileLimit::SchemaNodeCount, count)
            .unwrap()
    };
    let compile = |count| {
        let options = CompileOptions::default()
            .with_registry(registry.clone())
            .with_limits(limits(count));
        Schema::compile_with(json(r#"{"$ref":"urn:a"}"#), Profile::Draft2020_12, &options)
    };
    assert!(compile(4).is_ok());
    assert_eq!(
        compile(3).unwrap_err().limit(),
        Some(CompileLimit::SchemaNodeCount)
    );
}

#[test]
fn profile_1_refers_to_nothing_outside_even_with_a_registry() {
    let options = CompileOptions::default().with_registry(Registry::new().with("urn:a", json("{}")));
    let error = Schema::compile_with(json(r#"{"$ref":"urn:a"}"#), Profile::Profile1, &options).unwrap_err();
    assert_eq!(error.kind(), Kind::InvalidReference);
}

#[test]
fn a_reference_may_lead_below_an_unknown_keyword() {
    let schema =
        draft(r##"{"x-shared":{"list":[{"type":"integer"}]},"items":{"$ref":"#/x-shared/list/0"}}"##);
    judge(&schema, &["[1]"], &[r#"["a"]"#]);
    let error = refusal(
        r##"{"x-shared":{"list":[1]},"items":{"$ref":"#/x-shared/list/0"}}"##,
        Profile::Draft2020_12,
    );
    assert_eq!(error.kind(), Kind::UnresolvedReference);
}

#[test]
fn the_meta_schemas_judge_schemas() {
    for (uri, sound, broken) in [
        (
            Draft::Draft2020_12.uri(),
            r#"{"items":{"type":"string"},"$defs":{"a":true}}"#,
            r#"{"items":{"minLength":-1}}"#,
        ),
        (
            Draft::Draft07.uri(),
            r#"{"items":[{"type":"string"}]}"#,
            r#"{"items":[{"minLength":-1}]}"#,
        ),
    ] {
        judge(
            &draft(&format!(r#"{{"$ref":"{uri}"}}"#)),
            &[sound, "true"],
            &[broken, "1"],
        );
    }
}

#[test]
fn draft_07_is_read_where_the_document_names_it() {
    let schema = draft(
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$id":"#n","type":"integer"}},
        "items":[{"$ref":"#n","minimum":5}],"additionalItems":{"type":"null"},"dependencies":{"a":["b"]}}"##,
    );
    assert_eq!(schema.draft(), Draft::Draft07);
    judge(
        &schema,
        &["[1,null]", r#"{"a":1,"b":1}"#],
        &[r#"["a"]"#, "[1,2]", r#"{"a":1}"#],
    );
    let schema =
        draft(r#"{"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":{"a":["b"]}}"#);
    let unknown: Vec<&str> = schema
        .unknown_keywords()
        .iter()
        .map(|each| each.keyword())
        .collect();
    assert_eq!(unknown, ["dependentRequired"]);
    judge(&schema, &[r#"{"a":1}"#], &[]);
}

#[test]
fn a_document_of_the_registry_keeps_its_own_draft() {
    let old = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#;
    let schema = with(
        Registry::new().with("urn:old", json(old)),
        r#"{"$ref":"urn:old"}"#,
    )
    .unwrap();
    judge(&schema, &[r#"["a",1]"#], &["[1]"]);
}

#[test]
fn other_drafts_are_refused_by_name() {
    for (uri, name) in [
        ("https://json-schema.org/draft/2019-09/schema", "2019-09"),
        ("http://json-schema.org/draft-04/schema#", "draft-04"),
        ("https://example.com/mine", "meta-schema is not known"),
    ] {
        let error = refusal(&format!(r#"{{"$schema":"{uri}"}}"#), Profile::Draft2020_12);
        assert_eq!(error.kind(), Kind::UnsupportedDialect);
        assert!(error.remedy().contains(name), "{error}");
    }
}

#[test]
fn a_dynamic_reference_leads_to_the_outermost_schema_of_its_name() {
    let tree = r##"{"$id":"https://example.com/tree","$dynamicAnchor":"node","type":"object",
        "properties":{"children":{"items":{"$dynamicRef":"#node"}}}}"##;
    let strict = r##"{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false}"##;
    let registry = Registry::new().with("https://example.com/tree", json(tree));
    let schema = with(registry, strict).unwrap();
    judge(
        &schema,
        &[r#"{"children":[{"children":[]}]}"#],
        &[r#"{"daat":1}"#, r#"{"children":[{"daat":1}]}"#],
    );
    judge(
        &draft(tree),
        &[r#"{"children":[{"daat":1}]}"#],
        &[r#"{"children":[1]}"#],
    );
}
