//! Bytes to an [`Interface`]: whatever shape the input has, entry by entry.
//!
//! What cannot be used is kept with its reason, and never keeps the rest from being read.

mod bytecode;
mod documentation;
mod entry;
mod parameters;
mod shape;

use std::collections::HashMap;

use toolmesh_json::View;

use crate::EvmError;
use crate::model::{Entry, EntryBody, Interface};
use documentation::Comments;
use shape::Shape;

/// The most entries of an interface: ten times the largest in use.
pub const MAX_ENTRIES: usize = 10_000;

/// Reads an interface.
///
/// Understood are a JSON array of ABI entries; an object with an `abi` array, or with the array as text
/// (artifacts of Hardhat, Truffle, Foundry and solc, with their bytecode and comments); and the answer
/// of an Etherscan-like explorer. A byte order mark is skipped.
///
/// # Errors
/// [`EvmError`] when the input as a whole is no interface. An entry that cannot be used is no error: it is
/// [`EntryBody::Unusable`].
pub fn read(bytes: &[u8]) -> Result<Interface, EvmError> {
    let document = shape::parse(bytes)?;
    let shape = Shape::find(document.view())?;
    let entries = shape.abi.view();
    let count = entries.as_array().map_or(0, |entries| entries.len());
    if count > MAX_ENTRIES {
        return Err(EvmError::TooManyEntries { entries: count });
    }
    let mut notes = Vec::new();
    let bytecode = bytecode::find(document.view(), &mut notes);
    let comments = Comments::find(document.view());
    Ok(Interface {
        contract_name: shape.contract_name,
        bytecode,
        entries: read_entries(entries, &comments),
        notes,
    })
}

fn read_entries(abi: View<'_>, comments: &Comments<'_>) -> Vec<Entry> {
    let mut seen = HashMap::new();
    abi.as_array()
        .into_iter()
        .flat_map(|entries| entries.iter())
        .enumerate()
        .map(|(place, view)| {
            let body = entry::read(view, comments);
            Entry {
                place,
                body: refuse_repeated(body, place, &mut seen),
            }
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
            read(br#"["function a()"]"#),
            Err(EvmError::HumanReadable)
        ));
        assert!(matches!(
            read(br#"{"contracts":{"a":{}}}"#),
            Err(EvmError::SeveralContracts)
        ));
        let refused = br#"{"status":"0","message":"NOTOK","result":"Contract source code not verified"}"#;
        let Err(EvmError::ExplorerAnswer { message }) = read(refused) else {
            panic!("an explorer's refusal")
        };
        assert_eq!(message, "Contract source code not verified");
    }

    #[test]
    fn the_number_of_entries_is_bounded() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
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
}
