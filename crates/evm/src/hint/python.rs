//! Python.

use super::{CallWords, word};
use crate::mapper::python_names;
use crate::model::{Function, SolidityType};
use crate::schema::MAX_NUMBER_BITS;

/// The keywords of Python 3.12, those that are keywords in some places only, and the first argument of methods.
pub(super) const RESERVED: [&str; 40] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "type", "while",
    "with", "yield", "print",
];

pub(super) fn type_name(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Bool => "bool".to_owned(),
        SolidityType::Uint(bits) | SolidityType::Int(bits) if *bits <= MAX_NUMBER_BITS => "int".to_owned(),
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => format!("List[{}]", type_name(item)),
        SolidityType::Tuple(_) => "Dict[str, Any]".to_owned(),
        _ => "str".to_owned(),
    }
}

pub(super) fn signature(function: &Function, tool_name: &str) -> String {
    let names = python_names(&function.inputs);
    let mut parameters: Vec<String> = names
        .iter()
        .zip(&function.inputs)
        .map(|(name, input)| format!("{name}: {}", type_name(&input.ty)))
        .collect();
    let CallWords {
        takes_value,
        is_simulated,
    } = CallWords::of(function);
    let free = |name: &str| {
        let mut name = name.to_owned();
        while names.contains(&name) {
            name.insert_str(0, "tx_");
        }
        name
    };
    if takes_value {
        parameters.push(format!("{}: str = \"0\"", free("value_wei")));
    }
    if is_simulated {
        parameters.push(format!("{}: bool = True", free("simulate")));
    }
    let name = word::identifier(tool_name, &RESERVED);
    format!("async def {name}({}) -> Dict[str, Any]", parameters.join(", "))
}
