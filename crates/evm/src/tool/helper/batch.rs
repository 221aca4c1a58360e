//! `read-many`: many reads of one block.

use std::sync::Arc;

use alloy_primitives::{Bytes, hex};
use toolmesh_json::{Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{Outcome, Tool, ToolBuildError, ToolResult};

use super::ask::Asker;
use super::multicall::{MULTICALL3, decode_answers, encode_calls};
use super::{ended, object_schema, reading, typed};
use crate::chain::{BlockRef, Execution, Message};
use crate::model::Function;
use crate::name::tool_names;
use crate::tool::answer::Fault;
use crate::tool::handler::returned;
use crate::value::{InvalidUtf8, arguments_from_json, decode, encode};

/// The most reads of one batch: what fits into one answer that a model still reads.
pub const MAX_BATCH: usize = 64;

/// One read, understood.
struct Read {
    function: Arc<Function>,
    data: Bytes,
}

pub(super) fn tool(asker: &Asker) -> Result<Tool, ToolBuildError> {
    let asker = asker.clone();
    reading(Tool::with_name("read-many")
        .input_schema(input(), Profile::Draft2020_12)
        .output_schema(output(), Profile::Draft2020_12)
        .handler(move |_, arguments| {
            let asker = asker.clone();
            async move { run(&asker, arguments.view()).await }
        })
        .title("Read many")
        .description(
            "Call many functions that only read, all at one block, and get all results at once. A function is named as \
             its tool, by its signature or by its selector. One that fails does not keep the others from being read. \
             Where the chain has Multicall3, that contract is the caller. Changes nothing and costs nothing.",
        )
)
}

fn input() -> Value {
    let arguments = Value::object()
        .put("type", Value::array().push("object").push("array"))
        .put("description", "Its arguments: by name, or in order.");
    let call = Value::object()
        .put("function", typed("string", "The function."))
        .put("arguments", arguments);
    let calls = Value::object()
        .put("type", "array")
        .put("items", object_schema(call, &["function"]))
        .put("minItems", 1)
        .put("maxItems", u64::try_from(MAX_BATCH).unwrap_or(u64::MAX));
    let block = Value::object().put("type", "integer").put("minimum", 0).put(
        "description",
        "The number of the block to read at, else the latest.",
    );
    object_schema(
        Value::object().put("calls", calls).put("block", block),
        &["calls"],
    )
}

fn output() -> Value {
    let error = Value::object().put("type", "object");
    // `result` is whatever the function returns.
    let one = Value::object()
        .put("function", typed("string", "The signature of the function."))
        .put("result", Value::object().put("description", "What it returned."))
        .put("invalid_utf8", Value::object().put("type", "object"))
        .put("error", error);
    let results = Value::object()
        .put("type", "array")
        .put("items", object_schema(one, &["function"]));
    let properties = Value::object()
        .put("results", results)
        .put(
            "block_number",
            typed("integer", "The block whose state the answer is of."),
        )
        .put(
            "multicall",
            typed("boolean", "Whether all was read in one call, by Multicall3."),
        );
    object_schema(properties, &["results", "block_number", "multicall"])
}

async fn run(asker: &Asker, arguments: View<'_>) -> Outcome {
    let calls = arguments.get("calls").and_then(View::as_array);
    let reads: Result<Vec<Read>, String> = calls
        .into_iter()
        .flat_map(|calls| calls.iter())
        .enumerate()
        .map(|(place, call)| understood(asker, place, call))
        .collect();
    match reads {
        Ok(reads) => ended(read_all(asker, &reads, arguments.get("block").and_then(View::as_u64)).await),
        Err(reason) => ToolResult::error_text(reason).into(),
    }
}

fn understood(asker: &Asker, place: usize, call: View<'_>) -> Result<Read, String> {
    let at = format!("/calls/{place}");
    let name = call.get("function").and_then(View::as_str).unwrap_or_default();
    let function = found(asker, name).ok_or_else(|| {
        format!("{at}/function: there is no such function, or several; use the tool's name or the signature")
    })?;
    if !function.mutability.is_read() {
        return Err(format!(
            "{at}/function: `{}` changes the chain; only reads can be batched",
            function.signature()
        ));
    }
    let empty = Value::object().build();
    let given = call.get("arguments").unwrap_or(empty.view());
    let values = arguments_from_json(&function.inputs, given).map_err(|error| {
        format!(
            "{at}/arguments{}: expected {} ({})",
            error.pointer, error.expected, error.rule
        )
    })?;
    let mut data = function.selector().to_vec();
    data.extend(encode(&function.inputs, &values));
    Ok(Read {
        function,
        data: data.into(),
    })
}

/// The function that a name means: a tool's, a signature, a selector, or a name that only one function has.
fn found(asker: &Asker, name: &str) -> Option<Arc<Function>> {
    let interface = &asker.interface;
    let names = tool_names(interface.functions());
    let is_meant = |function: &&Arc<Function>| {
        names.of(function) == Some(name)
            || function.signature() == name
            || hex::encode_prefixed(function.selector()) == name
    };
    if let Some(function) = interface.functions().find(is_meant) {
        return Some(Arc::clone(function));
    }
    let mut namesakes = interface.functions().filter(|function| function.name == name);
    let only = namesakes.next()?;
    namesakes.next().is_none().then(|| Arc::clone(only))
}

async fn read_all(asker: &Asker, reads: &[Read], block: Option<u64>) -> Result<Value, Fault> {
    let chain = &asker.contract()?.chain;
    let block = match block {
        Some(block) => block,
        None => chain.block_number().await?,
    };
    let together = in_one_call(asker, reads, block).await?;
    let is_multicall = together.is_some();
    let ends = match together {
        Some(ends) => ends,
        None => one_by_one(asker, reads, block).await?,
    };
    let results: Value = reads
        .iter()
        .zip(ends)
        .map(|(read, end)| result(asker, read, &end))
        .collect();
    let answer = Value::object()
        .put("results", results)
        .put("block_number", block)
        .put("multicall", is_multicall);
    Ok(answer.build())
}

/// By Multicall3; `None` where the chain does not have it, had not at that block, or it could not make the calls.
async fn in_one_call(asker: &Asker, reads: &[Read], block: u64) -> Result<Option<Vec<Execution>>, Fault> {
    let contract = asker.contract()?;
    if reads.len() < 2
        || contract
            .chain
            .code(MULTICALL3, BlockRef::Number(block))
            .await?
            .is_empty()
    {
        return Ok(None);
    }
    let calls: Vec<Bytes> = reads.iter().map(|read| read.data.clone()).collect();
    let message = Message::new(MULTICALL3, encode_calls(contract.address, &calls));
    let Execution::Returned(data) = contract.chain.call(message, BlockRef::Number(block)).await? else {
        return Ok(None);
    };
    let end = |(success, data): (bool, Bytes)| {
        if success {
            Execution::Returned(data)
        } else {
            Execution::Reverted(data)
        }
    };
    Ok(decode_answers(&data, reads.len()).map(|answers| answers.into_iter().map(end).collect()))
}

async fn one_by_one(asker: &Asker, reads: &[Read], block: u64) -> Result<Vec<Execution>, Fault> {
    let mut ends = Vec::with_capacity(reads.len());
    for read in reads {
        ends.push(asker.call(read.data.clone(), block).await?);
    }
    Ok(ends)
}

fn result(asker: &Asker, read: &Read, end: &Execution) -> Value {
    let answer = Value::object().put("function", read.function.signature());
    let Execution::Returned(data) = end else {
        return answer.put("error", asker.explain(end).to_value()).build();
    };
    let outputs = read.function.outputs.as_slice();
    match decode(outputs, data) {
        Ok(values) => {
            let mut invalid = InvalidUtf8::default();
            let result = returned(outputs, &values, &mut invalid);
            answer
                .put("result", result)
                .put_opt("invalid_utf8", invalid.to_value())
                .build()
        }
        Err(error) => {
            let message = format!("the contract returned something else than the interface says ({error})");
            let error = Value::object().put("kind", "bad_data").put("message", message);
            answer.put("error", error).build()
        }
    }
}
