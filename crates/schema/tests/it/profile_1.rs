//! What the keywords of Profile 1 mean.

use crate::shared::{judge, profile_1};

#[test]
fn every_member_of_the_conformance_document_asserts() {
    let schema = profile_1(
        r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "$defs":{"address":{"$anchor":"address","type":"object","properties":{"city":{"type":"string"}},"required":["city"]}},
        "properties":{"name":{"type":"string"},"address":{"$ref":"#address"},"contact":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/address"}]},
          "kind":{"enum":["home","work"]}},
        "allOf":[{"required":["name"]}],
        "if":{"properties":{"kind":{"const":"work"}},"required":["kind"]},"then":{"required":["address"]},"else":{"properties":{"address":false}},
        "additionalProperties":false}"##,
    );
    judge(
        &schema,
        &[
            r#"{"name":"a"}"#,
            r#"{"name":"a","kind":"home"}"#,
            r#"{"name":"a","kind":"work","address":{"city":"x"}}"#,
            r#"{"name":"a","contact":null}"#,
            r#"{"name":"a","contact":{"city":"y","other":1}}"#,
        ],
        &[
            "[]",
            "{}",
            r#"{"name":1}"#,
            r#"{"name":"a","kind":"work"}"#,
            r#"{"name":"a","kind":"away"}"#,
            r#"{"name":"a","address":{"city":"x"}}"#,
            r#"{"name":"a","contact":{}}"#,
            r#"{"name":"a","extra":1}"#,
        ],
    );
}

#[test]
fn numbers_are_compared_exactly() {
    let wide = profile_1(r#"{"minimum":-9223372036854775808,"maximum":9223372036854775807}"#);
    judge(
        &wide,
        &[
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775807.0",
            "\"x\"",
        ],
        &[
            "9223372036854775808",
            "-9223372036854775809",
            "9223372036854775807.0000000000000001",
            "1e9999",
            "-1e9999",
        ],
    );
    judge(
        &profile_1(r#"{"const":0.1}"#),
        &["0.1", "0.10", "1e-1"],
        &["0.1000000000000000055511151231257827"],
    );
}

#[test]
fn equality_ignores_scale_and_member_order_and_nothing_else() {
    judge(
        &profile_1(r#"{"const":{"a":[1,{"b":2.0}],"c":null}}"#),
        &[r#"{"c":null,"a":[1.0,{"b":2}]}"#],
        &[r#"{"a":[1,{"b":2}]}"#],
    );
    judge(
        &profile_1(r#"{"enum":[0,"é",[]]}"#),
        &["-0", "0.00", "\"é\"", "[]"],
        &["false", "\"e\\u0301\"", "{}", "null"],
    );
    judge(
        &profile_1(r#"{"const":null}"#),
        &["null"],
        &["0", "false", "\"\""],
    );
}

#[test]
fn objects_are_looked_at_only_when_the_value_is_one() {
    let schema =
        profile_1(r#"{"properties":{"a":false},"required":["b"],"additionalProperties":{"type":"integer"}}"#);
    judge(
        &schema,
        &["1", "[]", "\"a\"", r#"{"b":1}"#],
        &["{}", r#"{"a":1,"b":1}"#, r#"{"b":"x"}"#],
    );
}

#[test]
fn additional_properties_look_at_their_own_siblings_only() {
    let schema = profile_1(
        r#"{"allOf":[{"properties":{"a":true}}],"properties":{"b":true},"additionalProperties":false}"#,
    );
    judge(&schema, &["{}", r#"{"b":1}"#], &[r#"{"a":1}"#]);
}

#[test]
fn a_reference_and_its_siblings_both_apply() {
    let schema = profile_1(r##"{"$defs":{"a":{"minimum":1}},"$ref":"#/$defs/a","maximum":3}"##);
    judge(&schema, &["1", "3"], &["0", "4"]);
}

#[test]
fn branches_without_a_condition_assert_nothing() {
    judge(&profile_1(r#"{"then":false,"else":false}"#), &["1"], &[]);
    judge(
        &profile_1(r#"{"if":{"const":1},"then":{"type":"string"}}"#),
        &["2"],
        &["1"],
    );
    judge(&profile_1(r#"{"if":false,"then":false}"#), &["1"], &[]);
}

#[test]
fn annotations_assert_nothing() {
    let schema = profile_1(
        r#"{"format":"ipv4","default":1,"examples":[1],"deprecated":true,"readOnly":true,"writeOnly":true,"$comment":""}"#,
    );
    judge(&schema, &["\"not an address\"", "null"], &[]);
}
