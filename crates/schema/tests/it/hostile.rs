//! Schemas and values made to hurt: each is answered within the budget.

use std::time::{Duration, Instant};

use toolmesh_json::{ParseErrorKind, Value};
use toolmesh_schema::{
    CompileErrorKind, CompileLimit, EvaluationLimit, EvaluationLimits, EvaluationOutcome, Profile, Schema,
};

use crate::shared::{draft, evaluate, json, profile_1, refusal};

/// Far more than any of these takes on a slow, busy machine without optimisation, far less than a hang.
const PATIENCE: Duration = Duration::from_secs(20);

/// Answers within patience.
fn promptly<T>(action: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let answer = action();
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    answer
}

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

/// Two branches a level: 2^20 ways, none of which fits.
fn two_branches_a_level(levels: usize, keyword: &str) -> String {
    let defs: Vec<String> = (0..levels)
        .map(|level| {
            let next = level + 1;
            format!(
                r##""n{level}":{{"{keyword}":[{{"$ref":"#/$defs/n{next}"}},{{"$ref":"#/$defs/n{next}"}}]}}"##
            )
        })
        .chain([format!(r#""n{levels}":false"#)])
        .collect();
    format!(r##"{{"$ref":"#/$defs/n0","$defs":{{{}}}}}"##, defs.join(","))
}

#[test]
fn a_million_branches_end_at_the_budget_and_not_as_a_mismatch() {
    for keyword in ["anyOf", "oneOf"] {
        let schema = draft(&two_branches_a_level(20, keyword));
        let evaluation = promptly(|| evaluate(&schema, "1"));
        assert!(ended_by(evaluation.outcome()).is_some(), "{keyword}");
        assert!(evaluation.operations() <= EvaluationLimits::OPERATIONS);
        assert!(evaluation.reference_traversals() <= EvaluationLimits::REFERENCE_TRAVERSALS);
    }
}

#[test]
fn negations_and_conditions_do_not_turn_a_spent_budget_into_an_answer() {
    let endless = two_branches_a_level(20, "anyOf");
    let inner = endless.trim_start_matches('{').trim_end_matches('}');
    for document in [
        format!(
            r##"{{"not":{{"$ref":"#/$defs/n0"}},{}"##,
            inner.split_once(',').unwrap().1
        ),
        format!(
            r##"{{"if":{{"$ref":"#/$defs/n0"}},"else":true,{}"##,
            inner.split_once(',').unwrap().1
        ),
    ] {
        let schema = draft(&format!("{document}}}}}"));
        assert!(ended_by(promptly(|| evaluate(&schema, "1")).outcome()).is_some());
    }
}

#[test]
fn arrays_of_any_depth_are_refused_or_answered_without_native_recursion() {
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let error = promptly(|| toolmesh_json::parse(text.as_bytes())).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::TooDeep);
    // A value that no codec has bounded.
    let mut value = Value::array().build();
    for _ in 0..100_000 {
        value = Value::array().push(value).build();
    }
    let recursive = profile_1(r##"{"items":{"$ref":"#"}}"##);
    let equal = Schema::compile(json(r#"{"const":[]}"#), Profile::Profile1).unwrap();
    let unique = draft(r#"{"uniqueItems":true}"#);
    promptly(|| {
        assert_eq!(
            ended_by(recursive.evaluate(&value).outcome()),
            Some(EvaluationLimit::PendingTasks)
        );
        assert!(!equal.evaluate(&value).is_valid());
        let twins = Value::array().push(value.clone()).push(value.clone()).build();
        assert!(!unique.evaluate(&twins).is_valid());
    });
    drop(promptly(|| value));
}

#[test]
fn a_schema_of_any_depth_is_refused() {
    let text = format!("{}true{}", r#"{"items":"#.repeat(120), "}".repeat(120));
    let error = promptly(|| refusal(&text, Profile::Draft2020_12));
    assert_eq!(error.limit(), Some(CompileLimit::SchemaDepth));
}

#[test]
fn pattern_bombs_are_refused_when_they_are_compiled() {
    for pattern in [
        "((a{1,1000}){1,1000}){1,1000}",
        "(((((a{20}){20}){20}){20}){20}){20}",
        r"(\\p{L}{1000}){1000}",
    ] {
        let document = format!(r#"{{"pattern":"{pattern}"}}"#);
        let error = promptly(|| refusal(&document, Profile::Draft2020_12));
        assert_eq!(
            error.limit(),
            Some(CompileLimit::PatternSize),
            "{pattern}: {error}"
        );
    }
    let nested = format!(r#"{{"pattern":"{}a{}"}}"#, "(".repeat(2_000), ")".repeat(2_000));
    let error = promptly(|| refusal(&nested, Profile::Draft2020_12));
    assert!(
        matches!(
            error.kind(),
            CompileErrorKind::InvalidKeywordValue | CompileErrorKind::LimitExceeded
        ),
        "{error}"
    );
}

#[test]
fn patterns_that_backtrack_elsewhere_are_linear_here() {
    let text = format!("\"{}!\"", "a".repeat(60_000));
    for pattern in [
        "^(a|a)*$",
        "^(a|aa)+$",
        "^(.*a){12}$",
        "(x+x+)+y",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ] {
        let schema = draft(&format!(r#"{{"pattern":"{pattern}"}}"#));
        promptly(|| assert!(!evaluate(&schema, &text).is_valid(), "{pattern}"));
    }
}

#[test]
fn a_heavy_pattern_on_many_texts_ends_at_the_budget() {
    let schema = draft(r#"{"items":{"pattern":"^\\p{L}{1,20}$"}}"#);
    let item = format!("\"{}\"", "é".repeat(2_000));
    let items = vec![item; 1_000].join(",");
    let outcome = promptly(|| evaluate(&schema, &format!("[{items}]")));
    assert_eq!(
        ended_by(outcome.outcome()),
        Some(EvaluationLimit::EvaluationOperations)
    );
}

#[test]
fn numbers_of_a_million_digits_are_refused_before_a_schema_sees_them() {
    let text = "9".repeat(1_000_000);
    let error = promptly(|| toolmesh_json::parse(text.as_bytes())).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::NumberTokenTooLong);
}

#[test]
fn the_longest_numbers_are_compared_and_divided_within_the_budget() {
    let long = "9".repeat(1_000);
    let divisor = format!("{}7", "1".repeat(900));
    let schema = draft(&format!(
        r#"{{"items":{{"minimum":{long},"maximum":1e9999,"multipleOf":{divisor},"exclusiveMinimum":-1e-9999}}}}"#
    ));
    let items = [long.as_str(), "1e9999", "1e-9999", "123e9990"].join(",");
    let evaluation = promptly(|| evaluate(&schema, &format!("[{items}]")));
    assert!(ended_by(evaluation.outcome()).is_none() && !evaluation.is_valid());
    let many = vec!["123e9990"; 10_000].join(",");
    let evaluation = promptly(|| evaluate(&schema, &format!("[{many}]")));
    assert_eq!(
        ended_by(evaluation.outcome()),
        Some(EvaluationLimit::EvaluationOperations)
    );
}

#[test]
fn keys_of_64_kib_are_judged_and_too_long_ones_refused_in_schemas() {
    let name = "k".repeat(64 * 1024);
    let schema = draft(
        r#"{"propertyNames":{"maxLength":65536,"pattern":"^k+$"},"patternProperties":{"^k":{"type":"integer"}},"additionalProperties":false}"#,
    );
    let value = format!(r#"{{"{name}":1}}"#);
    assert!(promptly(|| evaluate(&schema, &value)).is_valid());
    let failing = format!(r#"{{"{name}x":1,"{name}":"s"}}"#);
    let EvaluationOutcome::Invalid(diagnostics) = promptly(|| evaluate(&schema, &failing)).into_outcome()
    else {
        panic!("it must not fit")
    };
    // Two such names are more than the text that diagnostics may hold.
    assert!(diagnostics.is_truncated());
    let document = format!(r#"{{"properties":{{"{name}":true}}}}"#);
    let error = refusal(&document, Profile::Profile1);
    assert_eq!(error.limit(), Some(CompileLimit::NameLength));
}

#[test]
fn references_in_circles_are_answered() {
    for document in [
        r##"{"$ref":"#"}"##,
        r##"{"$dynamicAnchor":"a","$dynamicRef":"#a"}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
        r##"{"$ref":"#","unevaluatedProperties":false}"##,
    ] {
        let evaluation = promptly(|| evaluate(&draft(document), r#"{"a":1}"#));
        assert_eq!(
            ended_by(evaluation.outcome()),
            Some(EvaluationLimit::ReferenceTraversals),
            "{document}"
        );
    }
}

#[test]
fn nested_leftovers_end_at_the_budget() {
    let mut schema = r#"{"patternProperties":{"":true}}"#.to_owned();
    for _ in 0..20 {
        schema = format!(
            r#"{{"allOf":[{schema},{{"patternProperties":{{"":true}}}}],"unevaluatedProperties":false}}"#
        );
    }
    let members: Vec<String> = (0..20_000).map(|index| format!(r#""{index}":1"#)).collect();
    let schema = draft(&schema);
    let evaluation = promptly(|| evaluate(&schema, &format!("{{{}}}", members.join(","))));
    assert_eq!(
        ended_by(evaluation.outcome()),
        Some(EvaluationLimit::EvaluationOperations)
    );
}

#[test]
fn many_documents_of_a_registry_are_bounded_together() {
    let mut registry = toolmesh_schema::Registry::new();
    for index in 0..5_000 {
        let document = format!(r#"{{"$ref":"urn:{}"}}"#, index + 1);
        registry = registry.with(format!("urn:{index}"), json(&document));
    }
    let options = toolmesh_schema::CompileOptions::default().with_registry(registry);
    let compiled =
        promptly(|| Schema::compile_with(json(r#"{"$ref":"urn:0"}"#), Profile::Draft2020_12, &options));
    assert_eq!(compiled.unwrap_err().limit(), Some(CompileLimit::SchemaNodeCount));
}
