//! `$anchor` and `$dynamicAnchor`: plain names for a schema, to be referred to.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::Vocabulary;
use crate::error::{CompileError, CompileErrorKind};
use crate::limits::CompileLimit;
use crate::order::utf16_length;
use crate::program::Keyword;
use crate::resource::Anchor;

pub(super) const RULE: Rule = Rule {
    names: &["$anchor"],
    scope: Scope::Modern,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| compile(compiler, site, "$anchor", false),
};
pub(super) const DYNAMIC: Rule = Rule {
    names: &["$dynamicAnchor"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| compile(compiler, site, "$dynamicAnchor", true),
};

/// Whether a text is a plain name: a letter or `_`, then letters, digits, `_`, `.` and `-`.
pub(crate) fn is_anchor_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Names the schema in its resource.
pub(super) fn add(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    keyword: &'static str,
    name: &str,
    dynamic: bool,
) -> Result<(), CompileError> {
    compiler.within(CompileLimit::AnchorNameLength, utf16_length(name), site, keyword)?;
    if !is_anchor_name(name) {
        let remedy = "it must begin with a letter or `_` and go on with letters, digits, `_`, `.` and `-`";
        return Err(compiler.fault(CompileErrorKind::InvalidAnchor, site, keyword, remedy));
    }
    let count = compiler.resources.anchor_count() + 1;
    let anchor = Anchor {
        node: site.node,
        dynamic,
    };
    let known = compiler.resources.anchor(site.resource, name);
    if known.is_some_and(|known| known.node != site.node) {
        let remedy = "another schema of this document has it already";
        return Err(compiler.fault(CompileErrorKind::DuplicateAnchor, site, keyword, remedy));
    }
    compiler.within(CompileLimit::AnchorCount, count, site, keyword)?;
    compiler.resources.add_anchor(site.resource, name, anchor);
    Ok(())
}

fn compile(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    keyword: &'static str,
    dynamic: bool,
) -> Result<Option<Keyword>, CompileError> {
    if let Some(name) = compiler.text(site, keyword)? {
        add(compiler, site, keyword, name, dynamic)?;
    }
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
