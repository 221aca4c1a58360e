//! Our own validator, with its meter on.

use toolmesh_bench::schema::{Answer, Prepared, Validator, run};
use toolmesh_schema::{EvaluationLimits, EvaluationOutcome, Profile, Schema};

const VALIDATORS: [Validator; 1] = [Validator {
    name: "toolmesh",
    prepare: |schema, value| {
        let read = |text: &str| toolmesh_json::parse(text.as_bytes()).expect("it is JSON");
        let (document, value) = (read(schema), read(value));
        let compile =
            |document: &toolmesh_json::Value| Schema::compile(document.clone(), Profile::Draft2020_12);
        let schema = compile(&document).expect("it is a schema");
        // The production bounds, but for the nesting: 120 levels with a reference each are 240 evaluations.
        let limits = EvaluationLimits::default()
            .with_pending(EvaluationLimits::PENDING_CEILING)
            .expect("the ceiling is allowed");
        Prepared {
            compile: Box::new(move || drop(compile(&document))),
            judge: Box::new(move || match schema.evaluate_with(&value, &limits).outcome() {
                EvaluationOutcome::Valid => Answer::Valid,
                EvaluationOutcome::Invalid(_) => Answer::Invalid,
                EvaluationOutcome::LimitExceeded(_) => Answer::Refused,
            }),
        }
    },
}];

fn main() -> anyhow::Result<()> {
    run(&VALIDATORS)
}
