//! Keywords that assert nothing: titles, examples, content descriptions.

use toolmesh_json::{Kind, View};

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: NAMES,
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::MetaData,
    compile,
};

/// What a string holds; no draft asserts it.
pub(super) const CONTENT: Rule = Rule {
    names: &["contentEncoding", "contentMediaType"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Content,
    compile: |_, _| Ok(None),
};

const NAMES: &[&str] = &[
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Profile 1 fixes the shape of each; under the draft an odd annotation harms nobody and is kept as it is.
fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    if site.dialect.language != Language::Profile1 {
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
