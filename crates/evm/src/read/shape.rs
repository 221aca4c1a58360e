//! What the input as a whole is, and where the entries stand in it.

use toolmesh_json::{ArrayView, Kind, Limits, Value, View, parse_with};

use super::ReadOptions;
use super::contracts::{self, Candidate};
use super::human_readable;
use crate::EvmError;
use crate::text::{NAME_CHARS, clean, with_article};

/// The entries of an input, and what else tells which contract it is.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) entries: Entries,
    pub(super) contract_name: Option<String>,
    /// Where the bytecode and the comments stand.
    pub(super) details: Value,
    pub(super) notes: Vec<String>,
}

/// The entries of one interface.
#[derive(Debug)]
pub(super) enum Entries {
    /// A JSON array of entries.
    Json(Value),
    /// Declarations in Solidity's own words.
    Text(Vec<String>),
}

/// Members that only an entry of an ABI has; `name` is not one, every list of anything has names.
const ENTRY_MEMBERS: [&str; 7] = [
    "type",
    "inputs",
    "outputs",
    "stateMutability",
    "constant",
    "payable",
    "anonymous",
];

impl Shape {
    /// Finds the entries; a byte order mark is skipped.
    pub(super) fn find(bytes: &[u8], options: &ReadOptions) -> Result<Self, EvmError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Some(text) = human_readable::text(bytes) {
            return Ok(Self::of_text(&text));
        }
        let document = parse(bytes)?;
        let (contract, notes) = contracts::choose(candidates(document.view())?, options.contract.as_deref())?;
        Ok(Self {
            entries: entries(contract.abi)?,
            contract_name: contract
                .name
                .map(|name| clean(&name, NAME_CHARS))
                .filter(|name| !name.is_empty()),
            details: contract.details.to_value(),
            notes,
        })
    }

    fn of_text(text: &str) -> Self {
        Self {
            entries: Entries::Text(human_readable::statements(text)),
            contract_name: human_readable::interface_name(text).map(|name| clean(&name, NAME_CHARS)),
            details: Value::null(),
            notes: Vec::new(),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Value, EvmError> {
    parse_with(bytes, &Limits::ceiling()).map_err(|error| {
        let (line, column) = error.locate(bytes);
        EvmError::NotJson {
            line,
            column,
            reason: error.kind().to_string(),
        }
    })
}

/// The contracts that a document holds; never none.
fn candidates(document: View<'_>) -> Result<Vec<Candidate<'_>>, EvmError> {
    match document.kind() {
        Kind::Array | Kind::String => Ok(vec![Candidate::alone(None, document, document)]),
        Kind::Object => object(document),
        kind => Err(not_abi(format!("the input is {}", with_article(kind)))),
    }
}

fn object(object: View<'_>) -> Result<Vec<Candidate<'_>>, EvmError> {
    if let Some(abi) = object.get("abi") {
        return Ok(vec![Candidate::alone(contracts::name_of(object), abi, object)]);
    }
    // Metadata of solc, which Sourcify keeps.
    if let (Some(abi), Some(output)) = (object.pointer("/output/abi"), object.get("output")) {
        let name = contracts::compilation_target(object);
        return Ok(vec![Candidate::alone(name, abi, output)]);
    }
    let found = contracts::of_compilation(object);
    if !found.is_empty() {
        return Ok(found);
    }
    if let (Some(status), Some(result)) = (object.get("status"), object.get("result")) {
        return explorer_answer(status, result);
    }
    let has_errors = object
        .get("errors")
        .and_then(View::as_array)
        .is_some_and(|errors| !errors.is_empty());
    Err(not_abi(if has_errors {
        "a compiler's answer with errors and without a contract".to_owned()
    } else {
        "the input is an object without `abi` and without contracts".to_owned()
    }))
}

/// The entries that `abi` lists: an array, or an array or declarations as text.
fn entries(abi: View<'_>) -> Result<Entries, EvmError> {
    match abi.kind() {
        Kind::Array => abi
            .as_array()
            .map_or_else(|| Ok(Entries::Text(Vec::new())), |items| array(abi, items)),
        Kind::String => text(abi.as_str().unwrap_or_default()),
        kind => Err(not_abi(format!("its `abi` is {}", with_article(kind)))),
    }
}

fn array(list: View<'_>, items: ArrayView<'_>) -> Result<Entries, EvmError> {
    if items.is_empty() || items.iter().any(is_entry) {
        return Ok(Entries::Json(list.to_value()));
    }
    let texts: Option<Vec<&str>> = items.iter().map(View::as_str).collect();
    match texts {
        Some(texts) => Ok(Entries::Text(
            texts.into_iter().flat_map(human_readable::statements).collect(),
        )),
        None => Err(not_abi(
            "a list in which nothing is an entry of an ABI".to_owned(),
        )),
    }
}

fn is_entry(item: View<'_>) -> bool {
    ENTRY_MEMBERS.iter().any(|member| item.get(member).is_some())
}

fn text(text: &str) -> Result<Entries, EvmError> {
    if let Some(declarations) = human_readable::text(text.as_bytes()) {
        return Ok(Entries::Text(human_readable::statements(&declarations)));
    }
    let inner = parse(text.as_bytes()).map_err(|_| not_abi("the ABI is text that is not JSON".to_owned()))?;
    match inner.view().as_array() {
        Some(items) => array(inner.view(), items),
        None => Err(not_abi(format!("the ABI is {}", with_article(inner.kind())))),
    }
}

/// The answer of a block explorer: to `getabi` the ABI as text, to `getsourcecode` a list of contracts.
fn explorer_answer<'a>(status: View<'a>, result: View<'a>) -> Result<Vec<Candidate<'a>>, EvmError> {
    if status.as_str() != Some("1") {
        let message = clean(result.as_str().unwrap_or("no reason given"), NAME_CHARS);
        return Err(EvmError::ExplorerAnswer { message });
    }
    let sources: Vec<View<'a>> = result
        .as_array()
        .into_iter()
        .flat_map(|items| items.iter())
        .filter(|item| item.get("ABI").is_some())
        .collect();
    if sources.is_empty() {
        return Ok(vec![Candidate::alone(None, result, result)]);
    }
    sources.into_iter().map(explorer_source).collect()
}

fn explorer_source(source: View<'_>) -> Result<Candidate<'_>, EvmError> {
    let abi = source.get("ABI").unwrap_or(source);
    match abi.as_str() {
        Some(text) if !text.trim_start().starts_with('[') => Err(EvmError::ExplorerAnswer {
            message: clean(text, NAME_CHARS),
        }),
        _ => {
            let name = source.get("ContractName").and_then(View::as_str);
            Ok(Candidate::alone(name.map(str::to_owned), abi, source))
        }
    }
}

fn not_abi(found: String) -> EvmError {
    EvmError::NotAbi { found }
}
