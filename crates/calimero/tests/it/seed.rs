//! The seed's own statements and examples, each by its test (`docs/seeds/calimero-abi-mapping.md`).

use toolmesh_calimero::{Application, application_slug, signatures, tool_names};
use toolmesh_json::parse;

use crate::manifests::{made, tool};

fn schema_of(ty: &str, types: &str) -> String {
    let application = made(
        types,
        &format!(r#"[{{"name":"m","params":[{{"name":"p","type":{ty}}}]}}]"#),
    );
    let tool = tool(&application, "m");
    let schema = tool.input_schema().document().pointer("/properties/p").unwrap();
    schema.to_text()
}

fn scalar(kind: &str) -> String {
    schema_of(&format!(r#"{{"kind":"{kind}"}}"#), "{}")
}

/// Which JSON texts the one parameter takes, through the accepted spellings and the schema both.
#[track_caller]
fn takes(application: &Application, arguments: &str) -> bool {
    let tool = tool(application, "m");
    let arguments = parse(arguments.as_bytes()).unwrap();
    let accepted = tool.accept().unwrap().accept(arguments.view());
    accepted.is_ok_and(|value| tool.input_schema().evaluate(&value).is_valid())
}

#[test]
fn kv_store_get_is_named_by_the_last_segment_of_its_package() {
    assert_eq!(application_slug("com.calimero.kv-store"), "kv_store");
    let mut application = made("{}", r#"[{"name":"get","params":[]}]"#);
    application.package = Some("com.calimero.kv-store".to_owned());
    assert_eq!(
        tool_names(&[application], &[], Default::default())[0].name,
        "kv_store_get"
    );
}

#[test]
fn the_table_of_scalars() {
    assert_eq!(scalar("bool"), r#"{"type":"boolean"}"#);
    assert_eq!(scalar("string"), r#"{"type":"string"}"#);
    assert_eq!(scalar("unit"), r#"{"type":"null"}"#);
    for kind in ["i32", "i64"] {
        assert!(scalar(kind).starts_with(r#"{"type":"integer","minimum":-"#));
    }
    for kind in ["u32", "u64"] {
        assert!(scalar(kind).starts_with(r#"{"type":"integer","minimum":0,"#));
    }
    for kind in ["f32", "f64"] {
        assert_eq!(scalar(kind), r#"{"type":"number"}"#);
    }
}

#[test]
fn the_caution_about_integers_beyond_2_to_the_53_is_lifted_and_said_so() {
    let application = made(
        "{}",
        r#"[{"name":"m","params":[{"name":"p","type":{"kind":"u64"}}]}]"#,
    );
    assert!(takes(&application, r#"{"p":18446744073709551615}"#));
    assert!(takes(&application, r#"{"p":"18446744073709551615"}"#));
    assert!(scalar("u64").contains("a string of its decimal digits is taken too"));
    assert!(scalar("u64").contains(r#""maximum":18446744073709551615"#));
    assert!(scalar("i64").contains(r#""minimum":-9223372036854775808"#));
}

#[test]
fn the_table_of_composites() {
    assert_eq!(
        schema_of(r#"{"kind":"list","items":{"kind":"bool"}}"#, "{}"),
        r#"{"type":"array","items":{"type":"boolean"}}"#
    );
    assert_eq!(
        schema_of(
            r#"{"kind":"map","key":{"kind":"string"},"value":{"kind":"bool"}}"#,
            "{}"
        ),
        r#"{"type":"object","additionalProperties":{"type":"boolean"}}"#
    );
    assert_eq!(
        schema_of(
            r#"{"kind":"tuple","elements":[{"kind":"bool"},{"kind":"string"}]}"#,
            "{}"
        ),
        r#"{"type":"array","prefixItems":[{"type":"boolean"},{"type":"string"}],"items":false,"minItems":2,"maxItems":2}"#
    );
    assert_eq!(
        schema_of(
            r#"{"kind":"record","fields":[{"name":"a","type":{"kind":"bool"}},{"name":"b","type":{"kind":"string"},"nullable":true}]}"#,
            "{}"
        ),
        r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":["string","null"]}},"required":["a","b"]}"#
    );
}

#[test]
fn a_nullable_parameter_may_be_null_or_left_out() {
    let application = made(
        "{}",
        r#"[{"name":"m","params":[{"name":"p","type":{"kind":"string"},"nullable":true}]}]"#,
    );
    for arguments in ["{}", r#"{"p":null}"#, r#"{"p":"x"}"#] {
        assert!(takes(&application, arguments), "{arguments}");
    }
    assert!(!takes(&application, r#"{"p":1}"#));
}

#[test]
fn bytes_take_both_forms_and_carry_their_size_in_both() {
    assert_eq!(
        schema_of(r#"{"kind":"bytes","size":32}"#, "{}"),
        r#"{"description":"bytes: a hex string or a 32-byte array","anyOf":[{"type":"string","pattern":"^[0-9a-fA-F]{64}$"},{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":32,"maxItems":32}]}"#
    );
    assert_eq!(
        schema_of(r#"{"kind":"bytes"}"#, "{}"),
        r#"{"description":"bytes: a hex string or a byte array","anyOf":[{"type":"string","pattern":"^(?:[0-9a-fA-F]{2})*$"},{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}]}"#
    );
    let application = made(
        "{}",
        r#"[{"name":"m","params":[{"name":"p","type":{"kind":"bytes"}}]}]"#,
    );
    let tool = tool(&application, "m");
    let given = parse(br#"{"p":"deadbeef"}"#).unwrap();
    let sent = tool.accept().unwrap().accept(given.view()).unwrap();
    assert_eq!(sent.to_text(), r#"{"p":[222,173,190,239]}"#);
}

#[test]
fn a_variant_without_payloads_is_an_enumeration_and_a_mix_is_a_union() {
    let units = r#"{"T":{"kind":"variant","variants":[{"name":"A"},{"name":"B"}]}}"#;
    assert_eq!(
        schema_of(r##"{"$ref":"T"}"##, units),
        r#"{"type":"string","enum":["A","B"]}"#
    );
    let mix = r#"{"T":{"kind":"variant","variants":[{"name":"Pending"},
        {"name":"Approved","payload":{"kind":"record","fields":[{"name":"by","type":{"kind":"string"}}]}}]}}"#;
    assert_eq!(
        schema_of(r##"{"$ref":"T"}"##, mix),
        r#"{"anyOf":[{"type":"string","enum":["Pending"]},{"type":"object","properties":{"Approved":{"type":"object","properties":{"by":{"type":"string"}},"required":["by"]}},"required":["Approved"],"additionalProperties":false}]}"#
    );
    let application = made(
        mix,
        r##"[{"name":"m","params":[{"name":"p","type":{"$ref":"T"}}]}]"##,
    );
    assert!(takes(&application, r#"{"p":"Pending"}"#));
    assert!(takes(&application, r#"{"p":{"Approved":{"by":"x"}}}"#));
    for wrong in [
        r#""Approved""#,
        r#"{"Approved":{}}"#,
        r#"{"Other":1}"#,
        r#"{"Approved":{"by":"x"},"b":1}"#,
    ] {
        assert!(!takes(&application, &format!(r#"{{"p":{wrong}}}"#)), "{wrong}");
    }
}

#[test]
fn a_replicated_wrapper_is_its_inner_type_in_schema_and_signature() {
    let wrapper =
        r#"{"kind":"record","fields":[],"crdt_type":"lww_register","inner_type":{"kind":"string"}}"#;
    assert_eq!(schema_of(wrapper, "{}"), r#"{"type":"string"}"#);
    let application = made(
        "{}",
        &format!(r#"[{{"name":"m","params":[{{"name":"p","type":{wrapper}}}],"returns":{wrapper}}}]"#),
    );
    assert_eq!(
        signatures(&application.services[0].manifest),
        ["[mut]  m(p: string) -> string"]
    );
}

#[test]
fn a_reference_to_a_name_that_is_not_in_the_table_is_unknown() {
    let application = made(
        "{}",
        r##"[{"name":"m","params":[{"name":"p","type":{"$ref":"String"}}]}]"##,
    );
    assert_eq!(schema_of(r##"{"$ref":"String"}"##, "{}"), "{}");
    for anything in ["1", "null", r#"{"a":[]}"#] {
        assert!(takes(&application, &format!(r#"{{"p":{anything}}}"#)));
    }
}

#[test]
fn recursion_ends_at_depth_eight_and_is_unknown_beyond() {
    let types = r##"{"T":{"kind":"record","fields":[{"name":"n","type":{"$ref":"T"},"nullable":true}]}}"##;
    let schema = schema_of(r##"{"$ref":"T"}"##, types);
    // A record that contains itself costs two levels each: at 1, 3, 5 and 7; what would be at 9 is unknown.
    assert_eq!(schema.matches(r#""properties""#).count(), 4, "{schema}");
    assert!(schema.contains(r#""properties":{"n":{}}"#), "{schema}");
    let lists = |depth: usize| {
        format!(
            "{}{{\"kind\":\"bool\"}}{}",
            "{\"kind\":\"list\",\"items\":".repeat(depth),
            "}".repeat(depth)
        )
    };
    assert!(schema_of(&lists(8), "{}").contains("boolean"));
    assert!(!schema_of(&lists(9), "{}").contains("boolean"));
}

#[test]
fn every_tool_takes_the_injected_context_first() {
    let application = made(
        "{}",
        r#"[{"name":"m","params":[{"name":"context","type":{"kind":"string"}}]}]"#,
    );
    let tool = tool(&application, "m");
    let document = tool.input_schema().document().clone();
    let names: Vec<String> = document
        .pointer("/properties")
        .and_then(|members| {
            members
                .as_object()
                .map(|members| members.keys().map(str::to_owned).collect())
        })
        .unwrap();
    assert_eq!(names, ["_context", "context"]);
    assert_eq!(document.pointer("/required").unwrap().to_text(), r#"["context"]"#);
    assert_eq!(
        document.pointer("/properties/_context").unwrap().to_text(),
        r#"{"type":"string","description":"Context id or alias to execute against; defaults to the selected context."}"#
    );
}

#[test]
fn a_method_that_declares_a_context_parameter_keeps_it() {
    let application = made(
        "{}",
        r#"[{"name":"m","params":[{"name":"_context","type":{"kind":"u32"}}]}]"#,
    );
    let tool = tool(&application, "m");
    let schema = tool
        .input_schema()
        .document()
        .pointer("/properties/_context")
        .unwrap();
    assert_eq!(schema.get("type").unwrap().as_str(), Some("integer"));
}

#[test]
fn signatures_are_rendered_and_are_the_description() {
    let methods = r##"[
        {"name":"get","params":[{"name":"key","type":{"kind":"string"}}],"returns":{"kind":"string"},"returns_nullable":true,"intent":"read_only"},
        {"name":"set","params":[{"name":"key","type":{"kind":"string"}},{"name":"value","type":{"kind":"string"}}]},
        {"name":"entries","params":[],"returns":{"kind":"map","key":{"kind":"string"},"value":{"kind":"string"}},"intent":"read_only"},
        {"name":"bulk","params":[{"name":"xs","type":{"kind":"list","items":{"$ref":"Point"}}},
            {"name":"t","type":{"kind":"tuple","elements":[{"kind":"bool"},{"kind":"bytes","size":4}]},"nullable":true}],
            "returns":{"kind":"record","fields":[]},"intent":"mutating"}]"##;
    let application = made("{}", methods);
    insta::assert_snapshot!(signatures(&application.services[0].manifest).join("\n"), @r"
    [view] get(key: string) -> string | null
    [mut]  set(key: string, value: string) -> unit
    [view] entries() -> map<string, string>
    [mut]  bulk(xs: Point[], t?: (bool, bytes)) -> record
    ");
    for (method, read_only) in [("get", true), ("set", false), ("bulk", false)] {
        let tool = tool(&application, method);
        assert_eq!(tool.annotations().read_only, Some(read_only));
        let signatures = signatures(&application.services[0].manifest);
        assert!(signatures.contains(&tool.description().unwrap().to_owned()));
    }
}
