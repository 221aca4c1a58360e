//! `type`: which kinds of value fit.

use toolmesh_json::{Kind, Number};

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["type"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile,
};

const REMEDY: &str = "it must be one of null, boolean, object, array, number, string, integer, \
                      or a non-empty array of such names that all differ";

/// Each type: its name, its bit, and the words for it.
const TYPES: [(&str, u8, &str); 7] = [
    ("null", NULL, "null"),
    ("boolean", BOOLEAN, "a boolean"),
    ("object", OBJECT, "an object"),
    ("array", ARRAY, "an array"),
    ("number", NUMBER, "a number"),
    ("string", STRING, "a string"),
    ("integer", INTEGER, "an integer"),
];

const NULL: u8 = bit_of_kind(Kind::Null);
const BOOLEAN: u8 = bit_of_kind(Kind::Boolean);
const OBJECT: u8 = bit_of_kind(Kind::Object);
const ARRAY: u8 = bit_of_kind(Kind::Array);
const NUMBER: u8 = bit_of_kind(Kind::Number);
const STRING: u8 = bit_of_kind(Kind::String);
/// Beyond the bits of the kinds.
const INTEGER: u8 = 1 << 7;

/// A set of types, any of which fits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TypeSet {
    bits: u8,
}

impl TypeSet {
    /// Every type: what a schema without `type` asks.
    pub(crate) const ALL: Self = Self {
        bits: NULL | BOOLEAN | OBJECT | ARRAY | NUMBER | STRING | INTEGER,
    };

    pub(super) fn evaluate<'v>(self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        if self.check(&mut run.meter, scene.instance)? {
            return Ok(true);
        }
        run.tell(scene, DiagnosticCode::TypeMismatch, "type", || self.expected())?;
        Ok(false)
    }

    /// Whether the instance fits, at the charge.
    #[inline]
    pub(crate) fn check(self, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
        meter.charge(1)?;
        Ok(self.holds(instance.kind(), || instance.as_number()))
    }

    pub(super) fn expected(self) -> String {
        let words = TYPES
            .iter()
            .filter(|(_, bit, _)| self.bits & bit != 0)
            .map(|(_, _, words)| *words);
        describe::alternatives(words)
    }

    /// Whether a value of that kind fits; the number is only asked for where it decides.
    ///
    /// A number without a fractional part is an integer however it is written: `1.0`, `1e2`, `-0`.
    #[inline]
    pub(crate) fn holds<'n>(self, kind: Kind, number: impl FnOnce() -> Option<&'n Number>) -> bool {
        let bit = bit_of_kind(kind);
        self.bits & bit != 0
            || bit == NUMBER && self.bits & INTEGER != 0 && number().is_some_and(Number::is_integer)
    }

    /// Adds a type by name; false when there is no such type or it is there already.
    fn add(&mut self, name: &str) -> bool {
        match bit_of(name) {
            Some(bit) if self.bits & bit == 0 => {
                self.bits |= bit;
                true
            }
            _ => false,
        }
    }
}

#[inline]
const fn bit_of_kind(kind: Kind) -> u8 {
    1 << kind as u8
}

fn bit_of(name: &str) -> Option<u8> {
    TYPES
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, bit, _)| *bit)
}

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value("type") else {
        return Ok(None);
    };
    let mut types = TypeSet::default();
    let sound = match (value.as_str(), value.as_array()) {
        (Some(name), _) => types.add(name),
        (_, Some(names)) => {
            !names.is_empty()
                && names
                    .iter()
                    .all(|name| name.as_str().is_some_and(|name| types.add(name)))
        }
        _ => false,
    };
    if !sound {
        return Err(compiler.invalid(site, "type", REMEDY));
    }
    Ok(Some(Keyword::Type(types)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(types: &[&str], value: &str) -> bool {
        let mut set = TypeSet::default();
        assert!(types.iter().all(|name| set.add(name)));
        let value = toolmesh_json::parse(value.as_bytes()).unwrap();
        set.holds(value.kind(), || value.as_number())
    }

    #[test]
    fn every_spelling_of_a_whole_number_is_an_integer() {
        for value in ["0", "-0", "1.0", "1e2", "1e9999", "12.50e1", "0.0", "-7", "0e-5"] {
            assert!(holds(&["integer"], value), "{value}");
        }
        for value in ["0.5", "1e-1", "12.5", "1.5e0", "\"1\"", "true"] {
            assert!(!holds(&["integer"], value), "{value}");
        }
    }

    #[test]
    fn every_number_is_a_number() {
        assert!(holds(&["number"], "1") && holds(&["number"], "1.5") && !holds(&["number"], "null"));
    }

    #[test]
    fn a_set_holds_the_values_of_each_of_its_types() {
        let types = ["null", "array", "string"];
        assert!(["null", "[]", "\"\""].iter().all(|value| holds(&types, value)));
        assert!(!["{}", "0", "false"].iter().any(|value| holds(&types, value)));
    }

    #[test]
    fn the_words_list_the_types() {
        let mut set = TypeSet::default();
        set.add("string");
        assert_eq!(set.expected(), "a string");
        set.add("null");
        set.add("integer");
        assert_eq!(set.expected(), "null, a string or an integer");
    }
}
