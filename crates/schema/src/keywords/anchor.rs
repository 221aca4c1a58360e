//! `$anchor`: a plain name for a schema, to be referred to.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::{CompileError, CompileErrorKind};
use crate::limits::CompileLimit;
use crate::order::utf16_length;
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["$anchor"],
    scope: Scope::Everywhere,
    compile,
};

/// Whether a text is a plain name: a letter or `_`, then letters, digits, `_`, `.` and `-`.
pub(crate) fn is_anchor_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

fn compile(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(name) = compiler.text(site, "$anchor")? else {
        return Ok(None);
    };
    compiler.within(
        CompileLimit::AnchorNameLength,
        utf16_length(name),
        site,
        "$anchor",
    )?;
    if !is_anchor_name(name) {
        let remedy = "it must begin with a letter or `_` and go on with letters, digits, `_`, `.` and `-`";
        return Err(compiler.fault(CompileErrorKind::InvalidAnchor, site, "$anchor", remedy));
    }
    if compiler.anchors.contains_key(name) {
        let remedy = "another schema of this document has it already";
        return Err(compiler.fault(CompileErrorKind::DuplicateAnchor, site, "$anchor", remedy));
    }
    compiler.within(
        CompileLimit::AnchorCount,
        compiler.anchors.len() + 1,
        site,
        "$anchor",
    )?;
    compiler.anchors.insert(name.into(), site.node);
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_an_ascii_name_that_begins_with_a_letter_or_underscore() {
        assert!(["a", "_", "Z9", "a.b-c_d"].into_iter().all(is_anchor_name));
        assert!(
            !["", "9", "-a", ".a", "a b", "a/b", "é", "a#"]
                .into_iter()
                .any(is_anchor_name)
        );
    }
}
