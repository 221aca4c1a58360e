//! The interface in Solidity's own words.

use std::collections::BTreeSet;

use toolmesh_evm::{EntryBody, Interface, SolidityType, generate::solidity_interface, read};

use crate::corpus;
use crate::mapping::interface;

/// What a reader of declarations finds again: everything but what an `interface` cannot declare.
fn declared(interface: &Interface) -> BTreeSet<String> {
    let has_function_type = |inputs: &[toolmesh_evm::Parameter]| {
        inputs
            .iter()
            .any(|input| matches!(input.ty.base(), SolidityType::Function))
    };
    let found = |entry: &EntryBody| match entry {
        // Functions as values are beyond the reader of declarations, not beyond the compiler.
        EntryBody::Function(function) if !has_function_type(&function.inputs) => {
            Some(format!("{} {}", function.signature(), function.mutability))
        }
        EntryBody::Event(event) => Some(format!("event {} {}", event.signature(), event.anonymous)),
        EntryBody::Error(error) => Some(format!("error {}", error.signature())),
        _ => None,
    };
    interface
        .entries
        .iter()
        .filter_map(|entry| found(&entry.body))
        .collect()
}

#[test]
fn what_is_written_is_read_back_as_the_same_interface() {
    for (name, interface) in corpus::interfaces() {
        let text = solidity_interface(&interface);
        if declared(&interface).is_empty() {
            continue;
        }
        let again = read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let (before, after) = (declared(&interface), declared(&again));
        for lost in before.difference(&after) {
            // What cannot be declared stands in a comment with its reason.
            let (call, _) = lost.split_once('(').unwrap();
            let word = call.rsplit(' ').next().unwrap();
            assert!(
                text.lines()
                    .any(|line| line.contains("//") && line.contains(word)),
                "{name}: {lost} is lost in\n{text}"
            );
        }
        let made_up: Vec<&String> = after.difference(&before).collect();
        assert!(made_up.is_empty(), "{name}: {made_up:?} was never there\n{text}");
    }
}

#[test]
fn interfaces_look_like_this() {
    insta::assert_snapshot!("token", solidity_interface(&interface("examples/token.json")));
    insta::assert_snapshot!(
        "torture",
        solidity_interface(&interface("testdata/solidity/solc_torture_artifact.json"))
    );
    insta::assert_snapshot!(
        "handmade",
        solidity_interface(&interface("testdata/solidity/handmade_torture.json"))
    );
}
