//! Short ways to say "this schema, this value".

use toolmesh_json::{Limits, Value};
use toolmesh_schema::{CompileError, Evaluation, EvaluationOutcome, Profile, Schema};

pub(crate) fn json(text: &str) -> Value {
    let limits = Limits::default().with_depth(256).unwrap();
    toolmesh_json::parse_with(text.as_bytes(), &limits).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub(crate) fn profile_1(document: &str) -> Schema {
    Schema::compile(json(document), Profile::Profile1).unwrap_or_else(|error| panic!("{error}: {document}"))
}

pub(crate) fn draft(document: &str) -> Schema {
    Schema::compile(json(document), Profile::Draft2020_12)
        .unwrap_or_else(|error| panic!("{error}: {document}"))
}

pub(crate) fn refusal(document: &str, profile: Profile) -> CompileError {
    match Schema::compile(json(document), profile) {
        Ok(_) => panic!("compiled: {document}"),
        Err(error) => error,
    }
}

pub(crate) fn evaluate(schema: &Schema, value: &str) -> Evaluation {
    schema.evaluate(&json(value))
}

/// Whether the value fits; a spent budget is a failed test.
pub(crate) fn fits(schema: &Schema, value: &str) -> bool {
    let evaluation = evaluate(schema, value);
    assert!(
        !matches!(evaluation.outcome(), EvaluationOutcome::LimitExceeded(_)),
        "{evaluation:?}"
    );
    evaluation.is_valid()
}

/// Asserts which values fit a schema and which do not.
pub(crate) fn judge(schema: &Schema, fitting: &[&str], unfitting: &[&str]) {
    for value in fitting {
        assert!(fits(schema, value), "{value} must fit {}", schema.document());
    }
    for value in unfitting {
        assert!(!fits(schema, value), "{value} must not fit {}", schema.document());
    }
}
