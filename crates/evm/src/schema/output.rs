//! The schema of what a tool gives back.

use toolmesh_json::Value;

use super::{closed, closed_object, parameter_schema};
use crate::model::{Documentation, Function, Parameter};

/// The schema of a tool's structured result.
#[must_use]
pub fn output_schema(function: &Function) -> Value {
    if function.mutability.is_read() {
        read_output(function)
    } else {
        write_output(function)
    }
}

/// The schema of what a function returns: nothing, one value, or an object of several.
fn result_schema(function: &Function) -> Value {
    let comment =
        |place: usize, output: &Parameter| return_comment(&function.documentation, place, &output.name);
    match function.outputs.as_slice() {
        [] => Value::object()
            .put("type", "null")
            .put("description", "The function returns nothing.")
            .build(),
        [output] => parameter_schema(output, comment(0, output)),
        outputs => closed_object(outputs.iter().enumerate().map(|(place, output)| {
            (
                output.key.clone(),
                parameter_schema(output, comment(place, output)),
            )
        })),
    }
}

pub(crate) fn return_comment<'a>(
    documentation: &'a Documentation,
    place: usize,
    name: &str,
) -> Option<&'a str> {
    let by_name = documentation.returns.get(name);
    by_name
        .or_else(|| documentation.returns.get(&format!("_{place}")))
        .map(String::as_str)
}

fn read_output(function: &Function) -> Value {
    let properties = Value::object()
        .put("result", result_schema(function))
        .put("block_number", block_number_schema())
        .put("invalid_utf8", invalid_utf8_schema());
    closed(properties, Value::array().push("result").push("block_number"))
}

fn write_output(function: &Function) -> Value {
    let properties = Value::object()
        .put(
            "simulated",
            described("boolean", "Whether the call was only tried: nothing was sent."),
        )
        .put(
            "success",
            described("boolean", "Whether the call succeeded, or would succeed."),
        )
        .put("result", result_schema(function))
        .put(
            "gas_estimate",
            counter("The gas that the transaction would need."),
        )
        .put("gas_price", wei("The price of a unit of gas at present, in wei."))
        .put("tx_hash", transaction_hash())
        .put("gas_used", counter("The gas that the transaction used."))
        .put(
            "effective_gas_price",
            wei("The price that was paid for a unit of gas, in wei."),
        )
        .put(
            "cost_wei",
            wei("What all the gas costs, in wei, without the value that is paid to the contract."),
        )
        .put("cost_formatted", described("string", "The same in ether."))
        .put("block_number", block_number_schema())
        .put("events", events_schema())
        .put("note", described("string", "What to do next."))
        .put("invalid_utf8", invalid_utf8_schema());
    closed(properties, Value::array().push("simulated").push("success"))
}

fn block_number_schema() -> Value {
    counter("The block whose state the answer is of.")
}

fn transaction_hash() -> Value {
    let schema = Value::object()
        .put("type", "string")
        .put("pattern", "^0x[0-9a-f]{64}$");
    schema.put("description", "The hash of the transaction.").build()
}

/// Loose on purpose: every tool that writes has it, and lists of tools are long enough.
fn events_schema() -> Value {
    let properties = Value::object()
        .put(
            "name",
            Value::object().put("type", Value::array().push("string").push("null")),
        )
        .put("address", Value::object().put("type", "string"))
        .put("args", Value::object().put("type", "object"));
    let item = Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", Value::array().push("name").push("address"));
    let description = "The events that the call emits, in order: the name (null if the interface does not \
                       know the event), the contract, and the fields.";
    Value::object()
        .put("type", "array")
        .put("items", item)
        .put("description", description)
        .build()
}

fn invalid_utf8_schema() -> Value {
    Value::object()
        .put("type", "object")
        .put("additionalProperties", Value::object().put("type", "string"))
        .put(
            "description",
            "The bytes of each string that is no valid UTF-8, by where it stands.",
        )
        .build()
}

fn described(ty: &str, description: &str) -> Value {
    Value::object()
        .put("type", ty)
        .put("description", description)
        .build()
}

fn counter(description: &str) -> Value {
    Value::object()
        .put("type", "integer")
        .put("minimum", 0)
        .put("description", description)
        .build()
}

fn wei(description: &str) -> Value {
    let schema = Value::object()
        .put("type", "string")
        .put("pattern", "^(0|[1-9][0-9]*)$");
    schema.put("description", description).build()
}
