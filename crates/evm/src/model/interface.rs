//! A whole interface: its entries, what became of each, and the code that goes with it.

use std::sync::Arc;

use alloy_primitives::Bytes;

use super::{Constructor, ErrorEntry, Event, Function, Mutability};
use crate::EvmError;

/// A contract's interface as it was read.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The contract's name, where the input tells it.
    pub contract_name: Option<String>,
    /// The code that creates the contract, where the input holds it.
    pub bytecode: Option<Bytecode>,
    /// Every entry of the input, in its order.
    pub entries: Vec<Entry>,
    /// What a reader should know about the input as a whole.
    pub notes: Vec<String>,
}

/// One entry of an interface.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place in the input, from 0.
    pub place: usize,
    /// What it is.
    pub body: EntryBody,
}

/// What an entry is.
#[derive(Clone, Debug)]
pub enum EntryBody {
    /// A function that can be called.
    Function(Arc<Function>),
    /// An event.
    Event(Arc<Event>),
    /// A custom error.
    Error(Arc<ErrorEntry>),
    /// The constructor.
    Constructor(Arc<Constructor>),
    /// The function that takes calls which match no other.
    Fallback {
        /// Whether it takes ether.
        payable: bool,
    },
    /// The function that takes plain payments.
    Receive,
    /// An entry that cannot be used.
    Unusable {
        /// Its `type`, cleaned; `function` when it does not tell.
        kind: String,
        /// Its name and the texts of its types, cleaned, as far as they could be read.
        signature: String,
        /// Why it cannot be used: a sentence fragment.
        reason: String,
    },
}

/// Code that creates a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bytecode {
    /// Ready to be deployed.
    Linked(Bytes),
    /// Needs the addresses of libraries first.
    Unlinked {
        /// The libraries as the artifact names them (`File.sol:Library`), or their placeholders.
        libraries: Vec<String>,
    },
}

impl Interface {
    /// The functions that can become tools, in the order of the input.
    pub fn functions(&self) -> impl Iterator<Item = &Arc<Function>> {
        self.entries.iter().filter_map(|entry| match &entry.body {
            EntryBody::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The events, in the order of the input.
    pub fn events(&self) -> impl Iterator<Item = &Arc<Event>> {
        self.entries.iter().filter_map(|entry| match &entry.body {
            EntryBody::Event(event) => Some(event),
            _ => None,
        })
    }

    /// The custom errors, in the order of the input.
    pub fn errors(&self) -> impl Iterator<Item = &Arc<ErrorEntry>> {
        self.entries.iter().filter_map(|entry| match &entry.body {
            EntryBody::Error(error) => Some(error),
            _ => None,
        })
    }

    /// What takes calls that match no function, if there is such a thing.
    pub(crate) fn raw(&self) -> Option<Function> {
        let mut takes_data = false;
        let mut payable = false;
        let mut is_there = false;
        for entry in &self.entries {
            match entry.body {
                EntryBody::Fallback { payable: takes_ether } => {
                    takes_data = true;
                    payable |= takes_ether;
                    is_there = true;
                }
                EntryBody::Receive => {
                    payable = true;
                    is_there = true;
                }
                _ => {}
            }
        }
        let mutability = if payable {
            Mutability::Payable
        } else {
            Mutability::NonPayable
        };
        is_there.then(|| Function::raw(takes_data, mutability))
    }

    /// The constructor, when the interface tells one; without one a contract takes no arguments.
    #[must_use]
    pub fn constructor(&self) -> Option<&Arc<Constructor>> {
        self.entries.iter().find_map(|entry| match &entry.body {
            EntryBody::Constructor(constructor) => Some(constructor),
            _ => None,
        })
    }

    /// Checks that something in the interface can be called: a function, a fallback or a receive function.
    ///
    /// # Errors
    /// [`EvmError::NothingCallable`] when there is nothing, with the count of the entries that could not
    /// be used.
    pub fn ensure_callable(&self) -> Result<(), EvmError> {
        let callable = self.entries.iter().any(|entry| {
            matches!(
                entry.body,
                EntryBody::Function(_) | EntryBody::Fallback { .. } | EntryBody::Receive
            )
        });
        if callable {
            return Ok(());
        }
        let unusable = self
            .entries
            .iter()
            .filter(|entry| matches!(entry.body, EntryBody::Unusable { .. }))
            .count();
        Err(EvmError::NothingCallable {
            entries: self.entries.len(),
            unusable,
        })
    }
}
