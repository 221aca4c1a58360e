//! What types, names and functions are in programming languages.
//!
//! A hint describes the published form of values: integers over 32 bits are text, structs are objects.

mod go;
mod python;
mod rust;
mod typescript;
mod word;

pub(crate) use typescript::property;
pub(crate) use word::{distinct, lower_camel, plain_snake, upper_camel};

use crate::mapper::ToolKind;
use crate::model::{Function, SolidityType};

/// A programming language that client code may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with the names of the `typing` module.
    Python,
    /// TypeScript.
    TypeScript,
    /// Rust, with `serde_json`.
    Rust,
    /// Go.
    Go,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Python, Self::TypeScript, Self::Rust, Self::Go];

    /// The type of a value: for `address[]` it is `List[str]`, `string[]`, `Vec<String>` and `[]string`.
    #[must_use]
    pub fn type_name(self, ty: &SolidityType) -> String {
        match self {
            Self::Python => python::type_name(ty),
            Self::TypeScript => typescript::type_name(ty),
            Self::Rust => rust::type_name(ty),
            Self::Go => go::type_name(ty),
        }
    }

    /// `name` as an identifier: characters that cannot stand in one become `_`, and a word that the language
    /// reserves gets `_` behind it.
    #[must_use]
    pub fn identifier(self, name: &str) -> String {
        let reserved = match self {
            Self::Python => python::RESERVED.as_slice(),
            Self::TypeScript => &typescript::RESERVED,
            Self::Rust => &rust::RESERVED,
            Self::Go => &go::RESERVED,
        };
        word::identifier(name, reserved)
    }

    /// How a function that calls the tool `tool_name` is declared.
    ///
    /// In Python: `async def transfer_from(from_: str, to: str, amount: str, simulate: bool = True) ->
    /// Dict[str, Any]`.
    #[must_use]
    pub fn signature(self, function: &Function, tool_name: &str) -> String {
        match self {
            Self::Python => python::signature(function, tool_name),
            Self::TypeScript => typescript::signature(function, tool_name),
            Self::Rust => rust::signature(function, tool_name),
            Self::Go => go::signature(function, tool_name),
        }
    }
}

/// What a call takes beside the function's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CallWords {
    takes_value: bool,
    is_simulated: bool,
}

impl CallWords {
    fn of(function: &Function) -> Self {
        let kind = ToolKind::of(function.mutability);
        Self {
            takes_value: kind == ToolKind::WritePayable,
            is_simulated: kind != ToolKind::Read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mutability, Parameter, parse_type};

    fn types(language: Language) -> Vec<String> {
        [
            "address",
            "bool",
            "uint8",
            "uint256",
            "int24",
            "bytes32",
            "address[]",
            "uint256[2][]",
        ]
        .into_iter()
        .map(|text| language.type_name(&parse_type(text).unwrap()))
        .collect()
    }

    #[test]
    fn types_have_a_name_in_every_language() {
        assert_eq!(
            types(Language::Python),
            [
                "str",
                "bool",
                "int",
                "str",
                "int",
                "str",
                "List[str]",
                "List[List[str]]"
            ]
        );
        assert_eq!(
            types(Language::TypeScript),
            [
                "string",
                "boolean",
                "number",
                "string",
                "number",
                "string",
                "string[]",
                "[string, string][]"
            ]
        );
        assert_eq!(
            types(Language::Rust),
            [
                "String",
                "bool",
                "u32",
                "String",
                "i32",
                "String",
                "Vec<String>",
                "Vec<[String; 2]>"
            ]
        );
        assert_eq!(
            types(Language::Go),
            [
                "string",
                "bool",
                "uint32",
                "string",
                "int32",
                "string",
                "[]string",
                "[][2]string"
            ]
        );
    }

    #[test]
    fn functions_are_declared_in_every_language() {
        let address = || SolidityType::Address;
        let inputs = vec![
            Parameter::new("from", address()),
            Parameter::new("type", SolidityType::Uint(8)),
            Parameter::new("self", SolidityType::Bool),
        ];
        let function = Function::new("payFor".to_owned(), inputs, Vec::new(), Mutability::Payable);
        let declared: Vec<String> = Language::ALL
            .into_iter()
            .map(|language| language.signature(&function, "pay_for"))
            .collect();
        assert_eq!(
            declared,
            [
                r#"async def pay_for(from_: str, type_: int, self_: bool, value_wei: str = "0", simulate: bool = True) -> Dict[str, Any]"#,
                "payFor(args: { from: string; type: number; self: boolean; value_wei?: string; simulate?: boolean }): Promise<Record<string, unknown>>",
                "async fn pay_for(&self, from: String, type_: u32, self_: bool, value_wei: Option<String>, simulate: Option<bool>) -> Result<serde_json::Value, Error>",
                "PayFor(ctx context.Context, from string, type_ uint32, self bool, valueWei string, simulate bool) (map[string]any, error)",
            ]
        );
    }

    #[test]
    fn names_that_are_no_identifiers_become_some() {
        for language in Language::ALL {
            for name in ["", "9", "a b", "ä", "\");import os", "class", "for", "_"] {
                let identifier = language.identifier(name);
                assert!(
                    identifier
                        .chars()
                        .all(|character| character.is_ascii_alphanumeric() || character == '_')
                        && !identifier.starts_with(|first: char| first.is_ascii_digit())
                        && identifier.chars().any(|character| character != '_'),
                    "{name} {identifier}"
                );
            }
            assert_eq!(language.identifier("for"), "for_");
        }
    }
}
