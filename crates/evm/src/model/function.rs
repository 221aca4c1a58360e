//! Functions, constructors, events and errors.

use std::collections::BTreeMap;
use std::fmt;

use alloy_primitives::{B256, Selector, keccak256};

use super::{Parameter, SolidityType, Unnamed, ensure_keys, parse::signature_of};

/// The name of the tool for calls that match no function. No function's tool has a hyphen in its name.
pub(crate) const RAW_NAME: &str = "send-raw";

/// What a function may do to the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutability {
    /// Reads nothing, changes nothing.
    Pure,
    /// Reads, changes nothing.
    View,
    /// Changes the chain, takes no ether.
    NonPayable,
    /// Changes the chain, takes ether.
    Payable,
}

impl Mutability {
    /// The word of the ABI: `pure`, `view`, `nonpayable` or `payable`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::View => "view",
            Self::NonPayable => "nonpayable",
            Self::Payable => "payable",
        }
    }

    /// Whether calling it can never change the chain.
    #[must_use]
    pub fn is_read(self) -> bool {
        matches!(self, Self::Pure | Self::View)
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Pure, Self::View, Self::NonPayable, Self::Payable]
            .into_iter()
            .find(|mutability| mutability.as_str() == word)
    }
}

/// The comments of the source (NatSpec) on one function, event or error. They are shown to people and
/// models only after they were cleaned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// For users: `@notice`.
    pub notice: Option<String>,
    /// For developers: `@dev`.
    pub details: Option<String>,
    /// For each parameter by its name: `@param`.
    pub parameters: BTreeMap<String, String>,
    /// For each result, by its name or `_0`, `_1`, ...: `@return`.
    pub returns: BTreeMap<String, String>,
}

/// A function of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// The arguments in order.
    pub inputs: Vec<Parameter>,
    /// The results in order.
    pub outputs: Vec<Parameter>,
    /// What it may do.
    pub mutability: Mutability,
    /// What the source says about it.
    pub documentation: Documentation,
    signature: String,
    selector: Selector,
    form: CallForm,
}

/// What a call of a function consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallForm {
    /// The selector and the encoded arguments.
    Selector,
    /// The bytes that the caller gives, or none: it is no function of the interface, but what takes all other calls.
    Raw,
}

impl Function {
    /// What a call is that matches no function of a contract: it reaches `fallback`, or `receive` when it has no data.
    pub(crate) fn raw(takes_data: bool, mutability: Mutability) -> Self {
        let data = Parameter::new("data", SolidityType::Bytes);
        let inputs = if takes_data { vec![data] } else { Vec::new() };
        let returned = Parameter::new("", SolidityType::Bytes);
        Self {
            form: CallForm::Raw,
            ..Self::new(RAW_NAME.to_owned(), inputs, vec![returned], mutability)
        }
    }

    /// Whether it stands for calls that match no function.
    pub(crate) fn is_raw(&self) -> bool {
        self.form == CallForm::Raw
    }

    /// A function; its signature and selector follow from its name and inputs.
    #[must_use]
    pub fn new(
        name: String,
        inputs: Vec<Parameter>,
        outputs: Vec<Parameter>,
        mutability: Mutability,
    ) -> Self {
        let inputs = ensure_keys(inputs, Unnamed::Argument);
        let outputs = ensure_keys(outputs, Unnamed::Output);
        let signature = format!("{name}{}", signature_of(&inputs));
        let selector = selector_of(&signature);
        let documentation = Documentation::default();
        Self {
            name,
            inputs,
            outputs,
            mutability,
            documentation,
            signature,
            selector,
            form: CallForm::Selector,
        }
    }

    /// `transfer(address,uint256)`
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The first four bytes of the signature's Keccak-256 hash.
    #[must_use]
    pub fn selector(&self) -> Selector {
        self.selector
    }
}

/// What a contract is created with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// The arguments in order.
    pub inputs: Vec<Parameter>,
    /// Whether it takes ether.
    pub payable: bool,
}

/// An event of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name in the source.
    pub name: String,
    /// The fields in order, indexed ones among them.
    pub inputs: Vec<Parameter>,
    /// Whether its logs do not begin with the topic of its signature.
    pub anonymous: bool,
    /// What the source says about it.
    pub documentation: Documentation,
    signature: String,
    topic: B256,
}

impl Event {
    /// An event; its signature and topic follow from its name and fields.
    #[must_use]
    pub fn new(name: String, inputs: Vec<Parameter>, anonymous: bool) -> Self {
        let inputs = ensure_keys(inputs, Unnamed::Field);
        let signature = format!("{name}{}", signature_of(&inputs));
        let topic = keccak256(signature.as_bytes());
        Self {
            name,
            inputs,
            anonymous,
            documentation: Documentation::default(),
            signature,
            topic,
        }
    }

    /// `Transfer(address,address,uint256)`
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The Keccak-256 hash of the signature: the first topic of its logs, unless it is anonymous.
    #[must_use]
    pub fn topic(&self) -> B256 {
        self.topic
    }
}

/// A custom error of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorEntry {
    /// The name in the source.
    pub name: String,
    /// The fields in order.
    pub inputs: Vec<Parameter>,
    /// What the source says about it.
    pub documentation: Documentation,
    signature: String,
    selector: Selector,
}

impl ErrorEntry {
    /// An error; its signature and selector follow from its name and fields.
    #[must_use]
    pub fn new(name: String, inputs: Vec<Parameter>) -> Self {
        let inputs = ensure_keys(inputs, Unnamed::Field);
        let signature = format!("{name}{}", signature_of(&inputs));
        let selector = selector_of(&signature);
        Self {
            name,
            inputs,
            documentation: Documentation::default(),
            signature,
            selector,
        }
    }

    /// `InsufficientBalance(address,uint256)`
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The first four bytes of the signature's Keccak-256 hash.
    #[must_use]
    pub fn selector(&self) -> Selector {
        self.selector
    }
}

fn selector_of(signature: &str) -> Selector {
    let [a, b, c, d, ..] = keccak256(signature.as_bytes()).0;
    Selector::new([a, b, c, d])
}

impl fmt::Display for Mutability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse_type;

    fn function(name: &str, types: &[&str]) -> Function {
        let inputs = types
            .iter()
            .map(|text| {
                let ty = parse_type(text).unwrap();
                let canonical = ty.to_string();
                Parameter {
                    name: String::new(),
                    key: String::new(),
                    ty,
                    canonical,
                    internal_type: None,
                    indexed: false,
                }
            })
            .collect();
        Function::new(name.to_owned(), inputs, Vec::new(), Mutability::View)
    }

    #[test]
    fn selectors_of_known_functions_are_right() {
        for (name, types, selector) in [
            ("transfer", ["address", "uint256"].as_slice(), "0xa9059cbb"),
            ("f", &["uint256"], "0xb3de648b"),
            ("f", &["int256"], "0x1c008df9"),
            ("f", &["uint256", "address"], "0x50336458"),
            ("a", &["uint"], "0xf0fdf834"),
        ] {
            assert_eq!(function(name, types).selector().to_string(), selector);
        }
    }
}
