//! What the input as a whole is, and where the entries stand in it.

use toolmesh_json::{Kind, Limits, Value, View, parse_with};

use crate::EvmError;
use crate::text::{NAME_CHARS, clean, with_article};

/// The entries of an input, and what else tells which contract it is.
#[derive(Debug)]
pub(super) struct Shape {
    /// A JSON array.
    pub(super) abi: Value,
    pub(super) contract_name: Option<String>,
}

/// Parses the input; a byte order mark is skipped.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, EvmError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    parse_with(bytes, &Limits::ceiling()).map_err(|error| {
        let (line, column) = error.locate(bytes);
        EvmError::NotJson {
            line,
            column,
            reason: error.to_string(),
        }
    })
}

impl Shape {
    pub(super) fn find(document: View<'_>) -> Result<Self, EvmError> {
        let contract_name = ["contractName", "name"]
            .iter()
            .find_map(|key| document.get(key)?.as_str())
            .map(|name| clean(name, NAME_CHARS))
            .filter(|name| !name.is_empty());
        Ok(Self {
            abi: find_abi(document)?,
            contract_name,
        })
    }
}

fn find_abi(document: View<'_>) -> Result<Value, EvmError> {
    match document.kind() {
        Kind::Array => array(document),
        Kind::String => text(document),
        Kind::Object => object(document),
        kind => Err(not_abi(format!("the input is {}", with_article(kind)))),
    }
}

fn array(list: View<'_>) -> Result<Value, EvmError> {
    let items = list.as_array();
    let is_texts =
        items.is_some_and(|items| !items.is_empty() && items.iter().all(|item| item.kind() == Kind::String));
    if is_texts {
        Err(EvmError::HumanReadable)
    } else {
        Ok(list.to_value())
    }
}

/// A JSON array inside a JSON string.
fn text(text: View<'_>) -> Result<Value, EvmError> {
    let inner = parse(text.as_str().unwrap_or_default().as_bytes())
        .map_err(|_| not_abi("the ABI is text that is not JSON".to_owned()))?;
    match inner.kind() {
        Kind::Array => array(inner.view()),
        kind => Err(not_abi(format!("the ABI is {}", with_article(kind)))),
    }
}

fn object(object: View<'_>) -> Result<Value, EvmError> {
    if let Some(abi) = object.get("abi") {
        return match abi.kind() {
            Kind::Array => array(abi),
            Kind::String => text(abi),
            kind => Err(not_abi(format!("its `abi` is {}", with_article(kind)))),
        };
    }
    if let (Some(status), Some(result)) = (object.get("status"), object.get("result")) {
        return explorer_answer(status, result);
    }
    if object
        .get("contracts")
        .is_some_and(|contracts| contracts.kind() == Kind::Object)
    {
        return Err(EvmError::SeveralContracts);
    }
    Err(not_abi("the input is an object without `abi`".to_owned()))
}

fn explorer_answer(status: View<'_>, result: View<'_>) -> Result<Value, EvmError> {
    if status.as_str() == Some("1") {
        return match result.kind() {
            Kind::Array => array(result),
            Kind::String => text(result),
            kind => Err(not_abi(format!("its `result` is {}", with_article(kind)))),
        };
    }
    let message = clean(result.as_str().unwrap_or("no reason given"), NAME_CHARS);
    Err(EvmError::ExplorerAnswer { message })
}

fn not_abi(found: String) -> EvmError {
    EvmError::NotAbi { found }
}
