//! Schemas that assert nothing where they stand: `$defs`, the older `definitions`, `contentSchema`.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::program::Keyword;

pub(super) const DEFS: Rule = Rule {
    names: &["$defs"],
    scope: Scope::Modern,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| compile(compiler, site, "$defs"),
};
/// The name of draft-07, still in the meta-schema of 2020-12 and in many published documents.
pub(super) const DEFINITIONS: Rule = Rule {
    names: &["definitions"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| compile(compiler, site, "definitions"),
};
/// Describes the content of a string; the draft never asserts it.
pub(super) const CONTENT_SCHEMA: Rule = Rule {
    names: &["contentSchema"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Content,
    compile: |compiler, site| compiler.one(site, "contentSchema").map(|_| None),
};

/// The members count as schemas and may be referred to, even if nobody does.
fn compile(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    keyword: &'static str,
) -> Result<Option<Keyword>, CompileError> {
    compiler.map(site, keyword).map(|_| None)
}
