//! `$id`: what a schema is called, and what references below it are relative to.

use std::collections::HashMap;
use std::sync::Arc;

use super::anchor::{self, is_anchor_name};
use super::dialect;
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::limits::CompileLimit;
use crate::order::utf16_length;
use crate::resource::Resource;
use crate::uri;

/// All is done before the rules run, because references and anchors need to know where they are.
pub(super) const RULE: Rule = Rule {
    names: &["$id"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Core,
    compile: |_, _| Ok(None),
};

/// Finds out which resource and dialect a schema object is in.
pub(crate) fn identify(compiler: &mut Compiler<'_>, site: &mut Site<'_>) -> Result<(), CompileError> {
    let is_root = dialect::is_document_root(compiler, site);
    if is_root {
        dialect::settle(compiler, site)?;
    }
    // In draft-07 a `$ref` hides its siblings, this one too.
    let hidden = site.dialect.language == Language::Draft07 && site.value("$ref").is_some();
    if hidden || site.value("$id").is_none() {
        return Ok(());
    }
    let Some(text) = compiler.text(site, "$id")? else {
        return Ok(());
    };
    compiler.within(CompileLimit::ReferenceLength, utf16_length(text), site, "$id")?;
    let (name, fragment) = text.split_once('#').unwrap_or((text, ""));
    if !name.is_empty() {
        open(compiler, site, name, is_root)?;
    }
    if fragment.is_empty() {
        return Ok(());
    }
    match site.dialect.language {
        Language::Draft07 if is_anchor_name(fragment) => anchor::add(compiler, site, "$id", fragment, false),
        Language::Draft07 => Ok(()),
        Language::Draft2020_12 | Language::Profile1 => {
            Err(compiler.invalid(site, "$id", "it must be a URI reference without a fragment"))
        }
    }
}

/// Makes the schema a resource of its own; the root of a document is one already.
fn open(
    compiler: &mut Compiler<'_>,
    site: &mut Site<'_>,
    name: &str,
    is_root: bool,
) -> Result<(), CompileError> {
    let Some(around) = compiler.resources.get(site.resource) else {
        return Ok(());
    };
    let base: Arc<str> = Arc::from(uri::resolve(&around.base, name));
    if is_root {
        if let Some(resource) = compiler.resources.get_mut(site.resource) {
            resource.base = Arc::clone(&base);
        }
    } else {
        let document = around.document.clone();
        site.resource = compiler.resources.add(Resource {
            root: site.node,
            base: Arc::clone(&base),
            dialect: site.dialect,
            document,
            anchors: HashMap::new(),
        });
        dialect::settle(compiler, site)?;
    }
    if compiler.resources.name(base, site.resource) {
        Ok(())
    } else {
        Err(compiler.invalid(site, "$id", "another schema has this URI already"))
    }
}
