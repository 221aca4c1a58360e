//! What draft 2020-12 adds.

use crate::shared::{draft, judge};

#[test]
fn one_of_wants_exactly_one() {
    judge(
        &draft(r#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#),
        &["1", "2.5"],
        &["3", "1.5"],
    );
}

#[test]
fn not_wants_a_mismatch() {
    judge(&draft(r#"{"not":{"type":"integer"}}"#), &["\"a\"", "1.5"], &["1"]);
    judge(&draft(r#"{"not":{}}"#), &[], &["1"]);
}

#[test]
fn lengths_count_code_points() {
    let schema = draft(r#"{"minLength":2,"maxLength":3.0}"#);
    judge(
        &schema,
        &["\"ab\"", "\"🚀🚀\"", "\"éée\"", "1"],
        &["\"🚀\"", "\"abcd\"", "\"\""],
    );
    judge(&draft(r#"{"maxLength":1e400}"#), &["\"ab\""], &[]);
}

#[test]
fn items_and_members_are_counted() {
    judge(
        &draft(r#"{"minItems":1,"maxItems":2}"#),
        &["[1]", "[1,2]", "{}"],
        &["[]", "[1,2,3]"],
    );
    judge(
        &draft(r#"{"minProperties":1,"maxProperties":1}"#),
        &[r#"{"a":1}"#, "[]"],
        &["{}", r#"{"a":1,"b":2}"#],
    );
}

#[test]
fn patterns_are_searched_for() {
    let address = draft(r#"{"type":"string","pattern":"^0x[0-9a-fA-F]{40}$"}"#);
    let good = format!("\"0x{}\"", "aB".repeat(20));
    let long = format!("\"0x{}\"", "a".repeat(41));
    judge(&address, &[&good], &[&long, "\"0x\"", "1"]);
    judge(&draft(r#"{"pattern":"b"}"#), &["\"abc\"", "7"], &["\"ac\""]);
}

#[test]
fn bounds_may_be_exclusive() {
    judge(
        &draft(r#"{"exclusiveMinimum":1,"exclusiveMaximum":2}"#),
        &["1.5", "\"a\""],
        &["1", "2", "1.0", "2e0"],
    );
}

#[test]
fn multiples_are_exact() {
    judge(
        &draft(r#"{"multipleOf":0.01}"#),
        &["4.02", "0", "-1.10", "\"a\""],
        &["0.001", "4.015"],
    );
}

#[test]
fn unique_items_all_differ() {
    judge(
        &draft(r#"{"uniqueItems":true}"#),
        &["[]", "[1,true]", "[[1],[2]]", "\"aa\""],
        &["[1,1.0]", "[{\"a\":1},{\"a\":1}]"],
    );
    judge(&draft(r#"{"uniqueItems":false}"#), &["[1,1]"], &[]);
}

#[test]
fn items_begin_after_the_prefix() {
    let schema = draft(r#"{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}"#);
    judge(
        &schema,
        &["[]", "[\"a\"]", "[\"a\",1]", "{}"],
        &["[1]", "[\"a\",\"b\"]", "[\"a\",1,null]"],
    );
    judge(
        &draft(r#"{"prefixItems":[false],"items":{"type":"null"}}"#),
        &["[]"],
        &["[null]"],
    );
}

#[test]
fn patterned_members_are_no_additional_members() {
    let schema = draft(
        r#"{"properties":{"a":true},"patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":5}},"additionalProperties":false}"#,
    );
    judge(
        &schema,
        &["{}", r#"{"a":1,"xz":1}"#, r#"{"xy":5}"#],
        &[r#"{"b":1}"#, r#"{"x":"s"}"#, r#"{"xy":4}"#],
    );
}

#[test]
fn member_names_are_judged_as_strings() {
    let schema = draft(
        r#"{"propertyNames":{"type":"string","pattern":"^[a-z]+$","maxLength":3,"enum":["ab","abc","abcd"]}}"#,
    );
    judge(
        &schema,
        &["{}", r#"{"ab":1,"abc":2}"#, "[]"],
        &[r#"{"AB":1}"#, r#"{"abcd":1}"#, r#"{"b":1}"#],
    );
    judge(
        &draft(r#"{"propertyNames":{"type":"object"}}"#),
        &["{}"],
        &[r#"{"a":1}"#],
    );
    judge(
        &draft(r#"{"propertyNames":{"const":"a"}}"#),
        &[r#"{"a":1}"#],
        &[r#"{"b":1}"#],
    );
}

#[test]
fn a_member_may_ask_for_others() {
    let schema =
        draft(r#"{"dependentRequired":{"a":["b","c"]},"dependentSchemas":{"d":{"maxProperties":1}}}"#);
    judge(
        &schema,
        &["{}", r#"{"b":1}"#, r#"{"a":1,"b":1,"c":1}"#, r#"{"d":1}"#, "1"],
        &[r#"{"a":1,"b":1}"#, r#"{"d":1,"e":1}"#],
    );
}

#[test]
fn elements_that_fit_are_counted() {
    judge(
        &draft(r#"{"contains":{"type":"integer"}}"#),
        &["[1]", "[\"a\",1]", "{}"],
        &["[]", "[\"a\"]"],
    );
    let schema = draft(r#"{"contains":{"type":"integer"},"minContains":2,"maxContains":3}"#);
    judge(&schema, &["[1,2]", "[1,\"a\",2,3]"], &["[1]", "[1,2,3,4]"]);
    judge(
        &draft(r#"{"contains":{"type":"integer"},"minContains":0}"#),
        &["[]"],
        &[],
    );
    judge(
        &draft(r#"{"contains":true,"minContains":3,"maxContains":1}"#),
        &[],
        &["[]", "[1]", "[1,2]", "[1,2,3]"],
    );
    judge(
        &draft(r#"{"minContains":7,"maxContains":0}"#),
        &["[]", "[1]"],
        &[],
    );
}

#[test]
fn references_may_spell_the_id_of_the_root() {
    let schema = draft(
        r##"{"$id":"https://example.com/s","$defs":{"i":{"$anchor":"int","type":"integer"}},
        "prefixItems":[{"$ref":"https://example.com/s#/$defs/i"},{"$ref":"https://example.com/s#int"},{"$ref":"#int"}]}"##,
    );
    judge(&schema, &["[1,2,3]"], &["[1,2,\"a\"]", "[1,\"a\"]", "[\"a\"]"]);
    let whole = draft(r#"{"$id":"urn:tree","type":"object","additionalProperties":{"$ref":"urn:tree"}}"#);
    judge(&whole, &[r#"{"a":{"b":{}}}"#], &[r#"{"a":{"b":1}}"#]);
}

#[test]
fn older_definitions_may_be_referred_to() {
    judge(
        &draft(r##"{"definitions":{"a":{"type":"null"}},"$ref":"#/definitions/a"}"##),
        &["null"],
        &["1"],
    );
}

#[test]
fn content_keywords_assert_nothing() {
    judge(
        &draft(
            r#"{"contentEncoding":"base64","contentMediaType":"text/plain","contentSchema":{"type":"object"}}"#,
        ),
        &["\"%\""],
        &[],
    );
}

#[test]
fn unknown_keywords_assert_nothing() {
    judge(
        &draft(r#"{"x-anything":{"type":"nonsense"},"example":1}"#),
        &["1"],
        &[],
    );
}
