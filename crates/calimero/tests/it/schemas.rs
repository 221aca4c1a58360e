//! What is published.

use toolmesh_calimero::{
    Form, MAX_INLINE_TYPES, Mapping, input_schema, input_type_schema, output_schema, tools,
};
use toolmesh_json::{Value, View};

use crate::manifests::{application, made, mapped, tool};

/// The value over several lines, for people to read.
fn pretty(value: View<'_>) -> String {
    let value: serde_json::Value = serde_json::from_str(&value.to_text()).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

fn published(name: &str, form: Form) -> String {
    let application = application(name);
    let manifest = &application.services[0].manifest;
    let mut text = String::new();
    for method in manifest.methods() {
        text.push_str(&format!("# {}\n", method.name));
        text.push_str(&input_schema(manifest, method, form).to_text());
        text.push('\n');
        let output = output_schema(manifest, method, form);
        text.push_str(&output.map_or_else(|| "no output schema".to_owned(), |schema| schema.to_text()));
        text.push_str("\n\n");
    }
    text
}

#[test]
fn the_schemas_of_every_kind_written_out() {
    insta::assert_snapshot!(published("handmade", Form::Inlined));
}

#[test]
fn the_schemas_of_every_kind_with_definitions() {
    insta::assert_snapshot!(published("handmade", Form::Definitions));
}

#[test]
fn the_tools_of_a_key_value_store() {
    let application = application("kv_store");
    let descriptors: Vec<String> = mapped(&application)
        .iter()
        .filter_map(|mapped| mapped.tool.as_ref().ok())
        .map(|tool| {
            pretty(
                tool.descriptor()
                    .to_value(toolmesh_tool::SchemaForm::Object)
                    .view(),
            )
        })
        .collect();
    insta::assert_snapshot!(descriptors.join("\n"));
}

#[test]
fn the_tools_of_every_kind_say_what_they_are() {
    let application = application("handmade");
    let mut text = String::new();
    for mapped in mapped(&application) {
        let Ok(tool) = mapped.tool else { continue };
        text.push_str(&format!(
            "{} | {}\n{}\n{}\n\n",
            tool.name(),
            tool.title().unwrap_or_default(),
            tool.description().unwrap_or_default(),
            tool.annotations().to_value().to_text()
        ));
    }
    insta::assert_snapshot!(text);
}

/// A type that contains itself through `count` fields.
fn branching(count: usize) -> String {
    let fields: Vec<String> = (0..count)
        .map(|place| format!(r##"{{"name":"f{place}","type":{{"$ref":"T"}}}}"##))
        .collect();
    format!(r#"{{"T":{{"kind":"record","fields":[{}]}}}}"#, fields.join(","))
}

const TAKES_T: &str = r##"[{"name":"m","params":[{"name":"p","type":{"$ref":"T"}}]}]"##;

#[test]
fn a_type_that_would_be_written_out_to_too_much_is_referred_to_instead() {
    // Each of four levels is a reference and a record: 3 + 3 * 3 + ..
    let small = made(&branching(3), TAKES_T);
    let schema = tool(&small, "m").input_schema().document().to_text();
    assert!(!schema.contains("$defs"), "{schema}");
    let large = made(&branching(20), TAKES_T);
    let schema = tool(&large, "m").input_schema().document().to_text();
    assert!(schema.contains("$defs"));
    assert!(schema.len() < 5_000, "{}", schema.len());
}

#[test]
fn the_number_of_types_written_out_is_bounded() {
    let flat = |count: usize| {
        let fields: Vec<String> = (0..count)
            .map(|place| format!(r#"{{"name":"f{place}","type":{{"kind":"bool"}}}}"#))
            .collect();
        let types = format!(r#"{{"T":{{"kind":"record","fields":[{}]}}}}"#, fields.join(","));
        let application = made(&types, TAKES_T);
        let manifest = &application.services[0].manifest;
        let method = manifest.method("m").unwrap();
        input_schema(manifest, method, Form::Inlined)
            .get("$defs")
            .is_some()
    };
    // The parameter and the named type are two.
    assert!(!flat(MAX_INLINE_TYPES - 2));
    assert!(flat(MAX_INLINE_TYPES - 1));
}

#[test]
fn an_alias_of_itself_is_unknown_and_ends() {
    let application = made(
        r##"{"A":{"kind":"alias","target":{"$ref":"B"}},"B":{"kind":"alias","target":{"$ref":"A"}}}"##,
        r##"[{"name":"m","params":[{"name":"p","type":{"$ref":"A"}}]}]"##,
    );
    for form in [Form::Inlined, Form::Definitions] {
        let mapping = Mapping {
            form,
            ..Mapping::default()
        };
        let mapped = tools(std::slice::from_ref(&application), &[], &mapping, None);
        assert!(mapped[0].tool.is_ok(), "{:?}", mapped[0].tool);
    }
}

#[test]
fn a_reference_to_a_name_of_any_characters_leads_somewhere() {
    let application = application("handmade");
    let mapping = Mapping {
        form: Form::Definitions,
        ..Mapping::default()
    };
    let mapped = tools(std::slice::from_ref(&application), &[], &mapping, None);
    let odd = mapped
        .into_iter()
        .find(|mapped| mapped.name == "odd")
        .unwrap()
        .tool
        .unwrap();
    let given = |n: &str| {
        let text = format!(r#"{{"leaked":0,"future":[],"never":"x","named":{{"n":{n}}}}}"#);
        let value = toolmesh_json::parse(text.as_bytes()).unwrap();
        odd.input_schema().evaluate(&value).is_valid()
    };
    assert!(given("7"));
    assert!(!given("-1"));
}

#[test]
fn a_single_type_has_a_schema_of_its_own() {
    let application = application("handmade");
    let manifest = &application.services[0].manifest;
    let ty = &manifest.method("board").unwrap().params[0].ty;
    insta::assert_snapshot!(input_type_schema(manifest, ty, Form::Inlined).to_text());
}

#[test]
fn a_manifest_is_the_same_after_its_tools_were_made() {
    let before = application("handmade");
    let after = before.clone();
    let _ = mapped(&after);
    assert_eq!(before, after);
    let _: Value = tool(&after, "tree").input_schema().document().clone();
}
