//! Arguments on their way to the application.

use proptest::prelude::ProptestConfig;
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestRunner};
use toolmesh_calimero::{Application, Form, MAX_FLAT_FORMS, Mapping};
use toolmesh_json::parse;

use crate::generate::fitting;
use crate::manifests::{all, application, made, mapped, tool};

/// What the application would get, or what the agent is told.
#[track_caller]
fn accepted(application: &Application, method: &str, arguments: &str) -> String {
    let tool = tool(application, method);
    let arguments = parse(arguments.as_bytes()).unwrap();
    match tool.accept().unwrap().accept(arguments.view()) {
        Ok(value) => {
            assert!(
                tool.input_schema().evaluate(&value).is_valid(),
                "{}",
                value.to_text()
            );
            value.to_text()
        }
        Err(error) => error.to_string(),
    }
}

fn one(ty: &str) -> Application {
    made(
        "{}",
        &format!(r#"[{{"name":"m","params":[{{"name":"p","type":{ty}}}]}}]"#),
    )
}

#[track_caller]
fn check(application: &Application, cases: &[(&str, &str)]) {
    for (given, expected) in cases {
        let expected = expected.strip_prefix('!').map_or_else(
            || format!(r#"{{"p":{expected}}}"#),
            |refusal| format!("/p{refusal}"),
        );
        assert_eq!(
            accepted(application, "m", &format!(r#"{{"p":{given}}}"#)),
            expected,
            "{given}"
        );
    }
}

#[test]
fn bytes_may_be_digits_or_numbers_and_go_out_as_numbers() {
    check(
        &one(r#"{"kind":"bytes"}"#),
        &[
            (r#""deadBEEF""#, "[222,173,190,239]"),
            (r#""""#, "[]"),
            ("[0,255,1.0]", "[0,255,1]"),
            (
                r#""abc""#,
                "!: expected an even number of hexadecimal digits, or an array of integers from 0 to 255 (not hexadecimal)",
            ),
            (
                r#""0x12""#,
                "!: expected an even number of hexadecimal digits, or an array of integers from 0 to 255 (not hexadecimal)",
            ),
            (
                "[256]",
                "!: expected an even number of hexadecimal digits, or an array of integers from 0 to 255 (not a byte)",
            ),
            (
                "7",
                "!: expected an even number of hexadecimal digits, or an array of integers from 0 to 255 (type)",
            ),
        ],
    );
    check(
        &one(r#"{"kind":"bytes","size":2}"#),
        &[
            (r#""00ff""#, "[0,255]"),
            (
                r#""""#,
                "!: expected 4 hexadecimal digits, or an array of 2 integers from 0 to 255 (wrong length)",
            ),
            (
                "[1,2,3]",
                "!: expected 4 hexadecimal digits, or an array of 2 integers from 0 to 255 (wrong length)",
            ),
        ],
    );
}

#[test]
fn integers_are_exact_over_their_whole_range() {
    check(
        &one(r#"{"kind":"u64"}"#),
        &[
            ("18446744073709551615", "18446744073709551615"),
            (r#""18446744073709551615""#, "18446744073709551615"),
            ("9007199254740993", "9007199254740993"),
            (
                "18446744073709551616",
                "!: expected a whole number from 0 to 18446744073709551615 (type)",
            ),
            (
                "-1",
                "!: expected a whole number from 0 to 18446744073709551615 (type)",
            ),
        ],
    );
    check(
        &one(r#"{"kind":"i64"}"#),
        &[
            ("-9223372036854775808", "-9223372036854775808"),
            (r#""-5""#, "-5"),
            ("1.0", "1"),
        ],
    );
    check(
        &one(r#"{"kind":"u32"}"#),
        &[
            (r#""5""#, "!: expected a whole number from 0 to 4294967295 (type)"),
            ("1e2", "100"),
        ],
    );
    check(&one(r#"{"kind":"f64"}"#), &[("0.1", "0.1"), ("1e400", "1E+400")]);
}

#[test]
fn a_parameter_that_may_be_null_may_be_left_out_and_a_field_that_may_be_null_becomes_null() {
    let application = application("abi_conformance");
    assert_eq!(accepted(&application, "opt_u32", "{}"), "{}");
    assert_eq!(
        accepted(&application, "opt_u32", r#"{"x":null}"#),
        r#"{"x":null}"#
    );
    assert_eq!(
        accepted(
            &application,
            "profile_roundtrip",
            r#"{"p":{"nicknames":["a"],"avatar":"00"}}"#
        ),
        r#"{"p":{"bio":null,"avatar":[0],"nicknames":["a"]}}"#
    );
    assert_eq!(
        accepted(&application, "profile_roundtrip", r#"{"p":{"bio":"b"}}"#),
        "/p/nicknames: expected an array (missing)"
    );
    assert_eq!(
        accepted(&application, "echo_u32", "{}"),
        "/x: expected a whole number from 0 to 4294967295 (missing)"
    );
}

#[test]
fn what_is_not_declared_never_goes_out() {
    let application = application("abi_conformance");
    assert_eq!(
        accepted(
            &application,
            "make_person",
            r#"{"q":1,"p":{"name":"n","extra":2,"age":3,"id":[]},"_context":"c"}"#
        ),
        "/p/id: expected 64 hexadecimal digits, or an array of 32 integers from 0 to 255 (wrong length)"
    );
    assert_eq!(
        accepted(
            &application,
            "echo_u32",
            r#"{"x":1,"y":2,"_context":"c","_other":1}"#
        ),
        r#"{"_context":"c","x":1}"#
    );
    assert_eq!(
        accepted(&application, "echo_u32", r#"{"x":1,"_context":null}"#),
        r#"{"x":1}"#
    );
    assert_eq!(
        accepted(&application, "echo_u32", r#"{"x":1,"_context":5}"#),
        "/_context: expected a context id or an alias, as a string (type)"
    );
}

#[test]
fn a_declared_context_parameter_owns_its_key() {
    let application = application("handmade");
    assert_eq!(
        accepted(&application, "target", r#"{"_context":7}"#),
        r#"{"_context":7}"#
    );
    assert_eq!(
        accepted(&application, "target", r#"{"_context":"a"}"#),
        "/_context: expected a whole number from 0 to 4294967295 (type)"
    );
}

#[test]
fn records_without_names_of_their_own_go_out_as_arrays() {
    let application = application("abi_conformance");
    for given in [
        r#"{"MultiTuple":[7,"x"]}"#,
        r#"{"MultiTuple":{"field_1":"x","field_0":7}}"#,
    ] {
        assert_eq!(
            accepted(&application, "act", &format!(r#"{{"a":{given}}}"#)),
            r#"{"a":{"MultiTuple":[7,"x"]}}"#
        );
    }
    let handmade = self::application("handmade");
    assert_eq!(
        accepted(&handmade, "pair", r#"{"pair":[1,"a"]}"#),
        r#"{"pair":[1,"a"]}"#
    );
    assert_eq!(
        accepted(&handmade, "pair", r#"{"pair":{"unnamed":1}}"#),
        "/pair: expected an array of 2 (type)"
    );
}

#[test]
fn variants_in_each_representation() {
    let application = application("handmade");
    let accepted = |method: &str, given: &str| accepted(&application, method, given);
    assert_eq!(
        accepted("status", r#"{"status":"Pending"}"#),
        r#"{"status":"Pending"}"#
    );
    assert_eq!(
        accepted("status", r#"{"status":{"Pending":null}}"#),
        r#"{"status":"Pending"}"#
    );
    assert_eq!(
        accepted("status", r#"{"status":{"Moved":["3","0a"]}}"#),
        r#"{"status":{"Moved":[3,[10]]}}"#
    );
    assert_eq!(
        accepted("status", r#"{"status":{"Active":{"since":-1}}}"#),
        "/status/Active/since: expected a whole number from 0 to 18446744073709551615 (type)"
    );
    assert_eq!(
        accepted("status", r#"{"status":"Active"}"#),
        r#"/status: expected one of "Pending", {"Active": ..}, {"Moved": ..} (variant)"#
    );
    assert_eq!(
        accepted("draw", r#"{"shape":{"kind":"Circle","value":3,"more":1}}"#),
        r#"{"shape":{"kind":"Circle","value":3}}"#
    );
    assert_eq!(
        accepted("draw", r#"{"shape":{"kind":"Circle"}}"#),
        "/shape/value: expected a whole number from 0 to 4294967295 (missing)"
    );
    assert_eq!(
        accepted("send", r#"{"message":{"type":"move","x":1,"y":2}}"#),
        r#"{"message":{"type":"move","x":1,"y":2,"label":null}}"#
    );
    assert_eq!(
        accepted("send", r#"{"message":{"type":"set","a":"18446744073709551615"}}"#),
        r#"{"message":{"type":"set","a":18446744073709551615}}"#
    );
    assert_eq!(
        accepted("send", r#"{"message":{"type":"nothing"}}"#),
        r#"/message: expected one of {"type": "quit"}, {"type": "move", ..}, {"type": "set", ..}, {"type": "other", ..} (variant)"#
    );
    // Hexadecimal-looking text stays text among untagged variants.
    assert_eq!(accepted("drop", r#"{"which":"00ff"}"#), r#"{"which":"00ff"}"#);
    assert_eq!(accepted("drop", r#"{"which":[1]}"#), r#"{"which":[1]}"#);
}

/// Variant types in an internally tagged one, three deep: `a` beside `b` beside `c`; the second is reached by this name.
fn nested(middle: &str) -> Application {
    made(
        &r##"{
        "Outer":{"kind":"variant","tag":"a","variants":[
            {"name":"Plain"},
            {"name":"Inner","payload":{"$ref":"MIDDLE"}},
            {"name":"Beside","payload":{"$ref":"Adjacent"}},
            {"name":"Named","payload":{"$ref":"External"}},
            {"name":"Any","payload":{"$ref":"Untagged"}},
            {"name":"Again","payload":{"$ref":"Outer"}}]},
        "Middle":{"kind":"alias","target":{"$ref":"MiddleVariant"}},
        "MiddleVariant":{"kind":"variant","tag":"b","variants":[
            {"name":"Deep","payload":{"$ref":"Deepest"}},
            {"name":"Map","payload":{"kind":"map","key":{"kind":"string"},"value":{"kind":"u64"}}}]},
        "Deepest":{"kind":"variant","tag":"c","variants":[
            {"name":"Point","payload":{"$ref":"Point"}}, {"name":"Nothing"}]},
        "Point":{"kind":"record","fields":[{"name":"x","type":{"kind":"i64"}},
            {"name":"id","type":{"kind":"bytes","size":2},"nullable":true}, {"name":"b","type":{"kind":"bool"}}]},
        "Adjacent":{"kind":"variant","tag":"t","content":"v","variants":[
            {"name":"Count","payload":{"kind":"u64"}}, {"name":"None"}]},
        "External":{"kind":"variant","variants":[
            {"name":"Size","payload":{"kind":"u32"}}, {"name":"Empty"}]},
        "Untagged":{"kind":"variant","untagged":true,"variants":[
            {"name":"One","payload":{"$ref":"Point"}}]}}"##
            .replace("MIDDLE", middle),
        r##"[{"name":"put","params":[{"name":"v","type":{"$ref":"Outer"}}]}]"##,
    )
}

#[test]
fn variants_in_an_internally_tagged_variant_are_checked_at_every_depth() {
    let application = nested("MiddleVariant");
    let put = |value: &str| accepted(&application, "put", &format!(r#"{{"v":{value}}}"#));
    for (given, sent) in [
        (r#"{"a":"Plain","more":1}"#, r#"{"a":"Plain"}"#),
        (
            r#"{"a":"Inner","b":"Deep","c":"Point","x":"-9223372036854775808","id":"00ff"}"#,
            r#"{"a":"Inner","b":"Deep","c":"Point","x":-9223372036854775808,"id":[0,255]}"#,
        ),
        (
            r#"{"c":"Nothing","b":"Deep","a":"Inner"}"#,
            r#"{"a":"Inner","b":"Deep","c":"Nothing"}"#,
        ),
        (
            r#"{"a":"Inner","b":"Map","k":"18446744073709551615"}"#,
            r#"{"a":"Inner","b":"Map","k":18446744073709551615}"#,
        ),
        (
            r#"{"a":"Beside","t":"Count","v":"7"}"#,
            r#"{"a":"Beside","t":"Count","v":7}"#,
        ),
        (r#"{"a":"Beside","t":"None"}"#, r#"{"a":"Beside","t":"None"}"#),
        (r#"{"a":"Named","Size":3}"#, r#"{"a":"Named","Size":3}"#),
        (r#"{"a":"Named","Empty":null}"#, r#"{"a":"Named","Empty":null}"#),
        (
            r#"{"a":"Any","x":1,"id":null,"b":true}"#,
            r#"{"a":"Any","x":1,"id":null,"b":true}"#,
        ),
        // A tag twice: nothing is known of such a type.
        (r#"{"a":"Again","z":[1]}"#, r#"{"a":"Again","z":[1]}"#),
    ] {
        assert_eq!(put(given), format!(r#"{{"v":{sent}}}"#));
    }
    for (given, told) in [
        (
            r#"{"a":"Inner"}"#,
            r#"/v: expected one of {"a": "Inner", "b": "Deep", "c": "Point", ..}, {"a": "Inner", "b": "Deep", "c": "Nothing"}, {"a": "Inner", "b": "Map", ..} (variant)"#,
        ),
        (
            r#"{"a":"Inner","b":"Deep","c":"Line"}"#,
            r#"/v: expected one of {"a": "Inner", "b": "Deep", "c": "Point", ..}, {"a": "Inner", "b": "Deep", "c": "Nothing"}, {"a": "Inner", "b": "Map", ..} (variant)"#,
        ),
        (
            r#"{"a":"Inner","b":"Deep","c":"Point","x":0.5}"#,
            "/v/x: expected a whole number from -9223372036854775808 to 9223372036854775807 (type)",
        ),
        (
            r#"{"a":"Inner","b":"Deep","c":"Point"}"#,
            "/v/x: expected a whole number from -9223372036854775808 to 9223372036854775807 (missing)",
        ),
        (
            r#"{"a":"Inner","b":"Map","k":-1}"#,
            "/v/k: expected a whole number from 0 to 18446744073709551615 (type)",
        ),
        (
            r#"{"a":"Beside","t":"Count"}"#,
            "/v/v: expected a whole number from 0 to 18446744073709551615 (missing)",
        ),
        (
            r#"{"a":"Named","Size":3,"Empty":null}"#,
            r#"/v: expected one of {"a": "Named", "Size": ..}, {"a": "Named", "Empty": null} (variant)"#,
        ),
        (
            r#"{"a":"Named","Empty":1}"#,
            r#"/v: expected one of {"a": "Named", "Size": ..}, {"a": "Named", "Empty": null} (variant)"#,
        ),
    ] {
        assert_eq!(put(given), told, "{given}");
    }
}

#[test]
fn the_published_schema_of_nested_variants_says_the_same() {
    // Through the alias it is deeper than types are written out.
    for (form, middle) in [
        (Form::Inlined, "MiddleVariant"),
        (Form::Definitions, "MiddleVariant"),
        (Form::Definitions, "Middle"),
    ] {
        let application = nested(middle);
        let mapping = Mapping {
            form,
            ..Mapping::default()
        };
        let mapped = toolmesh_calimero::tools(std::slice::from_ref(&application), &[], &mapping, None);
        let tool = mapped.into_iter().next().unwrap().tool.unwrap();
        let fits = |value: &str| {
            let given = parse(format!(r#"{{"v":{value}}}"#).as_bytes()).unwrap();
            tool.input_schema().evaluate(&given).is_valid()
        };
        for value in [
            r#"{"a":"Plain"}"#,
            r#"{"a":"Inner","b":"Deep","c":"Point","x":1,"id":null}"#,
            r#"{"a":"Inner","b":"Map","k":1}"#,
            r#"{"a":"Beside","t":"Count","v":1}"#,
            r#"{"a":"Named","Empty":null}"#,
            r#"{"a":"Any","x":1,"id":[0,1],"b":true}"#,
        ] {
            assert!(fits(value), "{form:?} {value}");
        }
        for value in [
            r#"{"a":"Inner"}"#,
            r#"{"a":"Inner","b":"Deep"}"#,
            r#"{"a":"Inner","b":"Deep","c":"Point"}"#,
            r#"{"a":"Inner","b":"Map","k":-1}"#,
            r#"{"a":"Beside","t":"Count"}"#,
            r#"{"a":"Named"}"#,
            r#"{"a":"Named","Empty":null,"Size":1}"#,
            r#"{"a":"Any","x":1,"id":"0001","b":true}"#,
            r#"{"a":"Any"}"#,
        ] {
            assert!(!fits(value), "{form:?} {value}");
        }
    }
}

#[test]
fn an_untagged_type_that_contains_itself_beside_a_tag_ends() {
    let application = made(
        r##"{"O":{"kind":"variant","tag":"a","variants":[{"name":"I","payload":{"$ref":"U"}}]},
            "U":{"kind":"variant","untagged":true,"variants":[{"name":"One","payload":{"$ref":"P"}},
                {"name":"Self","payload":{"$ref":"U"}}]},
            "P":{"kind":"record","fields":[{"name":"x","type":{"kind":"bool"}}]}}"##,
        r##"[{"name":"put","params":[{"name":"v","type":{"$ref":"O"}}]}]"##,
    );
    let mapping = Mapping {
        form: Form::Definitions,
        ..Mapping::default()
    };
    let mapped = toolmesh_calimero::tools(&[application], &[], &mapping, None);
    let tool = mapped.into_iter().next().unwrap().tool.unwrap();
    let fits = |text: &str| {
        tool.input_schema()
            .evaluate(&parse(text.as_bytes()).unwrap())
            .is_valid()
    };
    assert!(fits(r#"{"v":{"a":"I","x":true}}"#));
    assert!(!fits(r#"{"v":{"a":"I","x":1}}"#));
}

#[test]
fn the_forms_of_one_variant_have_a_bound_and_beyond_it_its_tag_is_checked() {
    let of = |count: usize| {
        let variants: Vec<String> = (0..count)
            .map(|place| format!(r#"{{"name":"V{place}","payload":{{"kind":"u32"}}}}"#))
            .collect();
        let types = format!(
            r##"{{"O":{{"kind":"variant","tag":"a","variants":[{{"name":"I","payload":{{"$ref":"E"}}}}]}},
                "E":{{"kind":"variant","variants":[{}]}}}}"##,
            variants.join(",")
        );
        made(
            &types,
            r##"[{"name":"put","params":[{"name":"v","type":{"$ref":"O"}}]}]"##,
        )
    };
    let given = r#"{"v":{"a":"I","other":1}}"#;
    assert!(accepted(&of(MAX_FLAT_FORMS), "put", given).starts_with("/v: expected one of"));
    assert_eq!(accepted(&of(MAX_FLAT_FORMS + 1), "put", given), given);
}

#[test]
fn what_is_unknown_is_passed_on_as_it_is() {
    let application = application("handmade");
    let given = r#"{"leaked":"00","future":1e30,"never":{"a":[]},"named":{"n":"7"}}"#;
    assert_eq!(
        accepted(&application, "odd", given),
        r#"{"leaked":"00","future":1E+30,"never":{"a":[]},"named":{"n":7}}"#
    );
}

#[test]
fn replicated_containers_are_what_they_hold() {
    let application = application("handmade");
    assert_eq!(
        accepted(
            &application,
            "register",
            r#"{"wrapped":["1",2],"counter":{"any":1},"newer":0.5}"#
        ),
        r#"{"wrapped":[1,2],"counter":{"any":1},"newer":0.5}"#
    );
}

#[test]
fn every_value_that_fits_a_published_schema_is_accepted_and_comes_back_the_same() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 8,
        ..ProptestConfig::default()
    });
    for name in all() {
        for mapped in mapped(&application(&name)) {
            let Ok(tool) = mapped.tool else { continue };
            let strategy = fitting(tool.input_schema().document().view());
            runner
                .run(&strategy.no_shrink(), |given| {
                    let fail = |what: String| TestCaseError::fail(format!("{name} {}: {what}", mapped.name));
                    if !tool.input_schema().evaluate(&given).is_valid() {
                        return Err(fail(format!("the generator is wrong: {}", given.to_text())));
                    }
                    let accept = tool.accept().unwrap();
                    let once = accept
                        .accept(given.view())
                        .map_err(|error| fail(format!("{error}: {}", given.to_text())))?;
                    if !tool.input_schema().evaluate(&once).is_valid() {
                        return Err(fail(format!("{} became {}", given.to_text(), once.to_text())));
                    }
                    let twice = accept
                        .accept(once.view())
                        .map_err(|error| fail(error.to_string()))?;
                    if once != twice {
                        return Err(fail(format!("{} became {}", once.to_text(), twice.to_text())));
                    }
                    Ok(())
                })
                .unwrap();
        }
    }
}
