//! A schema and a value, split by a line `---`: every profile compiles and judges, or refuses in a typed way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolmesh_json::Value;
use toolmesh_schema::{CompileOptions, Draft, Evaluation, EvaluationLimits, EvaluationOutcome, Formats, Profile, Schema};

const SEPARATOR: &[u8] = b"\n---\n";

/// Small enough that no input takes long.
const OPERATIONS: u64 = 50_000;

fuzz_target!(|input: &[u8]| {
    let Some((schema, value)) = split(input) else { return };
    let (Ok(schema), Ok(value)) = (toolmesh_json::parse(schema), toolmesh_json::parse(value)) else {
        return;
    };
    let plain = CompileOptions::default();
    let first = judge(&schema, &value, Profile::Profile1, &plain);
    let draft = judge(&schema, &value, Profile::Draft2020_12, &plain);
    let asserting = plain.clone().with_formats(Formats::Assert);
    judge(&schema, &value, Profile::Draft2020_12, &asserting);
    let older = plain.with_default_draft(Draft::Draft07);
    judge(&schema, &value, Profile::Draft2020_12, &older);
    // What Profile 1 knows, the draft knows too: same answer, same cost.
    if let Some(first) = first {
        let draft = draft.expect("the draft compiles what Profile 1 compiles");
        assert_eq!(told(&first), told(&draft));
    }
});

fn split(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = input.windows(SEPARATOR.len()).position(|window| window == SEPARATOR)?;
    Some((&input[..at], &input[at + SEPARATOR.len()..]))
}

/// Compiles and judges twice, which must come to the same, within the budget.
fn judge(document: &Value, value: &Value, profile: Profile, options: &CompileOptions) -> Option<Evaluation> {
    let limits = EvaluationLimits::default()
        .with_operations(OPERATIONS)
        .expect("the budget may be chosen");
    let [first, second] = [(); 2].map(|()| Schema::compile_with(document.clone(), profile, options));
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(first), Err(second)) => {
            assert_eq!(first, second);
            let _ = first.to_string();
            return None;
        }
        (first, second) => panic!("{first:?} and {second:?}"),
    };
    assert_eq!(first.document().to_text(), document.to_text());
    let [one, other] = [&first, &second].map(|schema| schema.evaluate_with(value, &limits));
    assert_eq!(told(&one), told(&other));
    assert!(one.operations() <= OPERATIONS);
    Some(one)
}

/// An evaluation in comparable words.
fn told(evaluation: &Evaluation) -> (String, u64, u64, u32) {
    let outcome = match evaluation.outcome() {
        EvaluationOutcome::Valid => "valid".to_owned(),
        EvaluationOutcome::LimitExceeded(limit) => limit.to_string(),
        EvaluationOutcome::Invalid(diagnostics) => diagnostics.iter().map(|each| format!("{each}\n")).collect(),
    };
    (
        outcome,
        evaluation.operations(),
        evaluation.reference_traversals(),
        evaluation.peak_pending(),
    )
}
