//! Bytes to an [`Interface`]: whatever shape the input has, entry by entry.
//!
//! What cannot be used is kept with its reason, and never keeps the rest from being read.

mod bytecode;
mod contracts;
mod documentation;
mod entry;
mod human_readable;
mod lenience;
mod parameters;
mod shape;

use std::collections::HashMap;

use toolmesh_json::View;

use crate::EvmError;
use crate::model::{Entry, EntryBody, Interface};
use documentation::Comments;
use human_readable::Statement;
use shape::{Entries, Shape};

/// The most entries of an interface: ten times the largest in use.
pub const MAX_ENTRIES: usize = 10_000;

/// How an input is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Which contract to read, where the input holds several: its name (`Token`), or its file and name
    /// (`contracts/Token.sol:Token`, `Token.sol:Token`).
    pub contract: Option<String>,
}

impl ReadOptions {
    /// Reads the contract that is called `name`.
    #[must_use]
    pub fn contract(name: impl Into<String>) -> Self {
        Self {
            contract: Some(name.into()),
        }
    }
}

/// Reads an interface; [`read_with`] without options.
///
/// # Errors
/// Those of [`read_with`].
pub fn read(bytes: &[u8]) -> Result<Interface, EvmError> {
    read_with(bytes, &ReadOptions::default())
}

/// Reads an interface.
///
/// Understood are
/// * a JSON array of ABI entries, also inside a JSON string;
/// * an object with `abi`: artifacts of Hardhat, Truffle, Foundry, Vyper and solc, with their bytecode and
///   comments, and Sourcify's answers;
/// * a compilation with one contract, or with several of which `options` choose one: solc's standard and
///   combined JSON, build-info files, package manifests;
/// * the compiler's metadata (`output.abi`), as Sourcify keeps it;
/// * an Etherscan-like explorer's answer to `getabi` or `getsourcecode`;
/// * declarations in Solidity's own words, as a JSON array of strings or as plain text.
///
/// A byte order mark is skipped.
///
/// # Errors
/// [`EvmError`] when the input as a whole is no interface, or the contract is not in it. An entry that
/// cannot be used is no error: it is [`EntryBody::Unusable`].
pub fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Interface, EvmError> {
    let Shape {
        entries,
        contract_name,
        details,
        mut notes,
    } = Shape::find(bytes, options)?;
    let bytecode = bytecode::find(details.view(), &mut notes);
    let comments = Comments::find(details.view());
    let bodies = match &entries {
        Entries::Json(list) => json_entries(list.view(), &comments, &mut notes)?,
        Entries::Text(statements) => text_entries(statements, &comments, &mut notes)?,
    };
    Ok(Interface {
        contract_name,
        bytecode,
        entries: place(bodies),
        notes,
    })
}

fn json_entries(
    abi: View<'_>,
    comments: &Comments,
    notes: &mut Vec<String>,
) -> Result<Vec<EntryBody>, EvmError> {
    let entries = || abi.as_array().into_iter().flat_map(|entries| entries.iter());
    ensure_count(abi.as_array().map_or(0, |entries| entries.len()))?;
    let bodies: Vec<EntryBody> = entries().map(|view| entry::read(view, comments)).collect();
    notes.extend(lenience::notes(entries().zip(&bodies)));
    Ok(bodies)
}

fn text_entries(
    statements: &[String],
    comments: &Comments,
    notes: &mut Vec<String>,
) -> Result<Vec<EntryBody>, EvmError> {
    ensure_count(statements.len())?;
    let read = human_readable::read(statements, notes).into_iter();
    Ok(read
        .map(|statement| match statement {
            Statement::Entry(value) => entry::read(value.view(), comments),
            Statement::Unusable {
                kind,
                signature,
                reason,
            } => EntryBody::Unusable {
                kind,
                signature,
                reason,
            },
        })
        .collect())
}

fn ensure_count(entries: usize) -> Result<(), EvmError> {
    if entries > MAX_ENTRIES {
        Err(EvmError::TooManyEntries { entries })
    } else {
        Ok(())
    }
}

fn place(bodies: Vec<EntryBody>) -> Vec<Entry> {
    let mut seen = HashMap::new();
    bodies
        .into_iter()
        .enumerate()
        .map(|(place, body)| Entry {
            place,
            body: refuse_repeated(body, place, &mut seen),
        })
        .collect()
}

/// The second of two equal entries would be a second tool for the same function.
fn refuse_repeated(body: EntryBody, place: usize, seen: &mut HashMap<String, usize>) -> EntryBody {
    let (kind, signature) = match &body {
        EntryBody::Function(function) => ("function", function.signature().to_owned()),
        EntryBody::Event(event) => (
            if event.anonymous {
                "anonymous event"
            } else {
                "event"
            },
            event_shape(event),
        ),
        EntryBody::Error(error) => ("error", error.signature().to_owned()),
        EntryBody::Constructor(_) => ("constructor", "constructor".to_owned()),
        EntryBody::Fallback { .. } => ("fallback", "fallback".to_owned()),
        EntryBody::Receive => ("receive", "receive".to_owned()),
        EntryBody::Unusable { .. } => return body,
    };
    match seen.insert(format!("{kind} {signature}"), place) {
        None => body,
        Some(first) => {
            seen.insert(format!("{kind} {signature}"), first);
            let reason = format!("the same {kind} already stands in entry {}", first + 1);
            EntryBody::Unusable {
                kind: kind.to_owned(),
                signature,
                reason,
            }
        }
    }
}

/// Events of one signature may differ in what they index (ERC-20 and ERC-721 `Transfer`).
fn event_shape(event: &crate::model::Event) -> String {
    let indexed: Vec<&str> = event
        .inputs
        .iter()
        .map(|input| if input.indexed { "indexed" } else { "-" })
        .collect();
    format!("{} {}", event.signature(), indexed.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bytecode;

    fn signatures(interface: &Interface) -> Vec<String> {
        interface
            .functions()
            .map(|function| function.signature().to_owned())
            .collect()
    }

    fn reasons(interface: &Interface) -> Vec<String> {
        interface
            .entries
            .iter()
            .filter_map(|entry| match &entry.body {
                EntryBody::Unusable { reason, .. } => Some(reason.clone()),
                _ => None,
            })
            .collect()
    }

    const ONE: &str = r#"[{"type":"function","name":"a","inputs":[],"outputs":[],"stateMutability":"view"}]"#;

    #[test]
    fn an_array_an_artifact_a_text_and_an_explorer_answer_are_the_same_interface() {
        let text = toolmesh_json::Value::from(ONE).to_text();
        for input in [
            ONE.to_owned(),
            format!("\u{feff}{ONE}"),
            format!(r#"{{"contractName":"A","abi":{ONE}}}"#),
            format!(r#"{{"abi":{text}}}"#),
            format!(r#"{{"status":"1","message":"OK","result":{text}}}"#),
            text.clone(),
        ] {
            assert_eq!(signatures(&read(input.as_bytes()).unwrap()), ["a()"], "{input}");
        }
    }

    #[test]
    fn what_is_no_interface_is_told_apart() {
        assert!(matches!(read(b"[{"), Err(EvmError::NotJson { line: 1, .. })));
        assert!(matches!(read(b""), Err(EvmError::NotJson { .. })));
        assert!(matches!(read(b"5"), Err(EvmError::NotAbi { .. })));
        assert!(matches!(read(br#"{"abi":{}}"#), Err(EvmError::NotAbi { .. })));
        assert!(matches!(read(br#"{"name":"x"}"#), Err(EvmError::NotAbi { .. })));
        assert!(matches!(
            read(br#"{"contracts":{"a":{}}}"#),
            Err(EvmError::NotAbi { .. })
        ));
        let refused = br#"{"status":"0","message":"NOTOK","result":"Contract source code not verified"}"#;
        let Err(EvmError::ExplorerAnswer { message }) = read(refused) else {
            panic!("an explorer's refusal")
        };
        assert_eq!(message, "Contract source code not verified");
    }

    #[test]
    fn the_number_of_entries_is_bounded() {
        let list = |count: usize| format!("[{}]", vec![r#"{"type":7}"#; count].join(","));
        assert_eq!(
            read(list(MAX_ENTRIES).as_bytes()).unwrap().entries.len(),
            MAX_ENTRIES
        );
        let over = read(list(MAX_ENTRIES + 1).as_bytes());
        assert!(matches!(over, Err(EvmError::TooManyEntries { entries }) if entries == MAX_ENTRIES + 1));
    }

    #[test]
    fn an_entry_that_cannot_be_used_does_not_keep_the_rest_from_being_read() {
        let input = br#"[7, {"type":"weird"}, {"type":"function"}, {"type":"function","name":"bad","inputs":[{"type":"uint7"}]},
            {"type":"function","name":"mutant","stateMutability":"mutable"}, {"name":"fine"}]"#;
        let interface = read(input).unwrap();
        assert_eq!(interface.entries.len(), 6);
        assert_eq!(signatures(&interface), ["fine()"]);
        assert_eq!(
            reasons(&interface),
            [
                "an entry is an object, and this is a number",
                "no kind of entry that Solidity has",
                "it has no name",
                "input 1: `uint7` has a size that Solidity does not have",
                "its stateMutability is none of pure, view, nonpayable and payable",
            ]
        );
    }

    #[test]
    fn an_entry_that_stands_twice_is_used_once() {
        let entry = r#"{"type":"function","name":"a","inputs":[{"type":"uint"}]}"#;
        let interface = read(format!("[{entry},{entry}]").as_bytes()).unwrap();
        assert_eq!(signatures(&interface), ["a(uint256)"]);
        assert_eq!(
            reasons(&interface),
            ["the same function already stands in entry 1"]
        );
    }

    #[test]
    fn bytecode_is_found_where_compilers_put_it() {
        for code in [
            r#""bytecode":"0x6001""#,
            r#""bytecode":"6001""#,
            r#""bytecode":{"object":"0x6001"}"#,
            r#""evm":{"bytecode":{"object":"6001"}}"#,
            r#""bin":"6001""#,
        ] {
            let interface = read(format!(r#"{{"abi":{ONE},{code}}}"#).as_bytes()).unwrap();
            assert_eq!(
                interface.bytecode,
                Some(Bytecode::Linked(vec![0x60, 0x01].into())),
                "{code}"
            );
        }
        let none = read(format!(r#"{{"abi":{ONE},"bytecode":"0x"}}"#).as_bytes()).unwrap();
        assert_eq!(none.bytecode, None);
    }

    #[test]
    fn bytecode_that_waits_for_a_library_names_it() {
        let code = r#""bytecode":"0x73__$cd6615abd01dc101edb3aa87151c0a96a5$__63""#;
        let bare = read(format!(r#"{{"abi":{ONE},{code}}}"#).as_bytes()).unwrap();
        assert_eq!(
            bare.bytecode,
            Some(Bytecode::Unlinked {
                libraries: vec!["__$cd6615abd01dc101edb3aa87151c0a96a5$__".to_owned()]
            })
        );
        let named =
            read(format!(r#"{{"abi":{ONE},{code},"linkReferences":{{"T.sol":{{"L":[]}}}}}}"#).as_bytes())
                .unwrap();
        assert_eq!(
            named.bytecode,
            Some(Bytecode::Unlinked {
                libraries: vec!["T.sol:L".to_owned()]
            })
        );
    }

    #[test]
    fn comments_of_the_source_are_kept() {
        let interface = read(include_bytes!("../../../examples/token.json")).unwrap();
        let transfer = interface
            .functions()
            .find(|function| function.name == "transfer")
            .unwrap();
        assert_eq!(
            transfer.documentation.notice.as_deref(),
            Some("Move tokens from the sender to another account.")
        );
        assert_eq!(
            transfer.documentation.parameters.get("to").map(String::as_str),
            Some("The account that receives the tokens.")
        );
        let error = interface
            .errors()
            .find(|error| error.name == "ERC20InsufficientBalance")
            .unwrap();
        assert!(error.documentation.notice.is_some());
    }

    #[test]
    fn legacy_flags_say_what_a_function_may_do() {
        let input = br#"[{"name":"a","constant":true},{"name":"b","payable":true},{"name":"c","constant":true,"payable":true},
            {"name":"d","constant":true,"stateMutability":"nonpayable"},{"name":"e"}]"#;
        let found: Vec<_> = read(input)
            .unwrap()
            .functions()
            .map(|function| function.mutability.as_str())
            .collect();
        assert_eq!(found, ["view", "payable", "payable", "nonpayable", "nonpayable"]);
    }

    #[test]
    fn a_list_in_which_nothing_is_an_entry_is_no_interface() {
        for input in [
            r#"[{"file":"a","functions":5},{"file":"b","functions":0}]"#,
            r#"{"abi":[{"name":"a"}]}"#,
            "[1,2]",
            r#"[["function a()"]]"#,
            r#"[{"name":"tool","input_schema":{}}]"#,
        ] {
            assert!(
                matches!(read(input.as_bytes()), Err(EvmError::NotAbi { .. })),
                "{input}"
            );
        }
    }

    fn compiled(name: &str, function: &str) -> String {
        format!(
            r#""{name}":{{"abi":[{{"type":"function","name":"{function}","inputs":[]}}],"evm":{{"bytecode":{{"object":"6001"}}}},"metadata":"{{\"output\":{{\"userdoc\":{{\"methods\":{{\"{function}()\":{{\"notice\":\"Note of {function}.\"}}}}}}}}}}"}}"#
        )
    }

    fn two_contracts() -> String {
        format!(
            r#"{{"a/Token.sol":{{{}}},"b/Token.sol":{{{},{}}}}}"#,
            compiled("Token", "a"),
            compiled("Token", "b"),
            compiled("Vault", "v")
        )
    }

    #[test]
    fn one_contract_of_several_is_chosen_by_its_name() {
        let standard = format!(r#"{{"contracts":{}}}"#, two_contracts());
        let build_info = format!(r#"{{"_format":"hh-sol-build-info-1","output":{standard}}}"#);
        for input in [standard, build_info] {
            let chosen = |name: &str| read_with(input.as_bytes(), &ReadOptions::contract(name));
            assert_eq!(signatures(&chosen("Vault").unwrap()), ["v()"]);
            assert_eq!(signatures(&chosen("a/Token.sol:Token").unwrap()), ["a()"]);
            assert_eq!(signatures(&chosen("Token.sol:Vault").unwrap()), ["v()"]);
            let vault = chosen("Vault").unwrap();
            assert_eq!(vault.contract_name.as_deref(), Some("Vault"));
            assert_eq!(vault.bytecode, Some(Bytecode::Linked(vec![0x60, 0x01].into())));
            let function = vault.functions().next().unwrap();
            assert_eq!(function.documentation.notice.as_deref(), Some("Note of v."));
            let ambiguous = chosen("Token").unwrap_err().to_string();
            assert!(
                ambiguous.contains("`a/Token.sol:Token`, `b/Token.sol:Token`"),
                "{ambiguous}"
            );
            let missing = chosen("ken").unwrap_err();
            assert!(matches!(missing, EvmError::NoSuchContract { .. }), "{missing}");
            let unchosen = read(input.as_bytes()).unwrap_err().to_string();
            assert!(
                unchosen.contains("`b/Token.sol:Vault`") && unchosen.contains("--contract"),
                "{unchosen}"
            );
        }
    }

    #[test]
    fn a_compilation_of_one_contract_needs_no_choice() {
        for input in [
            format!(r#"{{"contracts":{{"T.sol":{{{}}}}}}}"#, compiled("T", "a")),
            r#"{"contracts":{"T.sol:T":{"abi":"[{\"type\":\"function\",\"name\":\"a\"}]","bin":"6001"}},"version":"0.8.0"}"#.to_owned(),
            format!(r#"{{"t.vy":{{"abi":{ONE},"bytecode":"0x6001"}},"version":"0.4.0"}}"#),
            format!(r#"{{"manifest":"ethpm/3","contractTypes":{{"T":{{"abi":{ONE},"deploymentBytecode":{{"bytecode":"0x6001"}}}}}}}}"#),
        ] {
            let interface = read(input.as_bytes()).unwrap();
            assert_eq!(signatures(&interface), ["a()"], "{input}");
            assert_eq!(
                interface.bytecode,
                Some(Bytecode::Linked(vec![0x60, 0x01].into())),
                "{input}"
            );
        }
    }

    #[test]
    fn a_name_that_the_input_does_not_tell_is_noted() {
        let interface = read_with(ONE.as_bytes(), &ReadOptions::contract("Token")).unwrap();
        assert_eq!(signatures(&interface), ["a()"]);
        assert!(interface.notes[0].contains("does not tell its name"));
    }

    #[test]
    fn metadata_of_the_compiler_is_an_interface_with_comments() {
        let metadata = format!(
            r#"{{"compiler":{{"version":"0.8.0"}},"output":{{"abi":{ONE},"userdoc":{{"methods":{{"a()":{{"notice":"Look."}}}}}}}},"settings":{{"compilationTarget":{{"T.sol":"Token"}}}}}}"#
        );
        let interface = read(metadata.as_bytes()).unwrap();
        assert_eq!(interface.contract_name.as_deref(), Some("Token"));
        let function = interface.functions().next().unwrap();
        assert_eq!(function.documentation.notice.as_deref(), Some("Look."));
    }

    #[test]
    fn an_explorers_sources_are_an_interface_unless_they_are_not_verified() {
        let text = toolmesh_json::Value::from(ONE).to_text();
        let answer = format!(
            r#"{{"status":"1","message":"OK","result":[{{"SourceCode":"","ABI":{text},"ContractName":"Token"}}]}}"#
        );
        let interface = read(answer.as_bytes()).unwrap();
        assert_eq!(interface.contract_name.as_deref(), Some("Token"));
        assert_eq!(signatures(&interface), ["a()"]);
        let unverified = r#"{"status":"1","result":[{"ABI":"Contract source code not verified"}]}"#;
        assert!(matches!(
            read(unverified.as_bytes()),
            Err(EvmError::ExplorerAnswer { .. })
        ));
    }

    #[test]
    fn what_was_taken_although_it_is_not_as_it_should_be_is_noted() {
        let input = br#"[{"name":"a","inputs":[],"outputs":[]},{"name":"b","inputs":[]},{"type":"function","name":"c"},
            {"type":"event","name":"E","inputs":[]},{"type":"function","name":"d","inputs":[{"name":"x","type":"uint8","indexed":true}],"outputs":[]},
            {"name":"e","constant":true,"payable":true,"inputs":[],"outputs":[]}]"#;
        let interface = read(input).unwrap();
        assert_eq!(
            interface.notes,
            [
                "entries 1, 2, 6 do not tell their `type` and are read as functions",
                "entry 3 does not list its `inputs`, so it has none",
                "entries 2, 3 do not list their `outputs`, so they return nothing",
                "entry 4 does not tell whether the event is `anonymous`, so it is not",
                "entry 5 has `indexed` where it means nothing",
                "entry 6 is both `constant` and `payable` and is read as payable",
            ]
        );
    }
}
