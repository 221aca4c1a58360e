//! Go.

use super::{CallWords, word};
use crate::model::{Function, SolidityType};
use crate::schema::MAX_NUMBER_BITS;

/// The keywords, the names that every function uses, and the names of the language that a parameter would hide.
pub(super) const RESERVED: [&str; 43] = [
    "any",
    "bool",
    "break",
    "byte",
    "case",
    "chan",
    "const",
    "context",
    "continue",
    "ctx",
    "default",
    "defer",
    "else",
    "error",
    "fallthrough",
    "false",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "int32",
    "interface",
    "iota",
    "len",
    "make",
    "map",
    "new",
    "nil",
    "package",
    "range",
    "return",
    "rune",
    "select",
    "string",
    "struct",
    "switch",
    "true",
    "type",
    "uint32",
    "var",
    "init",
];

pub(super) fn type_name(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Bool => "bool".to_owned(),
        SolidityType::Uint(bits) if *bits <= MAX_NUMBER_BITS => "uint32".to_owned(),
        SolidityType::Int(bits) if *bits <= MAX_NUMBER_BITS => "int32".to_owned(),
        SolidityType::Array(item) => format!("[]{}", type_name(item)),
        SolidityType::FixedArray(item, length) => format!("[{length}]{}", type_name(item)),
        SolidityType::Tuple(_) => "map[string]any".to_owned(),
        _ => "string".to_owned(),
    }
}

pub(super) fn signature(function: &Function, tool_name: &str) -> String {
    let CallWords {
        takes_value,
        is_simulated,
    } = CallWords::of(function);
    let controls = [
        takes_value.then_some(("valueWei", "string")),
        is_simulated.then_some(("simulate", "bool")),
    ];
    let controls: Vec<(&str, &str)> = controls.into_iter().flatten().collect();
    let wishes = function.inputs.iter().map(|input| word::lower_camel(&input.key));
    let names = wishes.chain(controls.iter().map(|(name, _)| (*name).to_owned()));
    let names = word::distinct(names.map(|name| word::identifier(&name, &RESERVED)));
    let types = function
        .inputs
        .iter()
        .map(|input| type_name(&input.ty))
        .chain(controls.iter().map(|(_, ty)| (*ty).to_owned()));
    let parameters: String = names
        .iter()
        .zip(types)
        .map(|(name, ty)| format!(", {name} {ty}"))
        .collect();
    let name = word::identifier(&word::upper_camel(tool_name), &RESERVED);
    format!("{name}(ctx context.Context{parameters}) (map[string]any, error)")
}
