//! Arguments on their way to the application.

use proptest::prelude::ProptestConfig;
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestRunner};
use toolmesh_calimero::Application;
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
