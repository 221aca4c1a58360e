//! What is left over when every schema on a value has spoken.

use toolmesh_schema::{DiagnosticCode, EvaluationOutcome};

use crate::shared::{draft, evaluate, judge};

#[test]
fn members_are_left_over_by_the_branches_that_fit_alone() {
    let schema = draft(
        r#"{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":true},"required":["b"]}],
        "unevaluatedProperties":false}"#,
    );
    judge(
        &schema,
        &[r#"{"a":"x"}"#, r#"{"b":1}"#, r#"{"a":"x","b":1}"#],
        &[r#"{"a":1,"b":1}"#, r#"{"a":"x","c":1}"#],
    );
}

#[test]
fn conditions_and_references_speak_too() {
    let schema = draft(
        r##"{"$ref":"#/$defs/base","if":{"properties":{"kind":{"const":"x"}},"required":["kind"]},
        "then":{"properties":{"x":true}},"else":{"properties":{"y":true}},"unevaluatedProperties":{"type":"null"},
        "$defs":{"base":{"patternProperties":{"^b":true}}}}"##,
    );
    judge(
        &schema,
        &[r#"{"kind":"x","x":1,"b1":1,"rest":null}"#, r#"{"y":1}"#],
        &[r#"{"kind":"x","y":1}"#, r#"{"x":1}"#, r#"{"rest":1}"#],
    );
}

#[test]
fn a_negation_speaks_of_nothing() {
    judge(
        &draft(r#"{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}"#),
        &["{}"],
        &[r#"{"a":1}"#],
    );
}

#[test]
fn an_inner_leftover_sees_its_own_schema_only_and_an_outer_one_sees_it() {
    judge(
        &draft(
            r#"{"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":{"type":"integer"}}],"unevaluatedProperties":false}"#,
        ),
        &[r#"{"a":1}"#, r#"{"b":2}"#],
        &[r#"{"a":"x"}"#],
    );
}

#[test]
fn items_are_left_over_behind_prefixes_and_beside_those_contained() {
    let schema = draft(
        r#"{"allOf":[{"prefixItems":[{"type":"string"}]},{"contains":{"type":"integer"}}],"unevaluatedItems":{"type":"null"}}"#,
    );
    judge(
        &schema,
        &[r#"["a",1,2,null]"#, "[\"a\",null,1]"],
        &[r#"["a",1,"b"]"#, r#"["a",null]"#],
    );
    judge(
        &draft(r#"{"anyOf":[{"items":{"type":"integer"}},true],"unevaluatedItems":false}"#),
        &["[1]", "[]"],
        &[r#"["a"]"#],
    );
}

#[test]
fn the_marks_of_a_member_are_not_those_of_its_object() {
    judge(
        &draft(
            r#"{"properties":{"a":{"properties":{"b":true},"unevaluatedProperties":false}},"unevaluatedProperties":false}"#,
        ),
        &[r#"{"a":{"b":1}}"#],
        &[r#"{"a":{"b":1},"b":1}"#, r#"{"a":{"a":1}}"#],
    );
}

#[test]
fn what_is_left_over_of_a_value_that_does_not_fit_anyway_is_not_told() {
    let schema = draft(r#"{"anyOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}"#);
    let EvaluationOutcome::Invalid(diagnostics) = evaluate(&schema, r#"{"a":1}"#).into_outcome() else {
        panic!("it must not fit")
    };
    let codes: Vec<DiagnosticCode> = diagnostics.iter().map(|each| each.code()).collect();
    assert_eq!(codes, [DiagnosticCode::AnyOfMismatch]);
}
