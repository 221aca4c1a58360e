//! `$schema` and `$vocabulary`: which dialect a document is in, and which parts a dialect of its own has.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::{Draft, Language, Vocabulary};
use crate::error::{CompileError, CompileErrorKind};
use crate::program::{Keyword, Program};

pub(super) const SCHEMA: Rule = Rule {
    names: &["$schema"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Core,
    compile,
};
/// It speaks of the documents that name this one in their `$schema`, and asserts nothing here.
pub(super) const VOCABULARY: Rule = Rule {
    names: &["$vocabulary"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| match site.value("$vocabulary") {
        Some(value) if value.as_object().is_none() => {
            Err(compiler.invalid(site, "$vocabulary", "it must be an object of true and false"))
        }
        _ => Ok(None),
    },
};

/// In the drafts the dialect has been read before the rules ran, because it decides about them.
fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(text) = compiler.text(site, "$schema")? else {
        return Ok(None);
    };
    if site.node != compiler.resources.root(site.resource) {
        let remedy = "it may only stand at the root of the document, or beside an `$id`";
        return Err(compiler.fault(CompileErrorKind::MisplacedDialect, site, "$schema", remedy));
    }
    if site.dialect.language == Language::Profile1 && text != Draft::Draft2020_12.uri() {
        let remedy = format!("only {} is supported", Draft::Draft2020_12.uri());
        return Err(compiler.fault(CompileErrorKind::UnsupportedDialect, site, "$schema", remedy));
    }
    Ok(None)
}

/// Reads the `$schema` of a resource's root.
pub(super) fn settle(compiler: &mut Compiler<'_>, site: &mut Site<'_>) -> Result<(), CompileError> {
    let Some(text) = compiler.text(site, "$schema")? else {
        return Ok(());
    };
    match compiler.dialect_named(text) {
        Ok(dialect) => {
            site.dialect = dialect;
            if let Some(resource) = compiler.resources.get_mut(site.resource) {
                resource.dialect = dialect;
            }
            Ok(())
        }
        Err(remedy) => Err(compiler.fault(CompileErrorKind::UnsupportedDialect, site, "$schema", remedy)),
    }
}

/// Whether a schema object is the root of a document.
pub(super) fn is_document_root(compiler: &Compiler<'_>, site: &Site<'_>) -> bool {
    site.node == Program::ROOT
        || crate::program::node(&compiler.nodes, site.node)
            .origin
            .parent
            .is_none()
}
