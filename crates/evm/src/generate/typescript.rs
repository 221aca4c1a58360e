//! TypeScript.

use toolmesh_json::Value;

use super::plan::{Method, NOTICE, Plan, Returned};
use super::structs::Structs;
use crate::hint::{Language, property};
use crate::model::{Parameter, SolidityType};

const HEAD: &str = r"
/** Calls a tool and returns its structured result; with an MCP client, `structuredContent`. */
export type Call = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

/** What is rarely needed: who calls, the most gas to spend, the block to read at (only for reads). */
export interface Transaction {
  from?: string;
  gas_limit?: number;
  block?: number;
}

/** What a call takes beside its arguments. `simulate` is true unless it is said to be false. */
export interface Options {
  simulate?: boolean;
  value_wei?: string;
  tx?: Transaction;
}

export interface Event {
  name: string | null;
  address: string;
  args?: Record<string, unknown>;
}

export interface Read<T> {
  result: T;
  block_number: number;
}

export interface Written<T> {
  simulated: boolean;
  success: boolean;
  result?: T;
  gas_estimate?: number;
  gas_price?: string;
  tx_hash?: string;
  gas_used?: number;
  effective_gas_price?: string;
  cost_wei?: string;
  cost_formatted?: string;
  block_number?: number;
  events?: Event[];
  note?: string;
}
";

/// The longest array whose length stands in its type.
const MAX_TUPLE: usize = 8;

pub(super) fn render(plan: &Plan) -> String {
    let mut out = format!("// {NOTICE}\n{HEAD}");
    for structure in plan.structs.iter() {
        let members: String = structure
            .members
            .iter()
            .map(|member| {
                format!(
                    "  {}: {};\n",
                    property(&member.key),
                    type_name(member, &plan.structs)
                )
            })
            .collect();
        out.push_str(&format!(
            "\nexport interface {} {{\n{members}}}\n",
            structure.name
        ));
    }
    out.push_str(&format!(
        "\nexport class {} {{\n  readonly #call: Call;\n\n  constructor(call: Call) {{\n    this.#call = call;\n  }}\n",
        plan.title
    ));
    for method in &plan.methods {
        out.push_str(&render_method(method, &plan.structs));
    }
    out.push_str("}\n");
    out
}

fn render_method(method: &Method, structs: &Structs) -> String {
    let inputs = &method.function.inputs;
    let members: Vec<String> = inputs
        .iter()
        .map(|input| format!("{}: {}", property(&input.key), type_name(input, structs)))
        .collect();
    let (parameter, copied) = if members.is_empty() {
        (String::new(), "{}")
    } else {
        (format!("args: {{ {} }}, ", members.join("; ")), "{ ...args }")
    };
    let controls = [
        method.controls.simulate.as_deref().map(|key| (key, "simulate")),
        method.controls.value.as_deref().map(|key| (key, "value_wei")),
        Some((method.controls.tx.as_str(), "tx")),
    ];
    let puts: String = controls
        .into_iter()
        .flatten()
        .map(|(key, option)| {
            format!(
                "    if (options.{option} !== undefined) call[{}] = options.{option};\n",
                text(key)
            )
        })
        .collect();
    let shape = if method.is_read() { "Read" } else { "Written" };
    let answer = format!("{shape}<{}>", returned(&method.result, structs));
    format!(
        "\n{}  async {}({parameter}options: Options = {{}}): Promise<{answer}> {{\n    const call: Record<string, unknown> = {copied};\n{puts}    return (await this.#call({}, call)) as {answer};\n  }}\n",
        comment(&method.comment),
        method.name,
        text(&method.tool),
    )
}

/// A comment in which nothing can end the comment.
fn comment(lines: &[String]) -> String {
    let lines: String = lines
        .iter()
        .map(|line| {
            format!("   * {}", line.replace("*/", "* /"))
                .trim_end()
                .to_owned()
                + "\n"
        })
        .collect();
    format!("  /**\n{lines}   */\n")
}

fn returned(result: &Returned, structs: &Structs) -> String {
    match result {
        Returned::Nothing => "null".to_owned(),
        Returned::One(parameter) => type_name(parameter, structs),
        Returned::Several(name) => name.clone(),
    }
}

fn type_name(parameter: &Parameter, structs: &Structs) -> String {
    typed(&parameter.ty, parameter, structs)
}

fn typed(ty: &SolidityType, parameter: &Parameter, structs: &Structs) -> String {
    match ty {
        SolidityType::FixedArray(item, length) if *length <= MAX_TUPLE => {
            format!("[{}]", vec![typed(item, parameter, structs); *length].join(", "))
        }
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => {
            format!("{}[]", typed(item, parameter, structs))
        }
        SolidityType::Tuple(_) => structs.name_of(parameter).to_owned(),
        leaf => Language::TypeScript.type_name(leaf),
    }
}

/// A JSON string is a TypeScript string as well.
fn text(text: &str) -> String {
    Value::from(text).to_text()
}
