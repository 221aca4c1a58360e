//! Interfaces in Solidity's own words: `function transfer(address to, uint256 amount) returns (bool)`.
//!
//! A declaration is rewritten into the entry that a compiler would write for it, and then read like any other
//! entry: limits, names and reasons are the same. Understood is what abitype and ethers understand (functions,
//! events, errors, constructors, `fallback`, `receive`, struct lines, structs in parentheses with and without
//! the word `tuple`), bare signatures (`transfer(address,uint256)`, with `(bool)` behind it as cast writes them),
//! and an `interface` around the declarations.

mod declaration;
mod parameter;
mod split;
mod token;

use std::collections::HashMap;

use toolmesh_json::{Limits, Value};

use crate::text::{NAME_CHARS, clean};
use declaration::Declaration;
use parameter::{RawParameter, Structs};
pub(super) use split::{interface_name, statements};

/// What became of one declaration.
#[derive(Debug)]
pub(super) enum Statement {
    /// An entry as a compiler would write it.
    Entry(Value),
    /// It cannot be used.
    Unusable {
        kind: String,
        signature: String,
        reason: String,
    },
}

/// The input as text, when it is no JSON but has something like a declaration in it.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    if bytes.len() > Limits::ceiling().bytes() {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let first = text.trim_start().chars().next()?;
    let is_json = matches!(first, '{' | '[' | '"' | '-' | '0'..='9');
    let has_declaration = || statements(text).iter().any(|statement| statement.contains('('));
    (!is_json && has_declaration()).then(|| text.to_owned())
}

/// Reads declarations; struct lines become notes, since they are no entries of their own.
pub(super) fn read(texts: &[String], notes: &mut Vec<String>) -> Vec<Statement> {
    let parsed: Vec<(&String, Result<Declaration, String>)> = texts
        .iter()
        .map(|text| (text, declaration::parse(text)))
        .collect();
    let structs = structs(&parsed);
    if !structs.is_empty() {
        let mut names: Vec<String> = structs.keys().map(|name| clean(name, NAME_CHARS)).collect();
        names.sort();
        notes.push(format!("structs that the declarations use: {}", names.join(", ")));
    }
    parsed
        .into_iter()
        .filter_map(|(text, declaration)| statement(text, declaration, &structs))
        .collect()
}

fn structs(parsed: &[(&String, Result<Declaration, String>)]) -> Structs {
    let mut structs = HashMap::new();
    for (_, declaration) in parsed {
        if let Ok(Declaration::Struct { name, members }) = declaration {
            structs.entry(name.clone()).or_insert_with(|| members.clone());
        }
    }
    structs
}

fn statement(text: &str, declaration: Result<Declaration, String>, structs: &Structs) -> Option<Statement> {
    let entry = match declaration {
        Ok(Declaration::Struct { name, members }) => {
            let is_first = structs
                .get(&name)
                .is_none_or(|first: &Vec<RawParameter>| *first == members);
            if is_first {
                return None;
            }
            Err("another struct of this name stands before it".to_owned())
        }
        Ok(declaration) => declaration.to_entry(structs),
        Err(reason) => Err(reason),
    };
    Some(match entry {
        Ok(entry) => Statement::Entry(entry),
        Err(reason) => Statement::Unusable {
            kind: declaration::kind_of(text).to_owned(),
            signature: clean(text, 4 * NAME_CHARS),
            reason,
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::model::{EntryBody, Interface};

    fn read_text(text: &str) -> Interface {
        crate::read(text.as_bytes()).unwrap()
    }

    fn signatures(text: &str) -> Vec<String> {
        read_text(text)
            .entries
            .iter()
            .map(|entry| match &entry.body {
                EntryBody::Function(function) => {
                    format!("{} {}", function.signature(), function.mutability)
                }
                EntryBody::Event(event) => event.signature().to_owned(),
                EntryBody::Error(error) => error.signature().to_owned(),
                EntryBody::Constructor(constructor) => format!("constructor {}", constructor.payable),
                EntryBody::Fallback { payable } => format!("fallback {payable}"),
                EntryBody::Receive => "receive".to_owned(),
                EntryBody::Unusable {
                    kind,
                    signature,
                    reason,
                } => format!("{kind} `{signature}`: {reason}"),
            })
            .collect()
    }

    #[test]
    fn every_kind_of_declaration_is_understood() {
        let text = "constructor(uint256 start) payable\nfunction a(address payable to, uint x) external view returns (uint256 y)\n\
                    event E(address indexed from, uint256 value) anonymous\nerror X(bytes4)\nfallback() external payable\nreceive() external payable";
        assert_eq!(
            signatures(text),
            [
                "constructor true",
                "a(address,uint256) view",
                "E(address,uint256)",
                "X(bytes4)",
                "fallback true",
                "receive"
            ]
        );
    }

    #[test]
    fn structs_are_written_in_four_ways() {
        for text in [
            "struct P { string name; uint16 age; }\nfunction add(P memory p)",
            "function add(P calldata p);struct P {string name; uint16 age;}",
            "function add((string name, uint16 age) p)",
            "function add(tuple(string name, uint16 age) p)",
        ] {
            assert_eq!(signatures(text), ["add((string,uint16)) nonpayable"], "{text}");
        }
        let nested = "struct A { uint8 x; }\nstruct B { A[2] list; A one; }\nfunction f(B[] b)";
        assert_eq!(signatures(nested), ["f(((uint8)[2],(uint8))[]) nonpayable"]);
    }

    #[test]
    fn members_of_structs_keep_their_names_and_the_struct_its_own() {
        let interface = read_text("struct P { string name; uint16 age; }\nfunction add(P memory person)");
        let function = interface.functions().next().unwrap();
        assert_eq!(function.inputs[0].key, "person");
        assert_eq!(function.inputs[0].internal_type.as_deref(), Some("struct P"));
        assert!(interface.notes[0].ends_with(": P"));
    }

    #[test]
    fn bare_signatures_are_functions() {
        assert_eq!(
            signatures(
                "transfer(address,uint256)\nbalanceOf(address)(uint256)\nowner() view returns (address)"
            ),
            [
                "transfer(address,uint256) nonpayable",
                "balanceOf(address) nonpayable",
                "owner() view"
            ]
        );
    }

    #[test]
    fn an_interface_may_stand_around_the_declarations_and_lines_may_be_broken() {
        let text = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n/* one\n two */\ninterface IToken {\n  function a(\n    uint256 x, // first\n    bool y\n  )\n    external\n    returns (bool);\n  event E();\n}\n";
        let interface = read_text(text);
        assert_eq!(interface.contract_name.as_deref(), Some("IToken"));
        assert_eq!(signatures(text), ["a(uint256,bool) nonpayable", "E()"]);
    }

    #[test]
    fn what_cannot_be_used_says_why_and_the_rest_is_read() {
        let text = "function fine()\nfunction secret() internal\nfunction odd(Foo x)\nfunction (\nfunction twice() view pure\n\
                    function body() { }\nstruct Loop { Loop[] again; }\nfunction loop(Loop l)\nfunction last()";
        assert_eq!(
            signatures(text),
            [
                "fine() nonpayable",
                "function `function secret() internal`: it is internal, so it cannot be called from outside",
                "function `odd(Foo)`: input 1 (`x`): `Foo` is a name from the source, and the interface does not say what it stands for",
                "function `function (`: the declaration ends too early",
                "function `function twice() view pure`: it is both view and pure",
                "function `function body() { }`: `{` is not expected there",
                "function `function loop(Loop l)`: the struct `Loop` contains itself",
                "last() nonpayable",
            ]
        );
    }

    #[test]
    fn deep_and_growing_structs_are_refused() {
        let deep = format!("function f({}uint8{})", "(".repeat(200), ")".repeat(200));
        assert!(
            signatures(&deep)[0].contains("structs nested deeper than"),
            "{deep}"
        );
        let mut growing = String::from("struct S0 { uint8 x; }\n");
        for level in 1..8 {
            let member = format!("S{} ", level - 1);
            let members: String = (0..8).map(|place| format!("{member}m{place}; ")).collect();
            growing.push_str(&format!("struct S{level} {{ {members}}}\n"));
        }
        growing.push_str("function f(S7 s)");
        assert!(
            signatures(&growing)[0].contains("more than 256 parameters"),
            "{growing}"
        );
    }

    #[test]
    fn text_without_a_declaration_is_no_interface() {
        for text in ["hello", "", "true", "# a heading\n"] {
            assert!(
                matches!(
                    crate::read(text.as_bytes()),
                    Err(crate::EvmError::NotJson { .. } | crate::EvmError::NotAbi { .. })
                ),
                "{text}"
            );
        }
    }
}
