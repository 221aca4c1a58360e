//! Python 3.9 and later.

use toolmesh_json::Value;

use super::plan::{Method, NOTICE, Plan, Returned};
use super::structs::{Struct, Structs};
use crate::hint::{Language, distinct};
use crate::mapper::python_names;
use crate::model::{Parameter, SolidityType};

const HEAD: &str = r#"
from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, List, Optional, TypedDict, cast

# Calls a tool and returns its structured result; with an MCP client, `structuredContent`.
Call = Callable[[str, Dict[str, Any]], Awaitable[Any]]

# What is rarely needed: who calls, the most gas to spend, the block to read at (only for reads).
Transaction = TypedDict("Transaction", {"from": str, "gas_limit": int, "block": int}, total=False)


class Event(TypedDict, total=False):
    name: Optional[str]
    address: str
    args: Dict[str, Any]


class Read(TypedDict):
    block_number: int


class Written(TypedDict, total=False):
    simulated: bool
    success: bool
    gas_estimate: int
    gas_price: str
    tx_hash: str
    gas_used: int
    effective_gas_price: str
    cost_wei: str
    cost_formatted: str
    block_number: int
    events: List[Event]
    note: str
"#;

/// Names that the code of a client uses where names of the interface stand as well.
const IN_USE: [&str; 7] = [
    "_arguments",
    "_toolmesh_call",
    "bool",
    "cast",
    "int",
    "self",
    "str",
];

/// The name of a method or of a parameter: one that is in use gets an underscore, as a reserved word does.
pub(super) fn own_name(mut name: String) -> String {
    if IN_USE.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

pub(super) fn render(plan: &Plan) -> String {
    let mut out = format!("# {NOTICE}\n{HEAD}");
    for structure in plan.structs.iter() {
        out.push_str(&typed_dict(structure, &plan.structs));
    }
    let answers = distinct(plan.methods.iter().map(|method| {
        let tool = crate::hint::upper_camel(&method.tool);
        Language::Python.identifier(&format!("_{tool}Answer"))
    }));
    for (method, answer) in plan.methods.iter().zip(&answers) {
        let (base, total) = if method.is_read() {
            ("Read", "")
        } else {
            ("Written", ", total=False")
        };
        let result = returned(&method.result, &plan.structs);
        out.push_str(&format!(
            "\n\nclass {answer}({base}{total}):\n    result: {result}\n"
        ));
    }
    out.push_str(&format!(
        "\n\nclass {}:\n    def __init__(self, call: Call) -> None:\n        self._toolmesh_call = call\n",
        plan.title
    ));
    for (method, answer) in plan.methods.iter().zip(&answers) {
        out.push_str(&render_method(method, answer, &plan.structs));
    }
    out
}

fn typed_dict(structure: &Struct, structs: &Structs) -> String {
    let members: Vec<String> = structure
        .members
        .iter()
        .map(|member| format!("{}: {}", text(&member.key), type_name(member, structs)))
        .collect();
    let name = &structure.name;
    format!(
        "\n{name} = TypedDict({}, {{{}}})\n",
        text(name),
        members.join(", ")
    )
}

fn render_method(method: &Method, answer: &str, structs: &Structs) -> String {
    let inputs = &method.function.inputs;
    let controls = [
        method
            .controls
            .value
            .as_deref()
            .map(|key| (key, "value_wei", "str")),
        method
            .controls
            .simulate
            .as_deref()
            .map(|key| (key, "simulate", "bool")),
        Some((method.controls.tx.as_str(), "tx", "Transaction")),
    ];
    let controls: Vec<(&str, &str, &str)> = controls.into_iter().flatten().collect();
    let wishes = python_names(inputs)
        .into_iter()
        .map(own_name)
        .chain(controls.iter().map(|(_, name, _)| (*name).to_owned()));
    let names = distinct(wishes);
    let (own, control_names) = names.split_at(inputs.len().min(names.len()));
    let mut parameters = String::from("self");
    let mut arguments = Vec::new();
    for (name, input) in own.iter().zip(inputs) {
        parameters.push_str(&format!(", {name}: {}", type_name(input, structs)));
        arguments.push(format!("{}: {name}", text(&input.key)));
    }
    parameters.push_str(", *");
    let mut body = String::new();
    for (name, (key, _, ty)) in control_names.iter().zip(&controls) {
        parameters.push_str(&format!(", {name}: Optional[{ty}] = None"));
        body.push_str(&format!(
            "        if {name} is not None:\n            _arguments[{}] = {name}\n",
            text(key)
        ));
    }
    format!(
        "\n    async def {}({parameters}) -> {answer}:\n{}        _arguments: Dict[str, Any] = {{{}}}\n{body}        return cast({answer}, await self._toolmesh_call({}, _arguments))\n",
        method.name,
        docstring(&method.comment),
        arguments.join(", "),
        text(&method.tool),
    )
}

/// A docstring in which nothing can end the docstring.
fn docstring(lines: &[String]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    let joined = lines
        .iter()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("        {line}")
            }
        })
        .collect::<Vec<_>>()
        .join("\n");
    format!("        \"\"\"{}\n        \"\"\"\n", joined.trim_start())
}

fn returned(result: &Returned, structs: &Structs) -> String {
    match result {
        Returned::Nothing => "None".to_owned(),
        Returned::One(parameter) => type_name(parameter, structs),
        Returned::Several(name) => name.clone(),
    }
}

fn type_name(parameter: &Parameter, structs: &Structs) -> String {
    typed(&parameter.ty, parameter, structs)
}

fn typed(ty: &SolidityType, parameter: &Parameter, structs: &Structs) -> String {
    match ty {
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => {
            format!("List[{}]", typed(item, parameter, structs))
        }
        SolidityType::Tuple(_) => structs.name_of(parameter).to_owned(),
        leaf => Language::Python.type_name(leaf),
    }
}

/// A JSON string is a Python string as well.
fn text(text: &str) -> String {
    Value::from(text).to_text()
}
