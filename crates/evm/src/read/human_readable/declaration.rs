//! One declaration, and the entry that a compiler would write for it.

use toolmesh_json::Value;

use super::parameter::{self, Expansion, RawParameter, Structs};
use super::token::{Cursor, Token};
use crate::text::{NAME_CHARS, clean};

/// A declaration as it stands.
#[derive(Debug)]
pub(super) enum Declaration {
    /// `struct Order { address maker; uint256 amount; }`
    Struct {
        name: String,
        members: Vec<RawParameter>,
    },
    /// Everything that becomes an entry.
    Callable {
        kind: &'static str,
        name: Option<String>,
        inputs: Vec<RawParameter>,
        tail: Tail,
    },
}

/// What stands behind the parameters.
#[derive(Debug, Default)]
pub(super) struct Tail {
    mutability: Option<&'static str>,
    outputs: Vec<RawParameter>,
    anonymous: bool,
}

/// What a text that is no declaration was meant to be.
pub(super) fn kind_of(text: &str) -> &'static str {
    let Ok(cursor) = Cursor::new(text) else {
        return "function";
    };
    match cursor.word() {
        Some("event") => "event",
        Some("error") => "error",
        Some("struct") => "struct",
        Some("constructor") => "constructor",
        Some("fallback") => "fallback",
        Some("receive") => "receive",
        _ => "function",
    }
}

/// Parses one declaration. The error is a reason as reports show it.
pub(super) fn parse(text: &str) -> Result<Declaration, String> {
    let mut cursor = Cursor::new(text)?;
    let word = cursor.expect_word()?;
    let named = matches!(cursor.peek(), Some(Token::Word(_)));
    match word {
        "struct" if named => structure(&mut cursor),
        "function" if named => callable("function", &mut cursor, true),
        // The fallback of compilers before 0.6 has no name.
        "function" => callable("fallback", &mut cursor, false),
        "event" if named => callable("event", &mut cursor, true),
        "error" if named => callable("error", &mut cursor, true),
        "constructor" => callable("constructor", &mut cursor, false),
        "fallback" => callable("fallback", &mut cursor, false),
        "receive" => callable("receive", &mut cursor, false),
        name => {
            let name = name.to_owned();
            finish("function", Some(name), &mut cursor)
        }
    }
}

fn structure(cursor: &mut Cursor<'_>) -> Result<Declaration, String> {
    let name = cursor.expect_word()?.to_owned();
    let members = parameter::members(cursor)?;
    cursor.take(';');
    if members.is_empty() {
        return Err("a struct has at least one member".to_owned());
    }
    end(cursor)?;
    Ok(Declaration::Struct { name, members })
}

fn callable(kind: &'static str, cursor: &mut Cursor<'_>, named: bool) -> Result<Declaration, String> {
    let name = if named {
        Some(cursor.expect_word()?.to_owned())
    } else {
        None
    };
    finish(kind, name, cursor)
}

fn finish(kind: &'static str, name: Option<String>, cursor: &mut Cursor<'_>) -> Result<Declaration, String> {
    let inputs = parameter::list(cursor, 0)?;
    let mut tail = Tail::default();
    // As cast writes signatures: the results directly behind the arguments.
    if kind == "function" && cursor.peek() == Some(Token::Mark('(')) {
        tail.outputs = parameter::list(cursor, 0)?;
    }
    while let Some(word) = cursor.word() {
        if !tail.word(kind, word, cursor)? {
            return Err(cursor.unexpected());
        }
    }
    cursor.take(';');
    end(cursor)?;
    Ok(Declaration::Callable {
        kind,
        name,
        inputs,
        tail,
    })
}

fn end(cursor: &Cursor<'_>) -> Result<(), String> {
    match cursor.peek() {
        None => Ok(()),
        Some(_) => Err(cursor.unexpected()),
    }
}

impl Tail {
    /// Takes one word behind the parameters; `false` when it cannot stand there.
    fn word(&mut self, kind: &str, word: &str, cursor: &mut Cursor<'_>) -> Result<bool, String> {
        let is_code = !matches!(kind, "event" | "error");
        match word {
            "anonymous" if kind == "event" => {
                cursor.next();
                self.anonymous = true;
            }
            "external" | "public" | "virtual" if is_code => {
                cursor.next();
            }
            "override" if is_code => {
                cursor.next();
                if cursor.peek() == Some(Token::Mark('(')) {
                    parameter::list(cursor, 0)?;
                }
            }
            "internal" | "private" if is_code && kind != "constructor" => {
                return Err(format!("it is {word}, so it cannot be called from outside"));
            }
            "internal" if kind == "constructor" => {
                cursor.next();
            }
            "returns" if is_code && self.outputs.is_empty() => {
                cursor.next();
                self.outputs = parameter::list(cursor, 0)?;
            }
            _ => match mutability(word).filter(|_| is_code) {
                Some(mutability) => {
                    cursor.next();
                    self.set_mutability(mutability)?;
                }
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn set_mutability(&mut self, mutability: &'static str) -> Result<(), String> {
        match self.mutability.replace(mutability) {
            Some(before) if before != mutability => Err(format!("it is both {before} and {mutability}")),
            _ => Ok(()),
        }
    }
}

fn mutability(word: &str) -> Option<&'static str> {
    Some(match word {
        "pure" => "pure",
        "view" | "constant" => "view",
        "payable" => "payable",
        "nonpayable" => "nonpayable",
        _ => return None,
    })
}

impl Declaration {
    /// The entry of a JSON ABI.
    pub(super) fn to_entry(&self, structs: &Structs) -> Result<Value, String> {
        let Self::Callable {
            kind,
            name,
            inputs,
            tail,
        } = self
        else {
            return Err("a struct is no entry".to_owned());
        };
        let mut expansion = Expansion::new();
        let mut entry = Value::object().put("type", *kind);
        if let Some(name) = name {
            if name.contains('.') {
                return Err(format!("`{}` is no name of a {kind}", clean(name, NAME_CHARS)));
            }
            entry.insert("name", name.as_str());
        }
        entry.insert("inputs", parameter::values(inputs, structs, &mut expansion)?);
        if *kind == "function" {
            entry.insert(
                "outputs",
                parameter::values(&tail.outputs, structs, &mut Expansion::new())?,
            );
        }
        if !matches!(*kind, "event" | "error") {
            entry.insert("stateMutability", tail.mutability.unwrap_or("nonpayable"));
        }
        if *kind == "event" {
            entry.insert("anonymous", tail.anonymous);
        }
        Ok(entry.build())
    }
}
