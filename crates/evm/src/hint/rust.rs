//! Rust.

use super::{CallWords, word};
use crate::model::{Function, SolidityType};
use crate::name::snake_case;
use crate::schema::MAX_NUMBER_BITS;

/// The keywords of the 2024 edition, those that are kept for later, and names of the prelude that are written
/// in lower case.
pub(super) const RESERVED: [&str; 53] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

pub(super) fn type_name(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Bool => "bool".to_owned(),
        SolidityType::Uint(bits) if *bits <= MAX_NUMBER_BITS => "u32".to_owned(),
        SolidityType::Int(bits) if *bits <= MAX_NUMBER_BITS => "i32".to_owned(),
        SolidityType::Array(item) => format!("Vec<{}>", type_name(item)),
        SolidityType::FixedArray(item, length) => format!("[{}; {length}]", type_name(item)),
        SolidityType::Tuple(_) => "serde_json::Value".to_owned(),
        _ => "String".to_owned(),
    }
}

pub(super) fn signature(function: &Function, tool_name: &str) -> String {
    let CallWords {
        takes_value,
        is_simulated,
    } = CallWords::of(function);
    let wishes = function.inputs.iter().map(|input| snake_case(&input.key));
    let controls = [
        takes_value.then_some(("value_wei", "Option<String>")),
        is_simulated.then_some(("simulate", "Option<bool>")),
    ];
    let controls: Vec<(&str, &str)> = controls.into_iter().flatten().collect();
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
        .map(|(name, ty)| format!(", {name}: {ty}"))
        .collect();
    let name = word::identifier(tool_name, &RESERVED);
    format!("async fn {name}(&self{parameters}) -> Result<serde_json::Value, Error>")
}
