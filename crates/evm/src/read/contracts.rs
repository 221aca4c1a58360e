//! Several contracts in one input, and the choice of one of them.

use toolmesh_json::{Limits, Value, View, parse_with};

use crate::EvmError;
use crate::text::{NAME_CHARS, clean};

/// The most names that an error lists.
const MAX_NAMES: usize = 20;

/// Where compilers and frameworks put what they compiled.
const COLLECTIONS: [&str; 4] = [
    // solc's standard and combined JSON, hardhat-deploy's exports
    "/contracts",
    // build-info files of Hardhat and Foundry
    "/output/contracts",
    // Ethereum package manifests
    "/contractTypes",
    // the same with an older key
    "/contract_types",
];

/// A contract that the input holds.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// The source file, where the input tells it.
    file: Option<String>,
    /// The contract's name, where the input tells it.
    pub(super) name: Option<String>,
    /// The entries, in any shape.
    pub(super) abi: View<'a>,
    /// Where bytecode and comments stand.
    pub(super) details: View<'a>,
}

impl<'a> Candidate<'a> {
    pub(super) fn alone(name: Option<String>, abi: View<'a>, details: View<'a>) -> Self {
        Self {
            file: None,
            name,
            abi,
            details,
        }
    }

    /// `contracts/Token.sol:Token`
    fn full_name(&self) -> String {
        let name = self.name.as_deref().unwrap_or("(no name)");
        match &self.file {
            Some(file) => format!("{file}:{name}"),
            None => name.to_owned(),
        }
    }

    /// Whether `wanted` may mean it: its name, or the end of its path with the name.
    fn is_called(&self, wanted: &str) -> bool {
        if self.name.as_deref() == Some(wanted) {
            return true;
        }
        let full = self.full_name();
        full.strip_suffix(wanted)
            .is_some_and(|front| front.is_empty() || (wanted.contains(':') && front.ends_with('/')))
    }
}

/// The contracts of a compilation; none when `document` is no compilation.
pub(super) fn of_compilation(document: View<'_>) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    for place in COLLECTIONS {
        if let Some(collection) = document.pointer(place) {
            collect(collection, &mut found);
        }
    }
    if found.is_empty() {
        // Vyper's combined JSON has the files at the top.
        collect(document, &mut found);
    }
    found
}

/// Takes members with an `abi`, and such members of members: by file, then by name.
fn collect<'a>(collection: View<'a>, found: &mut Vec<Candidate<'a>>) {
    for (key, member) in collection
        .as_object()
        .into_iter()
        .flat_map(|members| members.iter())
    {
        if let Some(abi) = member.get("abi") {
            let (file, name) = split_name(key);
            found.push(Candidate {
                file,
                name: Some(name),
                abi,
                details: member,
            });
            continue;
        }
        for (name, contract) in member.as_object().into_iter().flat_map(|members| members.iter()) {
            if let Some(abi) = contract.get("abi") {
                found.push(Candidate {
                    file: Some(key.to_owned()),
                    name: Some(name.to_owned()),
                    abi,
                    details: contract,
                });
            }
        }
    }
}

/// Combined JSON has `contracts/Token.sol:Token` as one key.
fn split_name(key: &str) -> (Option<String>, String) {
    match key.rsplit_once(':') {
        Some((file, name)) if !name.is_empty() => (Some(file.to_owned()), name.to_owned()),
        _ => (None, key.to_owned()),
    }
}

/// The one that `wanted` means, or the only one, with what the caller should be told.
pub(super) fn choose<'a>(
    candidates: Vec<Candidate<'a>>,
    wanted: Option<&str>,
) -> Result<(Candidate<'a>, Vec<String>), EvmError> {
    let Some(wanted) = wanted else {
        return only(candidates, None).map(|only| (only, Vec::new()));
    };
    let unnamed = candidates.len() == 1 && candidates.iter().all(|candidate| candidate.name.is_none());
    if unnamed {
        let note =
            "the input holds one contract and does not tell its name, so no contract was chosen by name";
        return only(candidates, Some(wanted)).map(|only| (only, vec![note.to_owned()]));
    }
    let exact = candidates
        .iter()
        .position(|candidate| candidate.full_name() == wanted);
    if let Some(chosen) = exact.and_then(|place| candidates.get(place)) {
        return Ok((chosen.clone(), Vec::new()));
    }
    let (called, others): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .partition(|candidate| candidate.is_called(wanted));
    if called.is_empty() {
        return Err(EvmError::NoSuchContract {
            wanted: clean(wanted, NAME_CHARS),
            contracts: listed(&others),
        });
    }
    only(called, Some(wanted)).map(|only| (only, Vec::new()))
}

fn only<'a>(candidates: Vec<Candidate<'a>>, wanted: Option<&str>) -> Result<Candidate<'a>, EvmError> {
    let contracts = listed(&candidates);
    let mut candidates = candidates.into_iter();
    match (candidates.next(), candidates.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(EvmError::SeveralContracts {
            wanted: wanted.map(|wanted| clean(wanted, NAME_CHARS)),
            contracts,
        }),
    }
}

/// `` `Token.sol:Token`, `Vault.sol:Vault` and 3 others ``
fn listed(candidates: &[Candidate<'_>]) -> String {
    let names: Vec<String> = candidates
        .iter()
        .take(MAX_NAMES)
        .map(|candidate| format!("`{}`", clean(&candidate.full_name(), NAME_CHARS)))
        .collect();
    let names = names.join(", ");
    match candidates.len().saturating_sub(MAX_NAMES) {
        0 => names,
        1 => format!("{names} and 1 other"),
        more => format!("{names} and {more} others"),
    }
}

/// The contract's name as artifacts tell it.
pub(super) fn name_of(artifact: View<'_>) -> Option<String> {
    let told = ["/contractName", "/name", "/compilation/name"]
        .iter()
        .find_map(|place| artifact.pointer(place)?.as_str());
    if let Some(name) = told {
        return Some(name.to_owned());
    }
    // Foundry: only the metadata knows.
    let metadata = metadata(artifact)?;
    compilation_target(metadata.view())
}

/// `settings.compilationTarget` is `{"src/Token.sol": "Token"}`.
pub(super) fn compilation_target(metadata: View<'_>) -> Option<String> {
    let targets = metadata.pointer("/settings/compilationTarget")?.as_object()?;
    targets.values().next()?.as_str().map(str::to_owned)
}

/// The compiler's metadata in an artifact: an object, or the same as text.
pub(super) fn metadata(artifact: View<'_>) -> Option<Value> {
    object_or_text(artifact.get("metadata")?)
}

/// An object that may be given as text.
pub(super) fn object_or_text(view: View<'_>) -> Option<Value> {
    match view.as_str() {
        Some(text) => parse_with(text.as_bytes(), &Limits::ceiling()).ok(),
        None => Some(view.to_value()),
    }
}
