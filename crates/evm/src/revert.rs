//! What a revert means.
//!
//! In order: no data at all; `Error(string)` and `Panic(uint256)`, which the language itself emits; the
//! errors of the interface; and what nobody here knows.

use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::{Selector, U256, hex};
use toolmesh_json::{Pointer, Value};

use crate::model::{ErrorEntry, Interface, Parameter, parse_type};
use crate::text::{COMMENT_CHARS, NAME_CHARS, clean};
use crate::value::{InvalidUtf8, SolidityValue, decode, members_to_json};

const ERROR_STRING: Selector = Selector::new([0x08, 0xc3, 0x79, 0xa0]);
const PANIC: Selector = Selector::new([0x4e, 0x48, 0x7b, 0x71]);

/// Which sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevertKind {
    /// An error that the interface declares.
    Custom,
    /// `require(false, "reason")` or `revert("reason")`.
    String,
    /// A check that the compiler put in failed.
    Panic,
    /// No data: a bare `revert()`, or a call that no function of the contract takes.
    Empty,
    /// Data that the interface does not explain.
    Unknown,
    /// The execution was stopped: out of gas, an invalid instruction.
    Halted,
}

impl RevertKind {
    /// The word in results: `custom`, `string`, `panic`, `empty`, `unknown` or `halted`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Custom => "custom",
            Self::String => "string",
            Self::Panic => "panic",
            Self::Empty => "empty",
            Self::Unknown => "unknown",
            Self::Halted => "halted",
        }
    }
}

/// A revert, explained.
#[derive(Clone, Debug)]
pub struct Revert {
    /// Which sort.
    pub kind: RevertKind,
    /// The error's name, when it has one.
    pub name: Option<String>,
    /// Its arguments by name.
    pub args: Option<Value>,
    /// The first four bytes of the data.
    pub selector: Option<Selector>,
    /// All of the data.
    pub data: Vec<u8>,
    /// What happened, in one line, for people and models.
    pub message: String,
    invalid_utf8: Option<Value>,
}

impl Revert {
    /// An execution that was stopped without data.
    #[must_use]
    pub fn halted(reason: &str) -> Self {
        Self::bare(
            RevertKind::Halted,
            &[],
            format!("the execution was stopped: {}", clean(reason, COMMENT_CHARS)),
        )
    }

    fn bare(kind: RevertKind, data: &[u8], message: String) -> Self {
        let selector = selector_of(data);
        Self {
            kind,
            name: None,
            args: None,
            selector,
            data: data.to_vec(),
            message,
            invalid_utf8: None,
        }
    }

    /// `{"kind", "name", "args", "selector", "data", "message"}`, without what does not apply.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::object()
            .put("kind", self.kind.as_str())
            .put_opt("name", self.name.clone())
            .put_opt("args", self.args.clone())
            .put_opt("selector", self.selector.map(hex::encode_prefixed))
            .put("data", hex::encode_prefixed(&self.data))
            .put("message", self.message.as_str())
            .put_opt("invalid_utf8", self.invalid_utf8.clone())
            .build()
    }
}

/// The errors that an interface declares.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    by_selector: HashMap<Selector, Vec<Arc<ErrorEntry>>>,
}

impl Errors {
    /// The errors of an interface.
    #[must_use]
    pub fn of(interface: &Interface) -> Self {
        let mut by_selector: HashMap<Selector, Vec<Arc<ErrorEntry>>> = HashMap::new();
        for error in interface.errors() {
            by_selector
                .entry(error.selector())
                .or_default()
                .push(Arc::clone(error));
        }
        Self { by_selector }
    }

    /// Explains the data of a revert.
    #[must_use]
    pub fn explain(&self, data: &[u8]) -> Revert {
        let Some(selector) = selector_of(data) else {
            let message = if data.is_empty() {
                "the contract gave no reason".to_owned()
            } else {
                "the contract gave data that is no error".to_owned()
            };
            let kind = if data.is_empty() {
                RevertKind::Empty
            } else {
                RevertKind::Unknown
            };
            return Revert::bare(kind, data, message);
        };
        let body = data.get(4..).unwrap_or_default();
        let builtin = match selector {
            ERROR_STRING => error_string(data, body),
            PANIC => panic(data, body),
            _ => None,
        };
        builtin
            .or_else(|| self.custom(selector, data, body))
            .unwrap_or_else(|| {
                let message = format!("an error that the interface does not declare, selector {selector}");
                Revert::bare(RevertKind::Unknown, data, message)
            })
    }

    fn custom(&self, selector: Selector, data: &[u8], body: &[u8]) -> Option<Revert> {
        let candidates = self.by_selector.get(&selector)?;
        candidates.iter().find_map(|error| {
            let values = decode(&error.inputs, body).ok()?;
            Some(custom_revert(error, &values, data))
        })
    }
}

fn selector_of(data: &[u8]) -> Option<Selector> {
    data.first_chunk::<4>().map(|bytes| Selector::new(*bytes))
}

fn custom_revert(error: &ErrorEntry, values: &[SolidityValue], data: &[u8]) -> Revert {
    let mut invalid = InvalidUtf8::default();
    let args = members_to_json(
        &error.inputs,
        values,
        &mut Pointer::root().join("args"),
        &mut invalid,
    );
    let shown: Vec<String> = args
        .as_object()
        .into_iter()
        .flat_map(|members| members.iter())
        .map(|(key, value)| {
            format!(
                "{key}: {}",
                value.as_str().map_or_else(|| value.to_text(), str::to_owned)
            )
        })
        .collect();
    let mut message = clean(&format!("{}({})", error.name, shown.join(", ")), COMMENT_CHARS);
    if let Some(notice) = &error.documentation.notice {
        message.push_str(": ");
        message.push_str(&clean(notice, COMMENT_CHARS));
    }
    Revert {
        name: Some(clean(&error.name, NAME_CHARS)),
        args: Some(args),
        invalid_utf8: invalid.to_value(),
        ..Revert::bare(RevertKind::Custom, data, message)
    }
}

/// `Error(string)`
fn error_string(data: &[u8], body: &[u8]) -> Option<Revert> {
    let fields = [builtin_field("message", "string")?];
    let values = decode(&fields, body).ok()?;
    let mut invalid = InvalidUtf8::default();
    let args = members_to_json(&fields, &values, &mut Pointer::root().join("args"), &mut invalid);
    let message = clean(
        args.get("message")
            .and_then(|text| text.as_str())
            .unwrap_or_default(),
        COMMENT_CHARS,
    );
    Some(Revert {
        name: Some("Error".to_owned()),
        args: Some(args),
        invalid_utf8: invalid.to_value(),
        ..Revert::bare(RevertKind::String, data, message)
    })
}

/// `Panic(uint256)`
fn panic(data: &[u8], body: &[u8]) -> Option<Revert> {
    let fields = [builtin_field("code", "uint256")?];
    let values = decode(&fields, body).ok()?;
    let [SolidityValue::Uint(code)] = values.as_slice() else {
        return None;
    };
    let args = members_to_json(
        &fields,
        &values,
        &mut Pointer::root(),
        &mut InvalidUtf8::default(),
    );
    let message = format!("Panic 0x{code:02x}: {}", panic_meaning(*code));
    Some(Revert {
        name: Some("Panic".to_owned()),
        args: Some(args),
        ..Revert::bare(RevertKind::Panic, data, message)
    })
}

fn builtin_field(name: &str, text: &str) -> Option<Parameter> {
    let ty = parse_type(text).ok()?;
    Some(Parameter {
        name: name.to_owned(),
        key: name.to_owned(),
        ty,
        canonical: text.to_owned(),
        internal_type: None,
        indexed: false,
    })
}

/// The codes of the Solidity documentation, "Panic via assert and Error via require".
fn panic_meaning(code: U256) -> &'static str {
    match u8::try_from(code).unwrap_or(u8::MAX) {
        0x00 => "a check of the compiler itself failed",
        0x01 => "an assertion failed",
        0x11 => "an arithmetic operation overflowed or underflowed",
        0x12 => "a division or modulo by zero",
        0x21 => "a number that is no value of its enum",
        0x22 => "a byte array in storage that is not encoded correctly",
        0x31 => "pop on an empty array",
        0x32 => "an index outside of its array",
        0x41 => "too much memory, or an array that is too large",
        0x51 => "a call of a function variable that was never set",
        _ => "a code that the language does not define",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    fn explain(data: &str) -> Revert {
        let abi = br#"[{"type":"error","name":"Denied","inputs":[{"name":"who","type":"address"},{"name":"why","type":"string"}]},
            {"type":"error","name":"Bare","inputs":[]}]"#;
        Errors::of(&read(abi).unwrap()).explain(&hex::decode(data).unwrap())
    }

    fn word(number: u64) -> String {
        format!("{number:064x}")
    }

    #[test]
    fn an_error_of_the_interface_is_told_with_its_arguments() {
        let selector = hex::encode(ErrorEntry::new("Bare".to_owned(), Vec::new()).selector());
        let bare = explain(&selector);
        assert_eq!((bare.kind, bare.message.as_str()), (RevertKind::Custom, "Bare()"));
        let error =
            read(br#"[{"type":"error","name":"Denied","inputs":[{"type":"address"},{"type":"string"}]}]"#)
                .unwrap();
        let selector = hex::encode(error.errors().next().unwrap().selector());
        let data = format!(
            "{selector}{}{}{}6e6f000000000000000000000000000000000000000000000000000000000000",
            word(5),
            word(64),
            word(2)
        );
        let denied = explain(&data);
        assert_eq!(
            denied.message,
            "Denied(who: 0x0000000000000000000000000000000000000005, why: no)"
        );
        assert_eq!(
            denied.args.unwrap().to_text(),
            r#"{"who":"0x0000000000000000000000000000000000000005","why":"no"}"#
        );
    }

    #[test]
    fn the_errors_of_the_language_are_known() {
        let text = explain(&format!(
            "08c379a0{}{}6e6f000000000000000000000000000000000000000000000000000000000000",
            word(32),
            word(2)
        ));
        assert_eq!((text.kind, text.message.as_str()), (RevertKind::String, "no"));
        let panic = explain(&format!("4e487b71{}", word(0x11)));
        assert_eq!(panic.kind, RevertKind::Panic);
        assert_eq!(
            panic.message,
            "Panic 0x11: an arithmetic operation overflowed or underflowed"
        );
        assert_eq!(panic.args.unwrap().to_text(), r#"{"code":"17"}"#);
    }

    #[test]
    fn what_is_not_known_is_told_as_it_is() {
        assert_eq!(explain("").kind, RevertKind::Empty);
        assert_eq!(explain("00").kind, RevertKind::Unknown);
        let unknown = explain("deadbeef01");
        assert_eq!(unknown.kind, RevertKind::Unknown);
        assert_eq!(
            unknown.to_value().to_text(),
            r#"{"kind":"unknown","selector":"0xdeadbeef","data":"0xdeadbeef01","message":"an error that the interface does not declare, selector 0xdeadbeef"}"#
        );
        assert_eq!(explain("08c379a0").kind, RevertKind::Unknown);
    }
}
