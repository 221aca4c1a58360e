//! Rust, with `serde` and `serde_json`.

use super::plan::{Method, NOTICE, Plan, Returned};
use super::structs::{Struct, Structs};
use crate::hint::{Language, distinct, plain_snake};
use crate::model::{Parameter, SolidityType};

const HEAD: &str = r#"
use std::future::Future;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Why a call did not succeed.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Calls a tool and returns its structured result; with an MCP client, `structuredContent`.
pub trait Call {
    /// Calls one tool.
    fn call(&self, tool: &str, arguments: Value) -> impl Future<Output = Result<Value, Error>> + Send;
}

/// What is rarely needed: who calls, the most gas to spend, the block to read at (only for reads).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gas_limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
}

/// What a call takes beside its arguments. `simulate` is true unless it is said to be false.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub simulate: Option<bool>,
    pub value_wei: Option<String>,
    pub transaction: Option<Transaction>,
}

/// An event that a call emits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub name: Option<String>,
    pub address: String,
    #[serde(default)]
    pub args: Value,
}

/// What a read answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Read<T> {
    pub result: T,
    pub block_number: u64,
}

/// What a write answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written<T> {
    pub simulated: bool,
    pub success: bool,
    pub result: Option<T>,
    pub gas_estimate: Option<u64>,
    pub gas_price: Option<String>,
    pub tx_hash: Option<String>,
    pub gas_used: Option<u64>,
    pub effective_gas_price: Option<String>,
    pub cost_wei: Option<String>,
    pub cost_formatted: Option<String>,
    pub block_number: Option<u64>,
    #[serde(default)]
    pub events: Vec<Event>,
    pub note: Option<String>,
}

fn put<T: Serialize>(arguments: &mut Map<String, Value>, key: &str, value: &T) -> Result<(), Error> {
    arguments.insert(key.to_owned(), serde_json::to_value(value)?);
    Ok(())
}

async fn finish<C: Call, T: DeserializeOwned>(call: &C, tool: &str, arguments: Map<String, Value>) -> Result<T, Error> {
    Ok(serde_json::from_value(call.call(tool, Value::Object(arguments)).await?)?)
}
"#;

/// The most arguments that clippy has nothing to say about.
const MAX_ARGUMENTS: usize = 7;

/// The longest array that serde knows.
const MAX_ARRAY: usize = 32;

pub(super) fn render(plan: &Plan) -> String {
    let mut out = format!("// {NOTICE}\n{HEAD}");
    for structure in plan.structs.iter() {
        out.push_str(&render_struct(structure, &plan.structs));
    }
    let title = &plan.title;
    out.push_str(&format!(
        "\n/// The tools, as methods.\n#[derive(Clone, Debug)]\npub struct {title}<C> {{\n    call: C,\n}}\n\nimpl<C: Call> {title}<C> {{\n    pub fn new(call: C) -> Self {{\n        Self {{ call }}\n    }}\n"
    ));
    for method in &plan.methods {
        out.push_str(&render_method(method, &plan.structs));
    }
    out.push_str("}\n");
    out
}

fn render_struct(structure: &Struct, structs: &Structs) -> String {
    let names = distinct(structure.members.iter().map(|member| field_name(&member.key)));
    let members: String = structure
        .members
        .iter()
        .zip(names)
        .map(|(member, name)| {
            format!(
                "    #[serde(rename = \"{}\")]\n    pub {name}: {},\n",
                member.key,
                type_name(member, structs)
            )
        })
        .collect();
    format!(
        "\n#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]\npub struct {} {{\n{members}}}\n",
        structure.name
    )
}

fn render_method(method: &Method, structs: &Structs) -> String {
    let inputs = &method.function.inputs;
    let wishes = inputs.iter().map(|input| field_name(&input.key));
    let used = ["arguments", "options"].into_iter().map(str::to_owned);
    let names: Vec<String> = distinct(used.chain(wishes)).into_iter().skip(2).collect();
    let mut parameters = String::from("&self");
    let mut puts = String::new();
    for (name, input) in names.iter().zip(inputs) {
        parameters.push_str(&format!(", {name}: {}", type_name(input, structs)));
        puts.push_str(&format!(
            "        put(&mut arguments, \"{}\", &{name})?;\n",
            input.key
        ));
    }
    let controls = [
        method.controls.simulate.as_deref().map(|key| (key, "simulate")),
        method.controls.value.as_deref().map(|key| (key, "value_wei")),
        Some((method.controls.tx.as_str(), "transaction")),
    ];
    for (key, option) in controls.into_iter().flatten() {
        puts.push_str(&format!(
            "        if let Some(value) = &options.{option} {{\n            put(&mut arguments, \"{key}\", value)?;\n        }}\n"
        ));
    }
    let shape = if method.is_read() { "Read" } else { "Written" };
    let comment: String = method
        .comment
        .iter()
        .map(|line| format!("    /// {line}").trim_end().to_owned() + "\n")
        .collect();
    let excuse = if inputs.len() + 2 > MAX_ARGUMENTS {
        "    #[expect(clippy::too_many_arguments)]\n"
    } else {
        ""
    };
    format!(
        "\n{comment}{excuse}    pub async fn {}({parameters}, options: Options) -> Result<{shape}<{}>, Error> {{\n        let mut arguments = Map::new();\n{puts}        finish(&self.call, \"{}\", arguments).await\n    }}\n",
        method.name,
        returned(&method.result, structs),
        method.tool,
    )
}

fn field_name(key: &str) -> String {
    Language::Rust.identifier(&plain_snake(key))
}

fn returned(result: &Returned, structs: &Structs) -> String {
    match result {
        Returned::Nothing => "()".to_owned(),
        Returned::One(parameter) => type_name(parameter, structs),
        Returned::Several(name) => name.clone(),
    }
}

fn type_name(parameter: &Parameter, structs: &Structs) -> String {
    typed(&parameter.ty, parameter, structs)
}

fn typed(ty: &SolidityType, parameter: &Parameter, structs: &Structs) -> String {
    match ty {
        SolidityType::FixedArray(item, length) if *length <= MAX_ARRAY => {
            format!("[{}; {length}]", typed(item, parameter, structs))
        }
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => {
            format!("Vec<{}>", typed(item, parameter, structs))
        }
        SolidityType::Tuple(_) => structs.name_of(parameter).to_owned(),
        leaf => Language::Rust.type_name(leaf),
    }
}
