//! Keywords that assert nothing: titles, examples, `format`, content descriptions.

use toolmesh_json::{Kind, View};

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::CompileError;
use crate::profile::Profile;
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: NAMES,
    scope: Scope::Everywhere,
    compile,
};

const NAMES: &[&str] = &[
    "$comment",
    "title",
    "description",
    "format",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Profile 1 fixes the shape of each; under the draft an odd annotation harms nobody and is kept as it is.
fn compile(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    if compiler.profile != Profile::Profile1 {
        return Ok(None);
    }
    for name in NAMES {
        let Some(value) = site.value(name) else { continue };
        if let Some(remedy) = objection(name, value) {
            return Err(compiler.invalid(site, name, remedy));
        }
    }
    Ok(None)
}

fn objection(name: &str, value: View<'_>) -> Option<&'static str> {
    let (kind, remedy) = match name {
        "default" => return None,
        "examples" => (Kind::Array, "it must be an array"),
        "deprecated" | "readOnly" | "writeOnly" => (Kind::Boolean, "it must be true or false"),
        _ => (Kind::String, "it must be a string"),
    };
    (value.kind() != kind).then_some(remedy)
}
