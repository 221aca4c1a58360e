//! One interface of a proxy and of what stands behind it.

use std::collections::{HashMap, HashSet};

use alloy_primitives::{Address, Selector};

use super::{Implementation, ProxyKind};
use crate::lookup::Explorer;
use crate::model::{Entry, EntryBody, Interface};

/// The interface of one contract, and how a call reaches it.
pub(crate) struct Part {
    pub(crate) implementation: Implementation,
    pub(crate) explorer: Explorer,
    /// What kind of proxy hands calls on to it; `None` for the contract at the address itself.
    pub(crate) through: Option<ProxyKind>,
    pub(crate) interface: Interface,
}

/// The interface of the contract at `address`, from those of all parts in the order in which they are reached;
/// `unknown` are contracts whose interface nobody knows.
pub(crate) fn merge(address: Address, parts: Vec<Part>, unknown: impl Iterator<Item = Address>) -> Interface {
    let mut merged = Merged::default();
    let is_proxy = parts.len() > 1 || parts.iter().any(|part| part.through.is_some());
    let name_of = |part: &Part| part.interface.contract_name.clone();
    let contract_name = parts.iter().rev().find_map(name_of);
    for part in parts {
        merged.notes.push(about(&part));
        merged.notes.extend(part.interface.notes.iter().cloned());
        merged.add(part, is_proxy);
    }
    merged.notes.extend(unknown.map(|other| {
        let what = if other == address {
            "the contract itself"
        } else {
            "a contract behind it"
        };
        format!("no explorer knows the interface of {what}, {other}")
    }));
    Interface {
        contract_name,
        bytecode: None,
        entries: merged
            .bodies
            .into_iter()
            .enumerate()
            .map(|(place, body)| Entry { place, body })
            .collect(),
        notes: merged.notes,
    }
}

fn about(part: &Part) -> String {
    let Implementation { address, selectors } = &part.implementation;
    let explorer = part.explorer;
    match (part.through, selectors) {
        (None, _) => format!("the interface of {address} is from {explorer}"),
        (Some(kind), None) => {
            format!("it is {kind}: calls reach {address}, whose interface is from {explorer}")
        }
        (Some(kind), Some(selectors)) => format!(
            "it is {kind}: {} of its functions are those of {address}, whose interface is from {explorer}",
            selectors.len()
        ),
    }
}

#[derive(Default)]
struct Merged {
    bodies: Vec<EntryBody>,
    notes: Vec<String>,
    /// Which contract answers a selector.
    owners: HashMap<Selector, Address>,
    /// Events and errors that are there.
    seen: HashSet<String>,
}

impl Merged {
    fn add(&mut self, part: Part, is_proxy: bool) {
        let owner = part.implementation.address;
        for entry in part.interface.entries {
            let keep = match &entry.body {
                EntryBody::Function(function) => {
                    let is_reached = part
                        .implementation
                        .selectors
                        .as_ref()
                        .is_none_or(|selectors| selectors.contains(&function.selector()));
                    is_reached && self.takes(function.selector(), function.signature(), owner)
                }
                EntryBody::Event(event) => {
                    let shape: Vec<bool> = event.inputs.iter().map(|input| input.indexed).collect();
                    self.seen.insert(format!("event {} {shape:?}", event.signature()))
                }
                EntryBody::Error(error) => self.seen.insert(format!("error {}", error.signature())),
                // It ran when the contract was created, which nobody does again through this interface.
                EntryBody::Constructor(_) => false,
                // The proxy's own only hands calls on; whether one is taken says the contract behind it.
                EntryBody::Fallback { .. } | EntryBody::Receive => {
                    (!is_proxy || part.through.is_some()) && self.seen.insert(kind_of(&entry.body).to_owned())
                }
                EntryBody::Unusable { .. } => true,
            };
            if keep {
                self.bodies.push(entry.body);
            }
        }
    }

    /// The first contract that has a selector answers it.
    fn takes(&mut self, selector: Selector, signature: &str, owner: Address) -> bool {
        let first = *self.owners.entry(selector).or_insert(owner);
        if first != owner {
            self.notes.push(format!(
                "`{signature}` of {owner} is not reached: {first} has a function with its selector {selector}"
            ));
        }
        first == owner
    }
}

fn kind_of(body: &EntryBody) -> &'static str {
    if matches!(body, EntryBody::Receive) {
        "receive"
    } else {
        "fallback"
    }
}
