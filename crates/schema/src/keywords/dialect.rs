//! `$schema` and `$id`: which dialect a document is in, and what it is called.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::{CompileError, CompileErrorKind};
use crate::profile::{DIALECT, Profile};
use crate::program::Keyword;

pub(super) const SCHEMA: Rule = Rule {
    names: &["$schema"],
    scope: Scope::Everywhere,
    compile: compile_schema,
};
pub(super) const ID: Rule = Rule {
    names: &["$id"],
    scope: Scope::Draft,
    compile: compile_id,
};

fn compile_schema(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(text) = compiler.text(site, "$schema")? else {
        return Ok(None);
    };
    if !site.is_root() {
        let remedy = "it may only stand at the root of the document";
        return Err(compiler.fault(CompileErrorKind::MisplacedDialect, site, "$schema", remedy));
    }
    // The draft names its metaschema as a URI, for which an empty fragment changes nothing; Profile 1 is stricter.
    let dialect = match compiler.profile {
        Profile::Profile1 => text,
        Profile::Draft2020_12 => text.strip_suffix('#').unwrap_or(text),
    };
    if dialect != DIALECT {
        let remedy = format!("only {DIALECT} is supported");
        return Err(compiler.fault(CompileErrorKind::UnsupportedDialect, site, "$schema", remedy));
    }
    Ok(None)
}

fn compile_id(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(text) = compiler.text(site, "$id")? else {
        return Ok(None);
    };
    if !site.is_root() {
        let remedy =
            "only the root of a document may have an `$id`; move the schema into a document of its own";
        return Err(compiler.fault(CompileErrorKind::UnsupportedKeyword, site, "$id", remedy));
    }
    let base = text.strip_suffix('#').unwrap_or(text);
    if base.contains('#') {
        return Err(compiler.invalid(site, "$id", "it must be a URI reference without a fragment"));
    }
    compiler.base = Some(base.into());
    Ok(None)
}
