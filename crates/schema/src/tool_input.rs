//! What a tool's input schema must satisfy beyond being a schema: an object root and sound mirrored headers.

use std::collections::HashSet;

use toolmesh_json::View;
use toolmesh_json::pointer::Pointer;

use crate::compile::Usage;
use crate::error::{CompileError, CompileErrorKind};
use crate::keywords::MIRRORED_HEADER;
use crate::profile::Profile;
use crate::program::{Member, NodeId, Program};

/// The direct type of a mirrored value: how its header is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MirroredType {
    /// Compared exactly.
    String,
    /// `true` or `false`.
    Boolean,
    /// Compared by value, within ±(2^53 − 1).
    Integer,
}

/// One argument value that clients repeat in an HTTP header `Mcp-Param-<suffix>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredHeader {
    suffix: String,
    path: Vec<String>,
    value_type: MirroredType,
}

impl MirroredHeader {
    /// The header's name without the prefix `Mcp-Param-`, as authored.
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    /// The member names that lead from the arguments to the value.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The value's type.
    pub fn value_type(&self) -> MirroredType {
        self.value_type
    }
}

/// A declaration as the walk met it.
pub(crate) struct HeaderDraft {
    pub(crate) node: NodeId,
    pub(crate) suffix: String,
    pub(crate) direct_type: Option<String>,
}

/// Checks the rules of a document's use and yields its mirrored headers.
pub(crate) fn check(
    program: &Program,
    document: View<'_>,
    profile: Profile,
    usage: Usage,
    drafts: Vec<HeaderDraft>,
) -> Result<Vec<MirroredHeader>, CompileError> {
    match usage {
        Usage::General => refuse_headers(program, profile, &drafts).map(|()| Vec::new()),
        Usage::ToolInput => {
            check_root(document)?;
            mirror(program, drafts)
        }
    }
}

fn check_root(document: View<'_>) -> Result<(), CompileError> {
    if document.get("type").and_then(View::as_str) == Some("object") {
        return Ok(());
    }
    let remedy = "a tool's input schema must say \"type\": \"object\" at its root";
    Err(CompileError::new(CompileErrorKind::InvalidSchema, remedy)
        .at(Pointer::default())
        .on("type"))
}

fn refuse_headers(program: &Program, profile: Profile, drafts: &[HeaderDraft]) -> Result<(), CompileError> {
    match drafts.first() {
        Some(draft) if profile == Profile::Profile1 => {
            let remedy = "only a tool's input schema may mirror headers; remove it here";
            Err(fault(
                program,
                draft,
                CompileErrorKind::MisplacedMirroredHeader,
                remedy,
            ))
        }
        _ => Ok(()),
    }
}

fn mirror(program: &Program, drafts: Vec<HeaderDraft>) -> Result<Vec<MirroredHeader>, CompileError> {
    let mut taken = HashSet::with_capacity(drafts.len());
    let mut headers = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let header = mirror_one(program, &draft)?;
        if !taken.insert(draft.suffix.to_ascii_lowercase()) {
            let remedy = "another property has this suffix already; letter case does not distinguish them";
            return Err(fault(
                program,
                &draft,
                CompileErrorKind::DuplicateMirroredHeader,
                remedy,
            ));
        }
        headers.push(header);
    }
    Ok(headers)
}

fn mirror_one(program: &Program, draft: &HeaderDraft) -> Result<MirroredHeader, CompileError> {
    let path = property_path(program, draft.node).ok_or_else(|| {
        let remedy = "it may only stand on a property reached from the root by `properties` alone";
        fault(program, draft, CompileErrorKind::MisplacedMirroredHeader, remedy)
    })?;
    if !is_token(&draft.suffix) {
        let remedy = "the suffix must be a non-empty RFC 9110 token, such as Tenant";
        return Err(fault(
            program,
            draft,
            CompileErrorKind::InvalidMirroredHeaderName,
            remedy,
        ));
    }
    let value_type = mirrored_type(draft).ok_or_else(|| {
        let remedy = "the property must say \"type\": \"string\", \"boolean\" or \"integer\" directly";
        fault(
            program,
            draft,
            CompileErrorKind::InvalidMirroredHeaderType,
            remedy,
        )
    })?;
    Ok(MirroredHeader {
        suffix: draft.suffix.clone(),
        path,
        value_type,
    })
}

fn fault(program: &Program, draft: &HeaderDraft, kind: CompileErrorKind, remedy: &str) -> CompileError {
    let location = program.keyword_location(draft.node, MIRRORED_HEADER);
    CompileError::new(kind, remedy).at(location).on(MIRRORED_HEADER)
}

/// The member names from the document's root, if only `properties` lie between; the root itself is no property.
fn property_path(program: &Program, node: NodeId) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let mut at = node;
    let mut origin = &program.node(node).origin;
    while let Some(parent) = origin.parent {
        match (&origin.member, origin.keyword) {
            (Member::Name(name), "properties") => path.push(name.to_string()),
            _ => return None,
        }
        at = parent;
        origin = &program.node(parent).origin;
    }
    path.reverse();
    (at == Program::ROOT && !path.is_empty()).then_some(path)
}

/// RFC 9110, 5.6.2.
fn is_token(suffix: &str) -> bool {
    let token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !suffix.is_empty() && suffix.bytes().all(token_byte)
}

fn mirrored_type(draft: &HeaderDraft) -> Option<MirroredType> {
    match draft.direct_type.as_deref()? {
        "string" => Some(MirroredType::String),
        "boolean" => Some(MirroredType::Boolean),
        "integer" => Some(MirroredType::Integer),
        _ => None,
    }
}
