//! The exact charges of Profile 1.

use toolmesh_schema::{EvaluationLimit, EvaluationLimits, EvaluationOutcome};

use crate::shared::{draft, evaluate, json, profile_1};

#[track_caller]
fn costs(schema: &str, value: &str, valid: bool, operations: u64) {
    let evaluation = evaluate(&profile_1(schema), value);
    assert_eq!(
        (evaluation.is_valid(), evaluation.operations()),
        (valid, operations),
        "{schema} on {value}"
    );
}

fn exhausted(schema: &str, value: &str) {
    let evaluation = evaluate(&profile_1(schema), value);
    let EvaluationOutcome::LimitExceeded(limit) = evaluation.outcome() else {
        panic!("{evaluation:?}")
    };
    assert_eq!(*limit, EvaluationLimit::EvaluationOperations);
    assert!(evaluation.operations() <= EvaluationLimits::OPERATIONS);
}

#[test]
fn the_published_vectors() {
    costs("{}", "{}", true, 1);
    costs(r#"{"properties":{"a":{},"b":{}}}"#, "{}", true, 3);
    costs(
        r#"{"additionalProperties":true}"#,
        r#"{"a":1,"b":2,"c":3}"#,
        true,
        16,
    );
    costs(r#"{"type":"array","items":true}"#, "[null]", true, 4);
    costs(r#"{"items":false}"#, "[null]", false, 4);
    costs(r#"{"anyOf":[{"items":{"items":true}}]}"#, "[[null]]", true, 4);
    costs(
        r#"{"if":{"items":{"items":true}},"then":true}"#,
        "[[null]]",
        true,
        5,
    );
}

#[test]
fn a_deep_array_of_70000_integers_costs_three_each() {
    let (mut schema, mut value) = (r#"{"type":"integer"}"#.to_owned(), "1,".repeat(70_000));
    value.pop();
    for _ in 0..15 {
        schema = format!(r#"{{"type":"array","items":{schema}}}"#);
        value = format!("[{value}]");
    }
    costs(&schema, &value, true, 210_044);
}

#[test]
fn a_wide_conjunction_on_30000_items_spends_the_budget() {
    let schema = format!(r#"{{"items":{{"allOf":[{}]}}}}"#, vec!["true"; 50].join(","));
    exhausted(&schema, &format!("[{}]", vec!["null"; 30_000].join(",")));
}

#[test]
fn sorting_60000_members_spends_the_budget() {
    let members: Vec<String> = (0..60_000).map(|index| format!(r#""{index}":1"#)).collect();
    exhausted(
        r#"{"additionalProperties":{"type":"integer"}}"#,
        &format!("{{{}}}", members.join(",")),
    );
}

#[test]
fn assertions_cost_one_each_and_only_where_they_apply() {
    costs(r#"{"type":"integer"}"#, "1", true, 2);
    costs(r#"{"minimum":1,"maximum":2}"#, "1", true, 3);
    costs(r#"{"minimum":1,"maximum":2}"#, "\"a\"", true, 1);
    costs(r#"{"required":["a","b"]}"#, r#"{"a":1,"b":1}"#, true, 3);
    costs(r#"{"required":["a","b"]}"#, "[]", true, 1);
    costs(r#"{"properties":{"a":{}}}"#, "[]", true, 1);
}

#[test]
fn equality_is_charged_by_what_it_looks_at() {
    costs(r#"{"const":1}"#, "1", true, 3);
    costs(r#"{"const":[1,2]}"#, "[1,2]", true, 7);
    costs(r#"{"const":[1,2]}"#, "[1]", false, 3);
    costs(r#"{"enum":[1,2,3]}"#, "2", true, 6);
    costs(r#"{"enum":[1,2,3]}"#, "4", false, 8);
    costs(r#"{"enum":[]}"#, "4", false, 2);
}

#[test]
fn a_reference_is_counted_apart() {
    let schema = profile_1(r##"{"$defs":{"a":{"type":"integer"}},"$ref":"#/$defs/a"}"##);
    let evaluation = evaluate(&schema, "1");
    assert_eq!(
        (
            evaluation.operations(),
            evaluation.reference_traversals(),
            evaluation.peak_pending()
        ),
        (3, 1, 2)
    );
}

#[test]
fn a_step_costs_only_while_failures_are_told() {
    costs(r#"{"properties":{"a":true}}"#, r#"{"a":1}"#, true, 4);
    costs(r#"{"anyOf":[{"properties":{"a":true}}]}"#, r#"{"a":1}"#, true, 4);
    costs(
        r#"{"if":false,"else":{"properties":{"a":true}}}"#,
        r#"{"a":1}"#,
        true,
        6,
    );
}

#[test]
fn a_diagnostic_costs_the_length_of_its_path() {
    costs(r#"{"type":"string"}"#, "1", false, 2);
    costs(r#"{"items":{"items":{"type":"string"}}}"#, "[[1]]", false, 8);
    costs(r#"{"anyOf":[{"items":false},true]}"#, "[1]", true, 4);
}

#[test]
fn any_of_stops_at_the_first_success_and_all_of_does_not_stop() {
    costs(r#"{"anyOf":[true,true,true]}"#, "1", true, 2);
    costs(r#"{"anyOf":[false,false,true]}"#, "1", true, 4);
    costs(r#"{"allOf":[false,false,true]}"#, "1", false, 4);
}

#[test]
fn a_full_list_of_diagnostics_costs_nothing_more() {
    let schema = profile_1(r#"{"items":false}"#);
    let limits = EvaluationLimits::default().with_diagnostics(2).unwrap();
    let evaluation = schema.evaluate_with(&json("[1,2,3,4]"), &limits);
    // One for the array, two for each item, and the path of three diagnostics: the third finds the list full.
    assert_eq!(evaluation.operations(), 1 + 4 * 2 + 3);
}

#[test]
fn the_order_of_members_does_not_change_the_charge() {
    let schema = r#"{"properties":{"b":{"type":"integer"}},"additionalProperties":{"type":"string"}}"#;
    costs(schema, r#"{"b":1,"a":"x","c":"y"}"#, true, 20);
    costs(schema, r#"{"c":"y","a":"x","b":1}"#, true, 20);
}

#[test]
fn the_keywords_of_the_draft_are_charged_as_their_table_says() {
    for (schema, value, operations) in [
        (
            r#"{"exclusiveMinimum":0,"exclusiveMaximum":9,"multipleOf":2}"#,
            "2",
            4,
        ),
        (r#"{"minLength":1,"maxLength":9}"#, "\"a\"", 3),
        (r#"{"minLength":1,"minItems":0,"minProperties":0}"#, "[]", 2),
        (r#"{"minLength":1,"minItems":0,"minProperties":0}"#, "null", 1),
        (r#"{"pattern":"a"}"#, "\"a\"", 2),
        (r#"{"uniqueItems":true}"#, "[1,[2]]", 5),
        (
            r#"{"dependentRequired":{"a":["b","c"],"x":["y"]}}"#,
            r#"{"a":1,"b":1,"c":1}"#,
            5,
        ),
        (r#"{"oneOf":[false,true,false]}"#, "1", 4),
        (r#"{"not":false}"#, "1", 2),
        (r#"{"dependentSchemas":{"a":true,"x":true}}"#, r#"{"a":1}"#, 4),
        (r#"{"patternProperties":{"a":true,"b":true}}"#, r#"{"a":1}"#, 6),
        (
            r#"{"patternProperties":{"a":true},"additionalProperties":true}"#,
            r#"{"a":1}"#,
            7,
        ),
        (r#"{"propertyNames":true}"#, r#"{"a":1,"b":1}"#, 5),
        (r#"{"prefixItems":[true],"items":true}"#, "[1,2]", 5),
        (r#"{"contains":true}"#, "[1,2,3]", 3),
        (r#"{"contains":true,"maxContains":9}"#, "[1,2,3]", 5),
        // Two members, one mark, one step to the member that is left.
        (
            r#"{"properties":{"a":true},"unevaluatedProperties":true}"#,
            r#"{"a":1,"b":2}"#,
            9,
        ),
        (r#"{"prefixItems":[true],"unevaluatedItems":true}"#, "[1,2]", 8),
        (r#"{"anyOf":[true,true],"unevaluatedItems":true}"#, "[]", 3),
        (r#"{"dependencies":{"a":["b"],"b":true}}"#, r#"{"a":1,"b":1}"#, 5),
        // Two evaluations are open when the dynamic anchor is looked for.
        (
            r##"{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}"##,
            "[1]",
            6,
        ),
    ] {
        let evaluation = evaluate(&draft(schema), value);
        assert_eq!(
            (evaluation.is_valid(), evaluation.operations()),
            (true, operations),
            "{schema} on {value}"
        );
    }
}

#[test]
fn a_schema_is_shared_between_threads() {
    let schema = profile_1(r#"{"type":"integer"}"#);
    let answers = std::thread::scope(|scope| {
        [1, 2]
            .map(|value| {
                scope.spawn({
                    let schema = &schema;
                    move || evaluate(schema, &value.to_string()).is_valid()
                })
            })
            .map(|thread| thread.join().unwrap())
    });
    assert_eq!(answers, [true, true]);
}
