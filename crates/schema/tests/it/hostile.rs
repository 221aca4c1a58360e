//! Schemas and values made to hurt: each is answered within the budget.

use std::time::{Duration, Instant};

use toolmesh_json::Value;
use toolmesh_schema::{EvaluationLimit, EvaluationOutcome};

use crate::shared::{draft, evaluate, profile_1};

fn ended_by(outcome: &EvaluationOutcome) -> Option<EvaluationLimit> {
    match outcome {
        EvaluationOutcome::LimitExceeded(limit) => Some(*limit),
        EvaluationOutcome::Valid | EvaluationOutcome::Invalid(_) => None,
    }
}

#[test]
fn doubling_references_end_at_the_budget() {
    let levels = 40;
    let defs: Vec<String> = (0..levels)
        .map(|level| {
            format!(
                r##""n{level}":{{"allOf":[{{"$ref":"#/$defs/n{0}"}},{{"$ref":"#/$defs/n{0}"}}]}}"##,
                level + 1
            )
        })
        .chain([format!(r#""n{levels}":true"#)])
        .collect();
    let schema = profile_1(&format!(
        r##"{{"$ref":"#/$defs/n0","$defs":{{{}}}}}"##,
        defs.join(",")
    ));
    let started = Instant::now();
    assert!(ended_by(evaluate(&schema, "1").outcome()).is_some());
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_value_deeper_than_the_pending_bound_is_refused_not_overflowed() {
    let schema = profile_1(r##"{"items":{"$ref":"#"}}"##);
    let mut value = Value::array().build();
    for _ in 0..100 {
        value = Value::array().push(value).build();
    }
    assert_eq!(
        ended_by(schema.evaluate(&value).outcome()),
        Some(EvaluationLimit::PendingTasks)
    );
}

#[test]
fn many_equal_looking_items_end_at_the_budget() {
    // Equal down to where fingerprints look, different below.
    let item = |leaf: usize| format!("{}{leaf}{}", "[".repeat(18), "]".repeat(18));
    let items: Vec<String> = (0..2_000).map(item).collect();
    let schema = draft(r#"{"uniqueItems":true}"#);
    let evaluation = evaluate(&schema, &format!("[{}]", items.join(",")));
    assert_eq!(
        ended_by(evaluation.outcome()),
        Some(EvaluationLimit::EvaluationOperations)
    );
}

#[test]
fn many_different_items_are_unique_in_linear_time() {
    let items: Vec<String> = (0..50_000).map(|index| index.to_string()).collect();
    let evaluation = evaluate(
        &draft(r#"{"uniqueItems":true}"#),
        &format!("[{}]", items.join(",")),
    );
    assert!(evaluation.is_valid());
    assert_eq!(evaluation.operations(), 50_002);
}

#[test]
fn a_pattern_that_blows_up_elsewhere_is_linear_here() {
    let schema = draft(r#"{"pattern":"^(a+)+$"}"#);
    let started = Instant::now();
    assert!(!evaluate(&schema, &format!("\"{}b\"", "a".repeat(100_000))).is_valid());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_long_text_is_charged_for_being_read() {
    let text = format!("\"{}\"", "a".repeat(64 * 1_000));
    assert_eq!(
        evaluate(&draft(r#"{"maxLength":1000000}"#), &text).operations(),
        1 + 1 + 1_000
    );
    assert_eq!(
        evaluate(&draft(r#"{"pattern":"^a+$"}"#), &text).operations(),
        1 + 1 + 1_000
    );
}

#[test]
fn evaluation_is_deterministic() {
    let schema = draft(
        r#"{"uniqueItems":true,"items":{"oneOf":[{"type":"object","required":["a"]},{"type":"integer"}]}}"#,
    );
    let value = r#"[{"a":1},{"b":1},2,2,{"b":1},"x"]"#;
    let first = evaluate(&schema, value);
    let second = evaluate(&schema, value);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}
