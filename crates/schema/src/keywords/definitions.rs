//! Schemas that assert nothing where they stand: `$defs`, the older `definitions`, `contentSchema`.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::CompileError;
use crate::program::Keyword;

pub(super) const DEFS: Rule = Rule {
    names: &["$defs"],
    scope: Scope::Everywhere,
    compile: |compiler, site| compile(compiler, site, "$defs"),
};
/// Deprecated, but still in the metaschema of the draft and in many published documents.
pub(super) const DEFINITIONS: Rule = Rule {
    names: &["definitions"],
    scope: Scope::Draft,
    compile: |compiler, site| compile(compiler, site, "definitions"),
};
/// Describes the content of a string; the draft never asserts it.
pub(super) const CONTENT_SCHEMA: Rule = Rule {
    names: &["contentEncoding", "contentMediaType", "contentSchema"],
    scope: Scope::Draft,
    compile: |compiler, site| compiler.one(site, "contentSchema").map(|_| None),
};

/// The members count as schemas and may be referred to, even if nobody does.
fn compile(
    compiler: &mut Compiler,
    site: &Site<'_>,
    keyword: &'static str,
) -> Result<Option<Keyword>, CompileError> {
    compiler.map(site, keyword).map(|_| None)
}
