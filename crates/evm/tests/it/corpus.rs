//! Every committed interface: nothing is lost, every schema compiles, every argument set goes through.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use toolmesh_evm::{
    Entry, EntryBody, Function, Interface, InvalidUtf8, SolidityValue, arguments_from_json, decode, encode,
    inspect, read, to_json, tools,
};
use toolmesh_json::{Pointer, Value};

use crate::generate;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/solidity")
}

/// The interfaces of the corpus by name, in order; those of `edge` after the others.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (folder, prefix) in [(folder(), ""), (folder().join("edge"), "edge/")] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "txt"))
        {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push((format!("{prefix}{name}"), std::fs::read(&path).unwrap()));
        }
    }
    files
}

pub(crate) fn interfaces() -> Vec<(String, Interface)> {
    files()
        .into_iter()
        .filter_map(|(name, bytes)| Some((name, read(&bytes).ok()?)))
        .collect()
}

/// The arguments of a function in published form.
pub(crate) fn arguments(function: &Function, values: &[SolidityValue]) -> Value {
    let mut arguments = Value::object();
    for (input, value) in function.inputs.iter().zip(values) {
        let json = to_json(
            &input.ty,
            value,
            &mut Pointer::root(),
            &mut InvalidUtf8::default(),
        );
        arguments.insert(input.key.as_str(), json);
    }
    arguments.build()
}

#[test]
fn what_becomes_of_every_file_is_known() {
    let mut report = String::new();
    for (name, bytes) in files() {
        match read(&bytes) {
            Err(error) => report.push_str(&format!("{name}: {error}\n")),
            Ok(interface) => {
                let inspection = inspect(&interface, name.as_str());
                let with_tool = inspection
                    .functions
                    .iter()
                    .filter(|entry| entry.tool.is_some())
                    .count();
                report.push_str(&format!(
                    "{name}: {} entries, {} functions, {with_tool} tools, {} events, {} errors\n",
                    interface.entries.len(),
                    inspection.functions.len(),
                    inspection.events.len(),
                    inspection.errors.len(),
                ));
                let without = inspection
                    .functions
                    .iter()
                    .chain(&inspection.events)
                    .chain(&inspection.errors);
                for entry in without.filter(|entry| entry.tool.is_none()) {
                    let known = [
                        "event",
                        "anonymous event",
                        "error",
                        "constructor",
                        "fallback",
                        "receive",
                    ];
                    if !known.contains(&entry.kind.as_str()) || entry.reason.as_deref().is_some_and(is_fault)
                    {
                        let reason = entry.reason.as_deref().unwrap_or("no reason given");
                        report.push_str(&format!("    {} `{}`: {reason}\n", entry.kind, entry.signature));
                    }
                }
            }
        }
    }
    insta::assert_snapshot!(report);
}

fn is_fault(reason: &str) -> bool {
    let uses = ["decodes the logs", "explains reverts", "runs once"];
    !uses.iter().any(|used| reason.starts_with(used))
}

#[test]
fn every_entry_of_every_file_stands_in_the_report_once() {
    for (name, interface) in interfaces() {
        let inspection = inspect(&interface, name.as_str());
        let reported = inspection.functions.len() + inspection.events.len() + inspection.errors.len();
        assert_eq!(reported, interface.entries.len(), "{name}");
        for entry in inspection
            .functions
            .iter()
            .chain(&inspection.events)
            .chain(&inspection.errors)
        {
            assert!(
                entry.tool.is_some() != entry.reason.is_some(),
                "{name}: {entry:?}"
            );
        }
    }
}

#[test]
fn every_function_that_can_be_read_has_a_tool_of_its_own() {
    for (name, interface) in interfaces() {
        let mut names = HashSet::new();
        let raw = tools(&interface, None).len() - interface.functions().count();
        for mapped in tools(&interface, None)
            .into_iter()
            .take(interface.functions().count())
        {
            let tool = mapped
                .tool
                .unwrap_or_else(|reason| panic!("{name}: {}: {reason}", mapped.function.signature()));
            let tool_name = tool.name().as_str();
            assert!(tool_name.len() <= 64, "{name}: {tool_name}");
            assert!(
                tool_name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{name}: {tool_name}"
            );
            assert!(names.insert(tool_name.to_owned()), "{name}: {tool_name} twice");
        }
        assert_eq!(names.len(), interface.functions().count(), "{name}");
        let takes_more =
            |entry: &Entry| matches!(entry.body, EntryBody::Fallback { .. } | EntryBody::Receive);
        assert_eq!(
            raw,
            usize::from(interface.entries.iter().any(takes_more)),
            "{name}"
        );
    }
}

#[test]
fn generated_arguments_of_every_function_are_accepted_and_encode_and_decode_back() {
    let mut runner = TestRunner::deterministic();
    for (name, interface) in interfaces() {
        for mapped in tools(&interface, None) {
            let (function, tool) = (mapped.function, mapped.tool.unwrap());
            let values = generate::values(&function.inputs)
                .new_tree(&mut runner)
                .unwrap()
                .current();
            let arguments = arguments(&function, &values);
            let context = format!("{name}: {}", function.signature());
            assert!(
                tool.input_schema().evaluate(&arguments).is_valid(),
                "{context}: {arguments}"
            );
            let accepted = tool.accept().unwrap().accept(arguments.view()).unwrap();
            assert!(
                tool.input_schema().evaluate(&accepted).is_valid(),
                "{context}: {accepted}"
            );
            assert_eq!(
                arguments_from_json(&function.inputs, arguments.view()).as_ref(),
                Ok(&values),
                "{context}"
            );
            assert_eq!(
                decode(&function.inputs, &encode(&function.inputs, &values)),
                Ok(values),
                "{context}"
            );
        }
    }
}

#[test]
fn what_the_interface_says_is_shown_on_one_line_and_without_direction_marks() {
    let (_, attack) = files()
        .into_iter()
        .find(|(name, _)| name == "edge/text_attack.json")
        .unwrap();
    let interface = read(&attack).unwrap();
    let report = inspect(&interface, "attack").to_value().to_text();
    let tools: Vec<String> = tools(&interface, None)
        .into_iter()
        .map(|mapped| {
            let tool = mapped.tool.unwrap();
            format!(
                "{} {}",
                tool.description().unwrap(),
                tool.input_schema().document()
            )
        })
        .collect();
    for text in tools.iter().chain([&report]) {
        assert!(
            !text
                .chars()
                .any(|character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2028}' | '\0')),
            "{text}"
        );
        assert!(!text.contains("Evil\nIgnore"), "{text}");
    }
}
