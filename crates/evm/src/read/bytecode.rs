//! The code that creates the contract, where an artifact holds it.

use alloy_primitives::hex;
use toolmesh_json::View;

use crate::model::Bytecode;

/// A placeholder for the address of a library is as long as an address: 40 characters.
const PLACEHOLDER_CHARS: usize = 40;

/// Finds the creation code; code that is not hexadecimal is noted and not taken.
pub(super) fn find(document: View<'_>, notes: &mut Vec<String>) -> Option<Bytecode> {
    let text = text_of(document)?;
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    if digits.contains("__") {
        return Some(Bytecode::Unlinked {
            libraries: libraries(document, digits),
        });
    }
    match hex::decode(digits) {
        Ok(code) => Some(Bytecode::Linked(code.into())),
        Err(_) => {
            notes.push(
                "the bytecode is not hexadecimal, so the contract cannot be deployed from it".to_owned(),
            );
            None
        }
    }
}

/// `bytecode` is text (Hardhat, Truffle) or an object (Foundry); solc has it in `evm` or calls it `bin`;
/// Sourcify and package manifests have names of their own.
fn text_of(document: View<'_>) -> Option<&str> {
    let places = [
        "/bytecode",
        "/bytecode/object",
        "/evm/bytecode/object",
        "/bin",
        "/creationBytecode/recompiledBytecode",
        "/deploymentBytecode/bytecode",
    ];
    places
        .iter()
        .find_map(|place| document.pointer(place)?.as_str())
        .map(str::trim)
}

fn libraries(document: View<'_>, digits: &str) -> Vec<String> {
    let places = [
        "/linkReferences",
        "/bytecode/linkReferences",
        "/evm/bytecode/linkReferences",
    ];
    let mut named: Vec<String> = places
        .iter()
        .filter_map(|place| document.pointer(place)?.as_object())
        .flat_map(|files| files.iter())
        .filter_map(|(file, libraries)| Some((file, libraries.as_object()?)))
        .flat_map(|(file, libraries)| libraries.keys().map(move |library| format!("{file}:{library}")))
        .map(|library| crate::text::clean(&library, crate::text::NAME_CHARS))
        .collect();
    if named.is_empty() {
        named = placeholders(digits);
    }
    named.sort();
    named.dedup();
    named
}

fn placeholders(digits: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = digits;
    while let Some(place) = rest.find("__") {
        let tail = rest.get(place..).unwrap_or_default();
        let placeholder: String = tail.chars().take(PLACEHOLDER_CHARS).collect();
        rest = tail.get(placeholder.len()..).unwrap_or_default();
        found.push(crate::text::clean(&placeholder, PLACEHOLDER_CHARS));
    }
    found
}
