//! What a failure says: where and what was expected, never what was submitted.

use toolmesh_schema::{DiagnosticCode, EvaluationOutcome, Schema};

use crate::shared::{draft, evaluate, profile_1};

fn told(schema: &Schema, value: &str) -> String {
    let EvaluationOutcome::Invalid(diagnostics) = evaluate(schema, value).into_outcome() else {
        panic!("{value} must not fit {}", schema.document())
    };
    diagnostics.iter().map(|each| format!("{each}\n")).collect()
}

#[test]
fn every_keyword_says_what_it_expected() {
    let mut all = String::new();
    for (schema, value) in [
        (r#"{"type":["string","null"]}"#, "1"),
        (r#"{"const":{"a":1.0}}"#, "1"),
        (r#"{"enum":["red","green"]}"#, "1"),
        (r#"{"enum":[]}"#, "1"),
        (r#"{"minimum":1}"#, "0"),
        (r#"{"maximum":255}"#, "256"),
        (r#"{"exclusiveMinimum":0}"#, "0"),
        (r#"{"exclusiveMaximum":1e3}"#, "1000"),
        (r#"{"multipleOf":0.05}"#, "0.01"),
        (r#"{"minLength":1}"#, "\"\""),
        (r#"{"maxLength":2}"#, "\"abc\""),
        (r#"{"minItems":2}"#, "[]"),
        (r#"{"maxItems":1}"#, "[1,2]"),
        (r#"{"minProperties":1}"#, "{}"),
        (r#"{"maxProperties":0}"#, "{\"a\":1}"),
        (r#"{"pattern":"^0x[0-9a-fA-F]{40}$"}"#, "\"0x\""),
        (r#"{"uniqueItems":true}"#, "[1,1]"),
        (r#"{"required":["to","a\"b"]}"#, "{}"),
        (r#"{"dependentRequired":{"a":["b"]}}"#, "{\"a\":1}"),
        (
            r#"{"anyOf":[{"type":"string","pattern":"^[0-9]+$"},{"type":"integer","minimum":0,"maximum":255}]}"#,
            "null",
        ),
        (r#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "3"),
        (r#"{"not":{"type":"null"}}"#, "null"),
        (r#"{"propertyNames":{"pattern":"^[a-z]+$"}}"#, "{\"A\":1}"),
        (r#"{"contains":{"type":"integer"},"maxContains":2}"#, "[]"),
        (
            r#"{"properties":{"to":true,"amount":true},"additionalProperties":false}"#,
            "{\"too\":1}",
        ),
        (r#"{"additionalProperties":false}"#, "{\"a\":1}"),
        (r#"{"prefixItems":[true],"items":false}"#, "[1,2]"),
        (r#"{"properties":{"a":false}}"#, "{\"a\":1}"),
        ("false", "1"),
        (
            r#"{"properties":{"a":true},"unevaluatedProperties":false}"#,
            "{\"b\":1}",
        ),
        (r#"{"prefixItems":[true],"unevaluatedItems":false}"#, "[1,2]"),
        (r#"{"dependencies":{"a":["b"]}}"#, "{\"a\":1}"),
    ] {
        all.push_str(&told(&draft(schema), value));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn all_failures_of_a_value_are_gathered_with_their_places() {
    let schema = profile_1(
        r##"{"$defs":{"amount":{"type":"integer","maximum":255}},"type":"object","required":["to","from"],
        "properties":{"amount":{"$ref":"#/$defs/amount"},"list":{"items":{"properties":{"a/b":{"type":"string"}}}}}}"##,
    );
    insta::assert_snapshot!(told(
        &schema,
        r#"{"from":1,"list":[{},{"a/b":2}],"amount":256.5}"#
    ));
}

#[test]
fn branches_that_only_decide_tell_nothing() {
    let schema = profile_1(
        r#"{"if":{"type":"string"},"else":{"type":"integer"},"anyOf":[{"type":"null"},{"type":"integer"}]}"#,
    );
    assert!(evaluate(&schema, "1").is_valid());
    let EvaluationOutcome::Invalid(diagnostics) = evaluate(&schema, "[]").into_outcome() else {
        panic!()
    };
    let codes: Vec<DiagnosticCode> = diagnostics.iter().map(|each| each.code()).collect();
    assert_eq!(
        codes,
        [DiagnosticCode::AnyOfMismatch, DiagnosticCode::TypeMismatch]
    );
}

#[test]
fn the_submitted_value_is_never_repeated() {
    let secret = "hunter2secret";
    let value = format!(r#"{{"a":"{secret}","b":["{secret}"],"c":{{"x":"{secret}"}}}}"#);
    let schema = draft(
        r#"{"properties":{"a":{"type":"integer","const":1,"enum":[2],"pattern":"^x$","maxLength":1,"not":{"type":"string"}},
        "b":{"items":{"oneOf":[{"type":"null"}]},"maxItems":0,"contains":false},"c":{"anyOf":[false],"maxProperties":0}}}"#,
    );
    let text = told(&schema, &value);
    assert!(text.lines().count() > 8 && !text.contains(secret), "{text}");
}

#[test]
fn long_schema_texts_are_clipped() {
    let many: Vec<String> = (0..100)
        .map(|index| format!("\"{}{index}\"", "v".repeat(300)))
        .collect();
    let text = told(&profile_1(&format!(r#"{{"enum":[{}]}}"#, many.join(","))), "1");
    assert!(
        text.len() < 3_000 && text.contains("and 88 more"),
        "{}",
        text.len()
    );
}
