//! What controls a call, beside the function's own arguments.
//!
//! `simulate` and `value_wei` stand beside the arguments, everything rarer in one object `tx`. An argument of
//! the function is never renamed for them: where it has such a name, the control gets `tx_` before its own.

use toolmesh_json::Value;

use super::is_payable;
use crate::model::Function;

/// The keys of a function's controls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Controls {
    /// Whether the call is only tried. Functions that only read have none.
    pub(crate) simulate: Option<String>,
    /// Ether to pay. Only functions that take ether have it.
    pub(crate) value: Option<String>,
    /// Sender, gas limit, block.
    pub(crate) tx: String,
}

impl Controls {
    pub(crate) fn of(function: &Function) -> Self {
        let is_read = function.mutability.is_read();
        Self {
            simulate: (!is_read).then(|| free_key("simulate", function)),
            value: is_payable(function).then(|| free_key("value_wei", function)),
            tx: free_key("tx", function),
        }
    }

    /// The controls' schemas, in the order in which they are listed.
    pub(crate) fn schemas(self, function: &Function) -> Vec<(String, Value)> {
        let mut schemas = Vec::new();
        if let Some(value) = self.value {
            schemas.push((value, value_schema()));
        }
        if let Some(simulate) = self.simulate {
            schemas.push((simulate, simulate_schema()));
        }
        schemas.push((self.tx, tx_schema(function)));
        schemas
    }
}

fn free_key(name: &str, function: &Function) -> String {
    let mut key = name.to_owned();
    while function.inputs.iter().any(|input| input.key == key) {
        key.insert_str(0, "tx_");
    }
    key
}

pub(crate) fn simulate_schema() -> Value {
    Value::object()
        .put("type", "boolean")
        .put("default", true)
        .put(
            "description",
            "true (the default) tries the call and tells what would happen; false sends the transaction.",
        )
        .build()
}

pub(crate) fn value_schema() -> Value {
    Value::object()
        .put("type", "string")
        .put("pattern", "^(0|[1-9][0-9]*)$")
        .put("maxLength", 78)
        .put("default", "0")
        .put(
            "description",
            "Ether to pay with the call, in wei (10^18 wei are one ether).",
        )
        .build()
}

/// Short on purpose: every tool has it, and it goes into the context of every model.
fn tx_schema(function: &Function) -> Value {
    let from = Value::object()
        .put("type", "string")
        .put("pattern", "^0x[0-9a-fA-F]{40}$");
    let gas_limit = Value::object().put("type", "integer").put("minimum", 1);
    let mut properties = Value::object().put("from", from).put("gas_limit", gas_limit);
    let mut description = "Rarely needed: the account to call from, the most gas to spend".to_owned();
    if function.mutability.is_read() {
        properties.insert("block", Value::object().put("type", "integer").put("minimum", 0));
        description.push_str(", the number of the block to read at (else the latest)");
    }
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("additionalProperties", false)
        .put("description", description)
        .build()
}
