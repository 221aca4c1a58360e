//! The short way for values that fit: the same charges as the long way of `evaluate.rs`, without all that only failures
//! need (paths, diagnostics, who is open).
//!
//! It answers "it fits, at this cost" or nothing. Nothing means that the long way has to be taken from the start: the
//! value does not fit, or a bound was met, and somebody will want to know where. So a value that does not fit costs at
//! most twice, and a bound still bounds.
//!
//! Every node has a plan, in which the usual keywords stand in places of their own. An object's members are looked at once
//! for `required`, `properties` and `additionalProperties` together; what each of them charges is charged all the same.

mod plan;
mod walk;

pub(crate) use plan::Plans;
pub(crate) use walk::evaluate;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use toolmesh_json::{Value, View};

    use super::*;
    use crate::evaluate::evaluate_at_length;
    use crate::instance::Instance;
    use crate::limits::EvaluationLimits;
    use crate::{CompileOptions, Profile, Schema};

    /// Compares both ways; whether the short one has answered.
    fn compare(document: Value, value: View<'_>, limits: &EvaluationLimits) -> Option<bool> {
        let options = CompileOptions::default();
        let schema = Schema::compile_with(document, Profile::Draft2020_12, &options).ok()?;
        let program = schema.program();
        let long = evaluate_at_length(program, Instance::Value(value), limits);
        let short = evaluate(program, value, limits);
        if let Some(short) = &short {
            assert_eq!(format!("{short:?}"), format!("{long:?}"), "{schema:?}");
        }
        assert_eq!(
            short.is_some(),
            long.is_valid() && program.plans().is_some(),
            "{schema:?} {value}"
        );
        Some(short.is_some())
    }

    #[test]
    fn both_ways_come_to_the_same_on_the_official_suite() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../testdata/json-schema-test-suite/tests/draft2020-12");
        let (mut short, mut all) = (0, 0);
        for entry in fs::read_dir(folder).unwrap() {
            let Ok(text) = fs::read(entry.unwrap().path()) else {
                continue;
            };
            let groups = toolmesh_json::parse(&text).unwrap();
            for group in groups.as_array().unwrap() {
                for case in group.get("tests").unwrap().as_array().unwrap() {
                    let document = group.get("schema").unwrap().to_value();
                    let value = case.get("data").unwrap();
                    let answered = compare(document, value, &EvaluationLimits::default());
                    short += u32::from(answered == Some(true));
                    all += 1;
                }
            }
        }
        // More than a third of the cases fit schemas without the rarer keywords; the others are judged at length.
        assert!(short > 400 && all > 1_200, "{short} of {all}");
    }

    #[test]
    fn both_ways_end_at_the_same_operation() {
        let document = r##"{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"null"},{"items":{"$ref":"#"}}]},
            "b":{"enum":["x","y"]}},"additionalProperties":{"not":{"minimum":5}}}"##;
        let value = toolmesh_json::parse(br#"{"c":1,"b":"y","a":[{"a":[]},{"a":null,"d":"s"}]}"#).unwrap();
        let document = toolmesh_json::parse(document.as_bytes()).unwrap();
        for operations in 1..150 {
            let limits = EvaluationLimits::default().with_operations(operations).unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
        for pending in 1..12 {
            let limits = EvaluationLimits::default().with_pending(pending).unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
        for traversals in 0..4 {
            let limits = EvaluationLimits::default()
                .with_reference_traversals(traversals)
                .unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
    }
}
