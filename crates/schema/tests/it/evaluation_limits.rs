//! Every evaluation bound at n and at n + 1, and that it ends the whole evaluation.

use toolmesh_schema::{EvaluationLimit, EvaluationLimits, EvaluationOutcome, Schema};

use crate::shared::{draft, evaluate, json, profile_1};

fn limit(schema: &Schema, value: &str, limits: &EvaluationLimits) -> Option<EvaluationLimit> {
    match schema.evaluate_with(&json(value), limits).into_outcome() {
        EvaluationOutcome::LimitExceeded(limit) => Some(limit),
        EvaluationOutcome::Valid | EvaluationOutcome::Invalid(_) => None,
    }
}

/// A root with a chain of references below it.
fn chain(length: usize) -> Schema {
    let links: Vec<String> = (1..length)
        .map(|index| format!(r##""n{index}":{{"$ref":"#/$defs/n{}"}}"##, index + 1))
        .collect();
    let last = format!(r#""n{length}":true"#);
    let defs: Vec<String> = links.into_iter().chain([last]).collect();
    profile_1(&format!(
        r##"{{"$ref":"#/$defs/n1","$defs":{{{}}}}}"##,
        defs.join(",")
    ))
}

#[test]
fn operations() {
    let schema = profile_1(r#"{"type":"array","items":true}"#);
    let budget = |operations| EvaluationLimits::default().with_operations(operations).unwrap();
    assert_eq!(limit(&schema, "[null]", &budget(4)), None);
    assert_eq!(
        limit(&schema, "[null]", &budget(3)),
        Some(EvaluationLimit::EvaluationOperations)
    );
}

#[test]
fn reference_traversals() {
    let budget = |traversals| {
        EvaluationLimits::default()
            .with_reference_traversals(traversals)
            .unwrap()
    };
    assert_eq!(limit(&chain(7), "1", &budget(7)), None);
    assert_eq!(
        limit(&chain(8), "1", &budget(7)),
        Some(EvaluationLimit::ReferenceTraversals)
    );
}

#[test]
fn a_chain_of_127_references_under_a_root_is_fine_and_128_are_not() {
    let evaluation = evaluate(&chain(127), "1");
    assert!(evaluation.is_valid());
    assert_eq!(
        (evaluation.peak_pending(), evaluation.reference_traversals()),
        (128, 127)
    );
    let limits = EvaluationLimits::default();
    assert_eq!(
        limit(&chain(128), "1", &limits),
        Some(EvaluationLimit::PendingTasks)
    );
}

#[test]
fn the_ceiling_of_pending_evaluations_fits_the_stack() {
    let limits = EvaluationLimits::default().with_pending(256).unwrap();
    assert_eq!(limit(&chain(255), "1", &limits), None);
    assert_eq!(
        limit(&chain(256), "1", &limits),
        Some(EvaluationLimit::PendingTasks)
    );
}

#[test]
fn a_reference_that_leads_back_to_itself_is_an_endless_loop() {
    let limits = EvaluationLimits::default();
    for document in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}"##,
        r##"{"if":{"$ref":"#"},"then":true}"##,
    ] {
        assert_eq!(
            limit(&profile_1(document), "1", &limits),
            Some(EvaluationLimit::ReferenceTraversals),
            "{document}"
        );
    }
}

#[test]
fn a_recursive_schema_on_a_finite_value_is_no_loop() {
    let schema =
        profile_1(r##"{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##);
    assert!(evaluate(&schema, r#"{"next":{"next":{"next":{}}}}"#).is_valid());
    assert!(!evaluate(&schema, r#"{"next":{"next":{"next":1}}}"#).is_valid());
}

#[test]
fn the_same_schema_twice_on_one_value_in_turn_is_no_loop() {
    let schema = profile_1(
        r##"{"$defs":{"int":{"type":"integer"}},"properties":{"a":{"allOf":[{"$ref":"#/$defs/int"},{"allOf":[{"$ref":"#/$defs/int"}]}]}}}"##,
    );
    assert!(evaluate(&schema, r#"{"a":1}"#).is_valid());
}

#[test]
fn a_spent_budget_is_no_mismatch_inside_a_branch() {
    let limits = EvaluationLimits::default();
    let endless = r##"{"$ref":"#/$defs/x"}"##;
    for document in [
        format!(r#"{{"$defs":{{"x":{endless}}},"anyOf":[{endless},true]}}"#),
        format!(r#"{{"$defs":{{"x":{endless}}},"if":{endless},"else":true}}"#),
    ] {
        assert_eq!(
            limit(&profile_1(&document), "1", &limits),
            Some(EvaluationLimit::ReferenceTraversals)
        );
    }
    for document in [
        format!(r#"{{"$defs":{{"x":{endless}}},"not":{endless}}}"#),
        format!(r#"{{"$defs":{{"x":{endless}}},"oneOf":[true,{endless}]}}"#),
        format!(r#"{{"$defs":{{"x":{endless}}},"contains":{endless},"minContains":0,"maxContains":5}}"#),
        format!(r#"{{"$defs":{{"x":{endless}}},"propertyNames":{endless}}}"#),
    ] {
        let value = if document.contains("propertyNames") {
            r#"{"a":1}"#
        } else {
            "[1]"
        };
        assert_eq!(
            limit(&draft(&document), value, &limits),
            Some(EvaluationLimit::ReferenceTraversals),
            "{document}"
        );
    }
}

#[test]
fn diagnostics_are_kept_up_to_the_bound() {
    let schema = profile_1(r#"{"items":{"type":"string"}}"#);
    let kept = |count: usize| {
        let value = format!("[{}]", vec!["1"; count].join(","));
        let EvaluationOutcome::Invalid(diagnostics) = evaluate(&schema, &value).into_outcome() else {
            panic!()
        };
        (diagnostics.len(), diagnostics.is_truncated())
    };
    assert_eq!(kept(100), (100, false));
    assert_eq!(kept(101), (100, true));
}

#[test]
fn diagnostic_text_is_kept_up_to_the_bound() {
    let schema = profile_1(r#"{"type":"string"}"#);
    let kept = |bytes: usize| {
        let limits = EvaluationLimits::default().with_diagnostic_text(bytes).unwrap();
        let EvaluationOutcome::Invalid(diagnostics) =
            schema.evaluate_with(&json("1"), &limits).into_outcome()
        else {
            panic!()
        };
        (diagnostics.len(), diagnostics.is_truncated())
    };
    let text = "/type".len() + "a string".len();
    assert_eq!(kept(text), (1, false));
    assert_eq!(kept(text - 1), (0, true));
}
