//! Parameters in Solidity's own words, and what a compiler would write for them.

use std::collections::HashMap;

use toolmesh_json::Value;

use super::token::{Cursor, Token};
use crate::model::{MAX_PARAMETERS, MAX_TUPLE_DEPTH, TypeError, parse_type};
use crate::text::{NAME_CHARS, clean};

/// The structs of an interface by their names.
pub(super) type Structs = HashMap<String, Vec<RawParameter>>;

/// A parameter as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawParameter {
    ty: RawType,
    /// `[2][]`
    dimensions: String,
    name: String,
    indexed: bool,
    storage: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RawType {
    Named(String),
    Members(Vec<RawParameter>),
}

/// A list in parentheses.
pub(super) fn list(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<RawParameter>, String> {
    if depth > MAX_TUPLE_DEPTH {
        return Err(TypeError::TupleDepth.to_string());
    }
    cursor.expect('(')?;
    let mut parameters = Vec::new();
    if cursor.take(')') {
        return Ok(parameters);
    }
    loop {
        parameters.push(parameter(cursor, depth)?);
        if cursor.take(')') {
            return Ok(parameters);
        }
        cursor.expect(',')?;
    }
}

/// The members of a struct in braces, each ended by `;`.
pub(super) fn members(cursor: &mut Cursor<'_>) -> Result<Vec<RawParameter>, String> {
    cursor.expect('{')?;
    let mut members = Vec::new();
    while !cursor.take('}') {
        members.push(parameter(cursor, 0)?);
        cursor.expect(';')?;
    }
    Ok(members)
}

fn parameter(cursor: &mut Cursor<'_>, depth: usize) -> Result<RawParameter, String> {
    let ty = if cursor.peek() == Some(Token::Mark('(')) {
        RawType::Members(list(cursor, depth + 1)?)
    } else if cursor.word() == Some("tuple") && cursor.peek_second() == Some(Token::Mark('(')) {
        cursor.next();
        RawType::Members(list(cursor, depth + 1)?)
    } else {
        RawType::Named(cursor.expect_word()?.to_owned())
    };
    let mut parameter = RawParameter {
        ty,
        dimensions: String::new(),
        name: String::new(),
        indexed: false,
        storage: false,
    };
    parameter.address_payable(cursor);
    parameter.dimensions = dimensions(cursor)?;
    parameter.words(cursor);
    Ok(parameter)
}

fn dimensions(cursor: &mut Cursor<'_>) -> Result<String, String> {
    let mut dimensions = String::new();
    while cursor.take('[') {
        let length = match cursor.word() {
            Some(length) => {
                cursor.next();
                length
            }
            None => "",
        };
        cursor.expect(']')?;
        dimensions.push_str(&format!("[{length}]"));
    }
    Ok(dimensions)
}

impl RawParameter {
    fn address_payable(&mut self, cursor: &mut Cursor<'_>) {
        let is_address = matches!(&self.ty, RawType::Named(name) if name == "address");
        if is_address && cursor.word() == Some("payable") {
            cursor.next();
        }
    }

    /// What may stand behind a type: where the value is kept, whether it is indexed, its name.
    fn words(&mut self, cursor: &mut Cursor<'_>) {
        while let Some(word) = cursor.word() {
            cursor.next();
            match word {
                "memory" | "calldata" => {}
                "storage" => self.storage = true,
                "indexed" => self.indexed = true,
                name => {
                    self.name = name.to_owned();
                    return;
                }
            }
        }
    }

    /// The parameter as a compiler writes it.
    pub(super) fn to_value(&self, structs: &Structs, expansion: &mut Expansion<'_>) -> Result<Value, String> {
        expansion.count()?;
        let storage = if self.storage { " storage" } else { "" };
        let parameter = Value::object().put("name", self.name.as_str());
        let parameter = match &self.ty {
            RawType::Members(members) => parameter
                .put("type", format!("tuple{}{storage}", self.dimensions))
                .put("components", values(members, structs, expansion)?),
            RawType::Named(name) => match structs.get(name).filter(|_| is_source_name(name)) {
                Some(members) => {
                    let components =
                        expansion.inside(name, |expansion| values(members, structs, expansion))?;
                    parameter
                        .put("type", format!("tuple{}{storage}", self.dimensions))
                        .put("internalType", format!("struct {name}{}", self.dimensions))
                        .put("components", components)
                }
                None => parameter.put("type", format!("{name}{}{storage}", self.dimensions)),
            },
        };
        Ok(if self.indexed {
            parameter.put("indexed", true).build()
        } else {
            parameter.build()
        })
    }
}

/// The list as a compiler writes it.
pub(super) fn values(
    parameters: &[RawParameter],
    structs: &Structs,
    expansion: &mut Expansion<'_>,
) -> Result<Value, String> {
    let mut list = Value::array();
    for parameter in parameters {
        list.add(parameter.to_value(structs, expansion)?);
    }
    Ok(list.build())
}

/// A struct cannot be called like a type of the language.
fn is_source_name(name: &str) -> bool {
    matches!(parse_type(name), Err(TypeError::Unresolved(_)))
}

/// How far the structs of one entry have been written out: small text can stand for endless members.
pub(super) struct Expansion<'a> {
    left: usize,
    inside: Vec<&'a str>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new() -> Self {
        Self {
            left: MAX_PARAMETERS,
            inside: Vec::new(),
        }
    }

    fn count(&mut self) -> Result<(), String> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| TypeError::Parameters.to_string())?;
        Ok(())
    }

    fn inside(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Expansion<'_>) -> Result<Value, String>,
    ) -> Result<Value, String> {
        if self.inside.contains(&name) {
            return Err(format!(
                "the struct `{}` contains itself",
                clean(name, NAME_CHARS)
            ));
        }
        if self.inside.len() == MAX_TUPLE_DEPTH {
            return Err(TypeError::TupleDepth.to_string());
        }
        let mut inner = Expansion {
            left: self.left,
            inside: self.inside.iter().copied().chain([name]).collect(),
        };
        let written = write(&mut inner)?;
        self.left = inner.left;
        Ok(written)
    }
}
