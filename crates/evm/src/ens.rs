//! Names of accounts (ENS) where an address is asked for, on a chain that has them.
//!
//! Names are off unless a source says where the registry is: a name is only as good as the node that is asked for it.
//! They stand in the arguments until the call is made, so whoever confirms it sees the name, and the answer tells what
//! each was resolved to.

mod place;
mod resolve;

use std::sync::Arc;

use alloy_primitives::{Address, B256, address, keccak256};
use toolmesh_json::{Pointer, Value, View};
use toolmesh_tool::{Accept, ArgumentError};

use place::with_addresses;
pub(crate) use resolve::resolved;

use crate::accept::CallArguments;
use crate::model::Function;
use crate::value::{NOT_AN_ADDRESS, ValueError};

/// The registry of Ethereum and its test networks.
pub const ENS_REGISTRY: Address = address!("0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e");

/// The most names in one call: each costs two requests.
pub const MAX_NAMES: usize = 16;

/// The longest name, in characters, as in the DNS; as it is given and in its normal form.
pub const MAX_NAME_CHARS: usize = 255;

/// An address or a name, as the schema says it: which characters a name may have is more than a pattern can say.
const ADDRESS_OR_NAME: &str = r"^(0x[0-9a-fA-F]{40}|[^ .]+(\.[^ .]+)+)$";

/// An address, as the schema says it without names.
const ADDRESS: &str = "^0x[0-9a-fA-F]{40}$";

/// A name in its normal form (ENSIP-15), in which it is hashed, when a text is one: labels with dots between them. What
/// has no normal form is no name, for example a label that mixes letters of two scripts or that looks like one of another.
pub(crate) fn name(text: &str) -> Option<String> {
    let is_short = |text: &str| text.chars().nth(MAX_NAME_CHARS).is_none();
    // A text without a dot is refused before the tables of the standard are needed.
    if !text.contains('.') || !is_short(text) {
        return None;
    }
    let name = ens_normalize::ens_normalize(text).ok()?;
    is_short(&name).then_some(name)
}

/// The node of a name (EIP-137).
pub(crate) fn node(name: &str) -> B256 {
    name.rsplit('.').fold(B256::ZERO, |parent, label| {
        let mut text = [0; 64];
        let (front, back) = text.split_at_mut(32);
        front.copy_from_slice(parent.as_slice());
        back.copy_from_slice(keccak256(label).as_slice());
        keccak256(text)
    })
}

/// The schema of arguments with names admitted wherever an address is.
pub(crate) fn admit_names(schema: View<'_>) -> Value {
    if let Some(members) = schema.as_object() {
        let mut object = Value::object();
        for (key, value) in members.iter() {
            let is_address = key == "pattern" && value.as_str() == Some(ADDRESS);
            object.insert(
                key,
                if is_address {
                    Value::from(ADDRESS_OR_NAME)
                } else {
                    admit_names(value)
                },
            );
        }
        return object.build();
    }
    match schema.as_array() {
        Some(items) => items.iter().map(admit_names).collect(),
        None => schema.to_value(),
    }
}

/// The schema of an answer that also tells what names were resolved to.
pub(crate) fn tell_names(schema: View<'_>) -> Value {
    let mut object = Value::object();
    for (key, value) in schema.as_object().into_iter().flat_map(|members| members.iter()) {
        if key != "properties" {
            object.insert(key, value.to_value());
            continue;
        }
        let mut properties = Value::object();
        for (name, property) in value.as_object().into_iter().flat_map(|members| members.iter()) {
            properties.insert(name, property.to_value());
        }
        properties.insert(
            "resolved_names",
            Value::object()
                .put("type", "object")
                .put("additionalProperties", Value::object().put("type", "string"))
                .put("description", "The address that each name stood for."),
        );
        object.insert(key, properties);
    }
    object.build()
}

/// Rewrites arguments into the published form, names kept as they are.
#[derive(Debug)]
pub(crate) struct AcceptNames(pub(crate) Arc<Function>);

impl Accept for AcceptNames {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        let mut names: Vec<String> = Vec::new();
        let mut are_too_many = false;
        let with_stand_ins = with_addresses(&self.0, arguments, &mut |name| {
            if !names.contains(&name) {
                are_too_many |= names.len() == MAX_NAMES;
                if are_too_many {
                    return None;
                }
                names.push(name.clone());
            }
            Some(stand_in(&name))
        });
        if are_too_many {
            let expected = format!("at most {MAX_NAMES} names in one call; give addresses for the others");
            return Err(ArgumentError::new(Pointer::root(), "too many names", expected));
        }
        let read = CallArguments::read(&self.0, with_stand_ins.view()).map_err(told)?;
        let published = read.publish(&self.0);
        Ok(names.iter().fold(published, |published, name| {
            let text = stand_in(name).to_checksum(None);
            replaced(published.view(), &text, name)
        }))
    }
}

/// The error of an argument, which may have been meant as a name.
fn told(error: ValueError) -> ArgumentError {
    let expected = if error.rule == NOT_AN_ADDRESS {
        format!(
            "{}, or a name with a normal form (ENSIP-15), such as vitalik.eth",
            error.expected
        )
    } else {
        error.expected
    };
    ArgumentError::new(error.pointer, error.rule, expected)
}

/// An address that nobody has, in the place of a name while the other arguments are read.
fn stand_in(name: &str) -> Address {
    Address::from_word(node(name))
}

/// A value with one text in the place of another.
fn replaced(value: View<'_>, from: &str, to: &str) -> Value {
    if value.as_str() == Some(from) {
        return Value::from(to);
    }
    if let Some(items) = value.as_array() {
        return items.iter().map(|item| replaced(item, from, to)).collect();
    }
    match value.as_object() {
        None => value.to_value(),
        Some(members) => {
            let mut object = Value::object();
            for (key, member) in members.iter() {
                object.insert(key, replaced(member, from, to));
            }
            object.build()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use toolmesh_json::parse;

    #[test]
    fn the_nodes_of_names_are_those_of_the_standard() {
        for (text, expected) in [
            (
                "eth",
                "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae",
            ),
            (
                "foo.eth",
                "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f",
            ),
        ] {
            assert_eq!(node(text).to_string(), expected);
        }
    }

    #[test]
    fn a_name_is_taken_in_its_normal_form() {
        for (text, normal) in [
            ("Vitalik.ETH", "vitalik.eth"),
            ("_service.my-name.eth", "_service.my-name.eth"),
            ("B\u{fc}cher.eth", "b\u{fc}cher.eth"),
            ("bu\u{308}cher.eth", "b\u{fc}cher.eth"),
            ("\u{2167}.eth", "viii.eth"),
            ("\u{30d3}\u{30c3}\u{30c8}.eth", "\u{30d3}\u{30c3}\u{30c8}.eth"),
            (
                "\u{1f6b4}\u{200d}\u{2642}\u{fe0f}.eth",
                "\u{1f6b4}\u{200d}\u{2642}.eth",
            ),
        ] {
            assert_eq!(name(text).as_deref(), Some(normal), "{text}");
        }
    }

    #[test]
    fn what_has_no_normal_form_is_no_name() {
        for text in [
            "eth",
            ".eth",
            "a..eth",
            "a.eth.",
            "a b.eth",
            "0x12",
            "",
            // An underscore behind the first character, and a label that pretends to be encoded.
            "a_b.eth",
            "xn--a.eth",
            // A letter of another script among these, a label of only such letters, and a joiner that nobody sees.
            "vit\u{430}lik.eth",
            "\u{455}\u{441}\u{43e}\u{440}\u{435}.eth",
            "ni\u{200d}ck.eth",
            "\u{202e}a.eth",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_has_as_many_characters_as_the_limit_and_not_one_more() {
        for letter in ["a", "\u{fc}"] {
            let long = |chars: usize| format!("{}.eth", letter.repeat(chars - 4));
            assert!(name(&long(MAX_NAME_CHARS)).is_some());
            assert!(name(&long(MAX_NAME_CHARS + 1)).is_none());
        }
        // One character that becomes four.
        assert!(name(&format!("{}.eth", "\u{2167}".repeat(MAX_NAME_CHARS / 2))).is_none());
    }

    #[test]
    fn names_stay_in_the_published_form_and_everything_else_is_rewritten() {
        let interface =
            read(b"function pay(address[] payees, (address to, string note) extra, bytes20 raw)\n").unwrap();
        let accept = AcceptNames(Arc::clone(interface.functions().next().unwrap()));
        let rewritten = |text: &str| {
            let given = parse(text.as_bytes()).unwrap();
            accept.accept(given.view()).map(|value| value.to_text())
        };
        let raw = "0x0000000000000000000000000000000000000001";
        assert_eq!(
            rewritten(&format!(
                r#"{{"payees":["Foo.eth","0x0000000000000000000000000000000000000007"],"extra":["bar.eth","not.a.name"],"raw":"{raw}"}}"#
            ))
            .unwrap(),
            format!(
                r#"{{"payees":["foo.eth","0x0000000000000000000000000000000000000007"],"extra":{{"to":"bar.eth","note":"not.a.name"}},"raw":"{raw}","simulate":true}}"#
            )
        );
        let refused = rewritten(r#"{"payees":[],"extra":["bar.eth",""],"raw":"foo.eth"}"#).unwrap_err();
        assert_eq!(refused.pointer.to_string(), "/raw");
        let mixed = rewritten(&format!(
            r#"{{"payees":["vit{}lik.eth"],"extra":["bar.eth",""],"raw":"{raw}"}}"#,
            '\u{430}'
        ));
        let mixed = mixed.unwrap_err();
        assert_eq!(mixed.pointer.to_string(), "/payees/0");
        assert!(
            mixed.expected.contains("or a name with a normal form"),
            "{}",
            mixed.expected
        );
    }
}
