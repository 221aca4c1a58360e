//! Arguments in other accepted spellings, rewritten into the published form.
//!
//! Names may be in snake case, camel case, or with underscores at their ends; integers may be numbers, digits
//! or `0x` text; a struct may be an array. See [`value`](crate::value).

use std::sync::Arc;

use alloy_primitives::{Address, U256};
use toolmesh_json::{ObjectView, Pointer, Value, View};
use toolmesh_tool::{Accept, ArgumentError};

use crate::model::{Function, SolidityType};
use crate::schema::{Controls, MAX_EXACT};
use crate::value::{
    InvalidUtf8, Keys, SolidityValue, ValueError, from_json, members_to_json, parse_unsigned,
};

/// The arguments of one call, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallArguments {
    /// The function's own arguments in order.
    pub(crate) values: Vec<SolidityValue>,
    /// Whether the call is only tried.
    pub(crate) simulate: bool,
    /// Ether to pay, in wei.
    pub(crate) value: U256,
    /// Who calls, unless it is the chain's default sender.
    pub(crate) from: Option<Address>,
    /// The most gas to spend.
    pub(crate) gas_limit: Option<u64>,
    /// The block to read at, unless it is the latest.
    pub(crate) block: Option<u64>,
}

impl CallArguments {
    /// Reads an arguments object in any accepted spelling.
    pub(crate) fn read(function: &Function, arguments: View<'_>) -> Result<Self, ValueError> {
        let root = Pointer::root();
        let object = arguments
            .as_object()
            .ok_or_else(|| ValueError::new(&root, "not an object", "an object"))?;
        let controls = Controls::of(function);
        let mut read = Self::new();
        let keys = Keys::of(&function.inputs);
        let mut given = vec![None; function.inputs.len()];
        for (name, value) in object.iter() {
            if read.control(&controls, name, value, function)? {
                continue;
            }
            let place = keys.place_of(name).ok_or_else(|| {
                ValueError::new(&root, "an unknown argument", known_names(function, &controls))
            })?;
            match given.get_mut(place) {
                Some(slot @ None) => *slot = Some(value),
                _ => {
                    let rule = "an argument that is given twice, in two spellings";
                    return Err(ValueError::new(&root, rule, known_names(function, &controls)));
                }
            }
        }
        read.values = values(function, given)?;
        Ok(read)
    }

    fn new() -> Self {
        Self {
            values: Vec::new(),
            simulate: true,
            value: U256::ZERO,
            from: None,
            gas_limit: None,
            block: None,
        }
    }

    /// Reads a control; `false` when the name is none's.
    fn control(
        &mut self,
        controls: &Controls,
        name: &str,
        value: View<'_>,
        function: &Function,
    ) -> Result<bool, ValueError> {
        let at = Pointer::root().join(name);
        if controls.simulate.as_deref() == Some(name) {
            self.simulate = value
                .as_bool()
                .ok_or_else(|| ValueError::new(&at, "not a boolean", "true or false"))?;
        } else if controls.value.as_deref() == Some(name) {
            self.value = parse_unsigned(value).ok_or_else(|| {
                ValueError::new(
                    &at,
                    "not an amount of wei",
                    "a whole number from 0 to 2^256-1, best as decimal digits in a string",
                )
            })?;
        } else if controls.tx == name {
            let wanted = if function.mutability.is_read() {
                "`from`, `gas_limit`, `block`"
            } else {
                "`from`, `gas_limit`"
            };
            let expected = format!("an object with any of {wanted}");
            let object = value
                .as_object()
                .ok_or_else(|| ValueError::new(&at, "not an object", &*expected))?;
            self.transaction(object, at, function, &expected)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn transaction(
        &mut self,
        object: ObjectView<'_>,
        mut at: Pointer,
        function: &Function,
        expected: &str,
    ) -> Result<(), ValueError> {
        for (name, value) in object.iter() {
            match name {
                "from" => {
                    at.push(name);
                    if let SolidityValue::Address(from) = from_json(&SolidityType::Address, value, &mut at)? {
                        self.from = Some(from);
                    }
                }
                "gas_limit" => {
                    at.push(name);
                    self.gas_limit = Some(small(value, &at, 1)?);
                }
                "block" if function.mutability.is_read() => {
                    at.push(name);
                    self.block = if value.as_str() == Some("latest") {
                        None
                    } else {
                        Some(small(value, &at, 0)?)
                    };
                }
                _ => return Err(ValueError::new(&at, "an unknown member", expected)),
            }
            at.pop();
        }
        Ok(())
    }

    /// The arguments in the form that the schema publishes.
    pub(crate) fn publish(&self, function: &Function) -> Value {
        let published = members_to_json(
            &function.inputs,
            &self.values,
            &mut Pointer::root(),
            &mut InvalidUtf8::default(),
        );
        let controls = Controls::of(function);
        let mut object = Value::object();
        if let Some(members) = published.as_object() {
            object.extend(members.iter().map(|(key, value)| (key, value.to_value())));
        }
        if let Some(key) = controls.value.filter(|_| !self.value.is_zero()) {
            object.insert(key, self.value.to_string());
        }
        if let Some(key) = controls.simulate {
            object.insert(key, self.simulate);
        }
        let transaction = Value::object()
            .put_opt("from", self.from.map(|from| from.to_checksum(None)))
            .put_opt("gas_limit", self.gas_limit)
            .put_opt("block", self.block);
        if !transaction.is_empty() {
            object.insert(controls.tx, transaction);
        }
        object.build()
    }
}

fn values(function: &Function, given: Vec<Option<View<'_>>>) -> Result<Vec<SolidityValue>, ValueError> {
    let mut values = Vec::with_capacity(given.len());
    for (input, value) in function.inputs.iter().zip(given) {
        let mut at = Pointer::root().join(input.key.as_str());
        let value =
            value.ok_or_else(|| ValueError::new(&at, "missing", format!("a value of type {}", input.ty)))?;
        values.push(from_json(&input.ty, value, &mut at)?);
    }
    Ok(values)
}

fn small(value: View<'_>, at: &Pointer, min: u64) -> Result<u64, ValueError> {
    parse_unsigned(value)
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| (min..=MAX_EXACT).contains(number))
        .ok_or_else(|| {
            ValueError::new(
                at,
                "not such a number",
                format!("a whole number from {min} to {MAX_EXACT}"),
            )
        })
}

fn known_names(function: &Function, controls: &Controls) -> String {
    let names = function.inputs.iter().map(|input| input.key.as_str());
    let controls = controls
        .value
        .as_deref()
        .into_iter()
        .chain(controls.simulate.as_deref())
        .chain([&*controls.tx]);
    let names: Vec<String> = names.chain(controls).map(|name| format!("`{name}`")).collect();
    format!("no others than {}", names.join(", "))
}

/// Rewrites the arguments of one function.
#[derive(Debug)]
pub(crate) struct AcceptSpellings(pub(crate) Arc<Function>);

impl Accept for AcceptSpellings {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        CallArguments::read(&self.0, arguments)
            .map(|read| read.publish(&self.0))
            .map_err(|error| ArgumentError::new(error.pointer, error.rule, error.expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use toolmesh_json::parse;

    fn function(entry: &str) -> Arc<Function> {
        let interface = read(format!("[{entry}]").as_bytes()).unwrap();
        interface.functions().next().cloned().unwrap()
    }

    fn accept(function: &Arc<Function>, arguments: &str) -> Result<String, String> {
        let arguments = parse(arguments.as_bytes()).unwrap();
        AcceptSpellings(Arc::clone(function))
            .accept(arguments.view())
            .map(|value| value.to_text())
            .map_err(|error| error.to_string())
    }

    const TRANSFER: &str = r#"{"name":"transfer","inputs":[{"name":"from","type":"address"},{"name":"amountOut","type":"uint256"}]}"#;
    const ACCOUNT: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

    #[test]
    fn arguments_are_rewritten_into_the_published_form() {
        let function = function(TRANSFER);
        let given = format!(r#"{{"amount_out":"0x10","from_":"{}"}}"#, ACCOUNT.to_lowercase());
        let published = format!(r#"{{"from":"{ACCOUNT}","amountOut":"16","simulate":true}}"#);
        assert_eq!(accept(&function, &given), Ok(published.clone()));
        assert_eq!(accept(&function, &published), Ok(published));
    }

    #[test]
    fn arguments_that_do_not_fit_are_explained_without_their_values() {
        let function = function(TRANSFER);
        let message = accept(&function, &format!(r#"{{"from":"{ACCOUNT}","amountOut":1.5}}"#)).unwrap_err();
        assert!(
            message.starts_with("/amountOut: expected a whole number from 0 to 115792"),
            "{message}"
        );
        assert!(!message.contains("1.5"));
        assert_eq!(
            accept(&function, r#"{"amountOut":1}"#).unwrap_err(),
            "/from: expected a value of type address (missing)"
        );
        assert_eq!(
            accept(&function, r#"{"other":1}"#).unwrap_err(),
            "the arguments: expected no others than `from`, `amountOut`, `simulate`, `tx` (an unknown argument)"
        );
    }

    #[test]
    fn controls_never_take_a_name_from_the_function() {
        let function = function(
            r#"{"name":"pay","stateMutability":"payable","inputs":[{"name":"simulate","type":"bool"},{"name":"value_wei","type":"uint8"},{"name":"tx","type":"uint8"}]}"#,
        );
        let given = r#"{"simulate":false,"value_wei":1,"tx":2,"tx_simulate":false,"tx_value_wei":5,"tx_tx":{"gas_limit":"21000"}}"#;
        assert_eq!(
            accept(&function, given).unwrap(),
            r#"{"simulate":false,"value_wei":1,"tx":2,"tx_value_wei":"5","tx_simulate":false,"tx_tx":{"gas_limit":21000}}"#
        );
    }

    #[test]
    fn a_function_has_only_the_controls_that_mean_something() {
        let read = function(r#"{"name":"look","stateMutability":"view"}"#);
        assert_eq!(
            accept(&read, r#"{"tx":{"block":7}}"#).unwrap(),
            r#"{"tx":{"block":7}}"#
        );
        assert_eq!(accept(&read, r#"{"tx":{"block":"latest"}}"#).unwrap(), "{}");
        assert!(accept(&read, r#"{"simulate":false}"#).is_err());
        let write = function(r#"{"type":"function","name":"act"}"#);
        assert!(accept(&write, r#"{"value_wei":"1"}"#).is_err());
        assert!(accept(&write, r#"{"tx":{"block":7}}"#).is_err());
        assert!(accept(&write, r#"{"simulate":"false"}"#).is_err());
    }
}
