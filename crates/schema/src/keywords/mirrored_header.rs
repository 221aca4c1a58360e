//! `x-mcp-header`: the value that stands here is repeated in an HTTP header.
//!
//! Only its shape is checked during the walk; where it may stand is a rule of the document's use (`tool_input.rs`).

use toolmesh_json::View;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site, Usage};
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::limits::CompileLimit;
use crate::order::utf16_length;
use crate::profile::Profile;
use crate::program::Keyword;
use crate::tool_input::HeaderDraft;

/// The keyword.
pub(crate) const MIRRORED_HEADER: &str = "x-mcp-header";

pub(super) const RULE: Rule = Rule {
    names: &[MIRRORED_HEADER],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Core,
    compile,
};

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    // Outside tool inputs the draft has no such keyword: an annotation like any other.
    if compiler.profile != Profile::Profile1 && compiler.usage == Usage::General {
        return Ok(None);
    }
    let Some(suffix) = compiler.text(site, MIRRORED_HEADER)? else {
        return Ok(None);
    };
    compiler.within(
        CompileLimit::NameLength,
        utf16_length(suffix),
        site,
        MIRRORED_HEADER,
    )?;
    let direct_type = site.value("type").and_then(View::as_str).map(str::to_owned);
    compiler.headers.push(HeaderDraft {
        node: site.node,
        suffix: suffix.to_owned(),
        direct_type,
    });
    Ok(None)
}
