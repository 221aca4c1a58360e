//! TypeScript.

use toolmesh_json::Value;

use super::word;
use crate::model::{Function, Parameter, SolidityType};
use crate::schema::{Controls, MAX_NUMBER_BITS};

/// The words that strict code cannot use for a variable or a function, and those that mean something else there.
pub(super) const RESERVED: [&str; 49] = [
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "yield",
];

/// The longest array whose length stands in its type.
const MAX_TUPLE: usize = 8;

pub(super) fn type_name(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Bool => "boolean".to_owned(),
        SolidityType::Uint(bits) | SolidityType::Int(bits) if *bits <= MAX_NUMBER_BITS => "number".to_owned(),
        SolidityType::FixedArray(item, length) if *length <= MAX_TUPLE => {
            format!("[{}]", vec![type_name(item); *length].join(", "))
        }
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => format!("{}[]", type_name(item)),
        SolidityType::Tuple(members) => object(members.iter().map(member), "{}"),
        _ => "string".to_owned(),
    }
}

pub(super) fn signature(function: &Function, tool_name: &str) -> String {
    let controls = Controls::of(function);
    let value = controls.value.map(|key| format!("{}?: string", property(&key)));
    let simulate = controls
        .simulate
        .map(|key| format!("{}?: boolean", property(&key)));
    let members = function.inputs.iter().map(member).chain(value).chain(simulate);
    let name = word::identifier(&word::lower_camel(tool_name), &RESERVED);
    format!(
        "{name}(args: {}): Promise<Record<string, unknown>>",
        object(members, "Record<string, never>")
    )
}

fn member(parameter: &Parameter) -> String {
    format!("{}: {}", property(&parameter.key), type_name(&parameter.ty))
}

fn object(members: impl Iterator<Item = String>, empty: &str) -> String {
    let members: Vec<String> = members.collect();
    if members.is_empty() {
        empty.to_owned()
    } else {
        format!("{{ {} }}", members.join("; "))
    }
}

/// A property's name, in quotes unless it is an identifier. Any word may be a property's name.
pub(crate) fn property(key: &str) -> String {
    let is_identifier = !key.is_empty()
        && key
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
        && !key.starts_with(|first: char| first.is_ascii_digit());
    if is_identifier {
        key.to_owned()
    } else {
        Value::from(key).to_text()
    }
}
