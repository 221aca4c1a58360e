//! The names of tools.

use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::{hex, keccak256};

use super::key::cut;
use super::snake_case;
use crate::model::{Function, SolidityType};

/// The most characters of a tool's name. MCP allows 128, but several clients stop at 64.
pub const MAX_TOOL_NAME_CHARS: usize = 64;

/// The tools' names of an interface, by signature.
#[derive(Clone, Debug, Default)]
pub struct ToolNames {
    by_signature: HashMap<String, String>,
}

impl ToolNames {
    /// The name of the tool that calls `function`. `None` only when the interface holds two functions
    /// that no name can tell apart.
    #[must_use]
    pub fn of(&self, function: &Function) -> Option<&str> {
        self.by_signature.get(function.signature()).map(String::as_str)
    }
}

/// How much a name tells about its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `safe_transfer_from`
    Plain,
    /// `safe_transfer_from__address_address_uint256`
    Types,
    /// `safe_transfer_from_42842e0e`
    Selector,
    /// The same with 16 digits of the hash.
    Hash,
    /// There is nothing more to tell.
    Exhausted,
}

impl Form {
    fn next(self) -> Self {
        match self {
            Self::Plain => Self::Types,
            Self::Types => Self::Selector,
            Self::Selector => Self::Hash,
            Self::Hash | Self::Exhausted => Self::Exhausted,
        }
    }
}

/// Names every function of an interface. The result does not depend on the order of the functions.
pub fn tool_names<'a>(functions: impl IntoIterator<Item = &'a Arc<Function>>) -> ToolNames {
    let mut named: Vec<(&Function, Form, String)> = functions
        .into_iter()
        .map(|function| (function.as_ref(), Form::Plain, plain(function)))
        .map(|(function, form, name)| settle(function, form, name))
        .collect();
    while lengthen_equal_names(&mut named) {}
    let by_signature = named
        .into_iter()
        .filter(|(_, form, _)| *form != Form::Exhausted)
        .map(|(function, _, name)| (function.signature().to_owned(), name))
        .collect();
    ToolNames { by_signature }
}

/// Moves every function whose name is not its own to its next form; whether there was one.
fn lengthen_equal_names(named: &mut [(&Function, Form, String)]) -> bool {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, form, name) in named.iter() {
        if *form != Form::Exhausted {
            *counts.entry(name.clone()).or_default() += 1;
        }
    }
    let mut lengthened = false;
    for entry in named.iter_mut() {
        if entry.1 != Form::Exhausted && counts.get(&entry.2).is_some_and(|count| *count > 1) {
            let form = entry.1.next();
            *entry = settle(entry.0, form, spell(entry.0, form));
            lengthened = true;
        }
    }
    lengthened
}

/// The first form from `form` on whose name is short enough.
fn settle(function: &Function, mut form: Form, mut name: String) -> (&Function, Form, String) {
    while name.len() > MAX_TOOL_NAME_CHARS {
        form = if form == Form::Plain {
            Form::Selector
        } else {
            form.next()
        };
        name = spell(function, form);
    }
    (function, form, name)
}

fn spell(function: &Function, form: Form) -> String {
    match form {
        Form::Plain => plain(function),
        Form::Types => format!("{}__{}", plain(function), types(function)),
        Form::Selector => with_hash(function, 4),
        Form::Hash => with_hash(function, 8),
        Form::Exhausted => String::new(),
    }
}

/// The name of a function alone, as far as it is short enough.
pub(crate) fn plain(function: &Function) -> String {
    let name: String = snake_case(&function.name)
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect();
    if name.starts_with(|character: char| character.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

fn types(function: &Function) -> String {
    if function.inputs.is_empty() {
        return "no_arguments".to_owned();
    }
    let words: Vec<String> = function.inputs.iter().map(|input| type_word(&input.ty)).collect();
    words.join("_")
}

fn type_word(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Array(item) => format!("{}_array", type_word(item)),
        SolidityType::FixedArray(item, length) => format!("{}_array{length}", type_word(item)),
        SolidityType::Tuple(_) => "tuple".to_owned(),
        elementary => elementary.to_string(),
    }
}

fn with_hash(function: &Function, bytes: usize) -> String {
    let hash = hex::encode(keccak256(function.signature().as_bytes()));
    let digits = cut(&hash, bytes * 2);
    let room = MAX_TOOL_NAME_CHARS.saturating_sub(digits.len() + 1);
    format!("{}_{digits}", cut(&plain(function), room))
}

/// A snake-case name as words: `balance_of` is `Balance of`.
pub(crate) fn spaced(snake: &str) -> String {
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    let joined = words.join(" ");
    let mut characters = joined.chars();
    characters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_ascii_uppercase(), characters.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mutability, Parameter, parse_type};

    fn function(name: &str, types: &[&str]) -> Arc<Function> {
        let inputs = types
            .iter()
            .map(|text| {
                let ty = parse_type(text).unwrap();
                let canonical = ty.to_string();
                Parameter {
                    name: String::new(),
                    key: String::new(),
                    ty,
                    canonical,
                    internal_type: None,
                    indexed: false,
                }
            })
            .collect();
        Arc::new(Function::new(
            name.to_owned(),
            inputs,
            Vec::new(),
            Mutability::View,
        ))
    }

    fn names(functions: &[Arc<Function>]) -> Vec<String> {
        let names = tool_names(functions);
        functions
            .iter()
            .map(|function| names.of(function).unwrap_or("-").to_owned())
            .collect()
    }

    #[test]
    fn a_function_alone_keeps_its_plain_name() {
        assert_eq!(
            names(&[function("balanceOf", &["address"]), function("$dollar", &[])]),
            ["balance_of", "_dollar"]
        );
    }

    #[test]
    fn every_overload_gets_its_types() {
        let functions = [
            function("safeTransferFrom", &["address", "address", "uint256"]),
            function("safeTransferFrom", &["address", "address", "uint256", "bytes"]),
            function("stop", &[]),
            function("stop", &["uint8[2][]"]),
        ];
        assert_eq!(
            names(&functions),
            [
                "safe_transfer_from__address_address_uint256",
                "safe_transfer_from__address_address_uint256_bytes",
                "stop__no_arguments",
                "stop__uint8_array2_array",
            ]
        );
    }

    #[test]
    fn functions_that_differ_in_case_only_get_their_selectors() {
        let functions = [
            function("balanceOf", &["address"]),
            function("balance_of", &["address"]),
            function("BalanceOf", &["address"]),
        ];
        let names = names(&functions);
        assert_eq!(names[0], "balance_of_70a08231");
        assert!(names.iter().all(|name| name.starts_with("balance_of_")));
    }

    #[test]
    fn names_do_not_depend_on_the_order() {
        let mut functions = vec![
            function("f", &["uint256"]),
            function("f", &["int256"]),
            function("F", &["uint256"]),
            function("f__int256", &[]),
            function("g", &[]),
        ];
        let forward = tool_names(&functions);
        functions.reverse();
        let backward = tool_names(&functions);
        for function in &functions {
            assert_eq!(forward.of(function), backward.of(function));
            assert!(forward.of(function).is_some());
        }
    }

    #[test]
    fn a_name_that_is_too_long_ends_in_its_selector() {
        let at_limit = "a".repeat(MAX_TOOL_NAME_CHARS);
        assert_eq!(names(&[function(&at_limit, &[])]), [at_limit]);
        let over = function(&"a".repeat(MAX_TOOL_NAME_CHARS + 1), &[]);
        let expected = format!("{}_{}", "a".repeat(55), hex::encode(over.selector()));
        assert_eq!(names(&[over]), [expected]);
    }

    #[test]
    fn all_names_are_distinct_and_valid() {
        let long = "x".repeat(70);
        let functions: Vec<_> = ["a", "A", "a_", "$a", "ä", &long, "9"]
            .iter()
            .flat_map(|name| {
                [
                    function(name, &[]),
                    function(name, &["uint8"]),
                    function(name, &["bytes32[]"]),
                ]
            })
            .collect();
        let mut names = names(&functions);
        for name in &names {
            assert!(!name.is_empty() && name.len() <= MAX_TOOL_NAME_CHARS, "{name}");
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                "{name}"
            );
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), functions.len());
    }

    #[test]
    fn snake_case_names_read_as_words() {
        assert_eq!(spaced("balance_of"), "Balance of");
        assert_eq!(spaced("_under_"), "Under");
        assert_eq!(spaced("__"), "");
    }
}
