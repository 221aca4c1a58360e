//! References within the document: reading the fragment, finding the schema.

use std::collections::HashMap;

use toolmesh_json::pointer::Pointer;

use crate::error::{CompileError, CompileErrorKind};
use crate::keywords::is_anchor_name;
use crate::limits::{CompileLimit, CompileLimits};
use crate::order::utf16_length;
use crate::program::{Body, Keyword, Member, Node, NodeId, Program};

/// A `$ref` that the walk has met.
pub(crate) struct PendingReference {
    pub(crate) node: NodeId,
    pub(crate) location: Pointer,
    pub(crate) target: Target,
}

/// What a fragment names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Root,
    Pointer(Vec<String>),
    Anchor(String),
}

/// Why a fragment is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FragmentFault {
    Malformed(&'static str),
    Over(CompileLimit),
}

/// Reads the fragment of a reference (what follows `#`).
pub(crate) fn read_fragment(raw: &str, limits: &CompileLimits) -> Result<Target, FragmentFault> {
    let decoded = percent_decode(raw)?;
    if decoded.is_empty() {
        return Ok(Target::Root);
    }
    if let Some(pointer) = decoded.strip_prefix('/') {
        return read_pointer(pointer, limits).map(Target::Pointer);
    }
    if utf16_length(&decoded) > limits.get(CompileLimit::AnchorNameLength) {
        return Err(FragmentFault::Over(CompileLimit::AnchorNameLength));
    }
    if !is_anchor_name(&decoded) {
        return Err(FragmentFault::Malformed(
            "an anchor begins with a letter or `_`, then letters, digits, `_`, `.`, `-`",
        ));
    }
    Ok(Target::Anchor(decoded))
}

fn read_pointer(pointer: &str, limits: &CompileLimits) -> Result<Vec<String>, FragmentFault> {
    let mut segments = Vec::new();
    for raw in pointer.split('/') {
        if segments.len() >= limits.get(CompileLimit::PointerSegmentCount) {
            return Err(FragmentFault::Over(CompileLimit::PointerSegmentCount));
        }
        segments.push(read_segment(raw, limits.get(CompileLimit::PointerSegmentLength))?);
    }
    Ok(segments)
}

/// Decodes `~0` and `~1`. An escape is two characters for one, so a raw segment may be twice as long.
fn read_segment(raw: &str, bound: usize) -> Result<String, FragmentFault> {
    let over = FragmentFault::Over(CompileLimit::PointerSegmentLength);
    if utf16_length(raw) > bound.saturating_mul(2) {
        return Err(over);
    }
    let mut segment = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '~' {
            segment.push(character);
            continue;
        }
        match characters.next() {
            Some('0') => segment.push('~'),
            Some('1') => segment.push('/'),
            _ => {
                return Err(FragmentFault::Malformed(
                    "in a pointer `~` is only allowed as `~0` or `~1`",
                ));
            }
        }
    }
    if utf16_length(&segment) > bound {
        return Err(over);
    }
    Ok(segment)
}

fn percent_decode(raw: &str) -> Result<String, FragmentFault> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = (rest.next().and_then(hex_digit), rest.next().and_then(hex_digit));
                let (Some(high), Some(low)) = digits else {
                    return Err(FragmentFault::Malformed(
                        "`%` must be followed by two hexadecimal digits",
                    ));
                };
                bytes.push(high << 4 | low);
            }
            _ if is_fragment_byte(byte) => bytes.push(byte),
            _ => {
                return Err(FragmentFault::Malformed(
                    "characters outside RFC 3986 fragments must be percent-encoded",
                ));
            }
        }
    }
    String::from_utf8(bytes)
        .map_err(|_| FragmentFault::Malformed("the percent-decoded fragment must be UTF-8"))
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// RFC 3986: `pchar`, `/` and `?`.
fn is_fragment_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte)
}

/// Points every `$ref` keyword at its node.
pub(crate) fn resolve(
    nodes: &mut [Node],
    references: &[PendingReference],
    anchors: &HashMap<Box<str>, NodeId>,
) -> Result<(), CompileError> {
    if references.is_empty() {
        return Ok(());
    }
    let mut found = Vec::with_capacity(references.len());
    let places = Places::of(nodes);
    for reference in references {
        let target = match &reference.target {
            Target::Root => Some(Program::ROOT),
            Target::Anchor(name) => anchors.get(name.as_str()).copied(),
            Target::Pointer(segments) => places.find(segments),
        };
        found.push((reference.node, target.ok_or_else(|| unresolved(reference))?));
    }
    for (node, target) in found {
        point(nodes, node, target);
    }
    Ok(())
}

fn unresolved(reference: &PendingReference) -> CompileError {
    let remedy = match &reference.target {
        Target::Anchor(_) => "no schema of this document has that `$anchor`",
        _ => "the pointer must lead to a schema of this document",
    };
    let error = CompileError::new(CompileErrorKind::UnresolvedReference, remedy);
    error.at(reference.location.clone()).on("$ref")
}

fn point(nodes: &mut [Node], node: NodeId, target: NodeId) {
    let Some(Node {
        body: Body::Keywords(keywords),
        ..
    }) = nodes.get_mut(node.0 as usize)
    else {
        return;
    };
    for keyword in keywords {
        if let Keyword::Reference(slot) = keyword {
            *slot = target;
        }
    }
}

/// Every schema by its parent, keyword and member.
struct Places<'n> {
    children: HashMap<(NodeId, &'n str, Part<'n>), NodeId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part<'n> {
    Whole,
    Name(&'n str),
    Index(usize),
}

impl<'n> Places<'n> {
    fn of(nodes: &'n [Node]) -> Self {
        let mut children = HashMap::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let (Some(parent), Ok(index)) = (node.origin.parent, u32::try_from(index)) else {
                continue;
            };
            let part = match &node.origin.member {
                Member::Whole => Part::Whole,
                Member::Name(name) => Part::Name(name),
                Member::Index(index) => Part::Index(*index),
            };
            children.insert((parent, node.origin.keyword, part), NodeId(index));
        }
        Self { children }
    }

    /// Follows a pointer from schema to schema; anything else on the way is no target.
    fn find(&self, segments: &[String]) -> Option<NodeId> {
        let mut at = Program::ROOT;
        let mut rest = segments.iter().map(String::as_str);
        while let Some(keyword) = rest.next() {
            at = match self.child(at, keyword, Part::Whole) {
                Some(child) => child,
                None => self.member(at, keyword, rest.next()?)?,
            };
        }
        Some(at)
    }

    fn member(&self, at: NodeId, keyword: &str, segment: &str) -> Option<NodeId> {
        let named = self.child(at, keyword, Part::Name(segment));
        named.or_else(|| self.child(at, keyword, Part::Index(array_index(segment)?)))
    }

    fn child<'k>(&self, at: NodeId, keyword: &'k str, part: Part<'k>) -> Option<NodeId>
    where
        'n: 'k,
    {
        let children: &HashMap<(NodeId, &'k str, Part<'k>), NodeId> = &self.children;
        children.get(&(at, keyword, part)).copied()
    }
}

/// RFC 6901: digits without a leading zero.
fn array_index(segment: &str) -> Option<usize> {
    let digits = segment.bytes().all(|byte| byte.is_ascii_digit());
    let plain = segment == "0" || !segment.starts_with('0');
    if digits && plain {
        segment.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> Result<Target, FragmentFault> {
        read_fragment(raw, &CompileLimits::default())
    }

    fn pointer(segments: &[&str]) -> Result<Target, FragmentFault> {
        Ok(Target::Pointer(
            segments.iter().map(|segment| (*segment).to_owned()).collect(),
        ))
    }

    #[test]
    fn an_empty_fragment_is_the_root() {
        assert_eq!(read(""), Ok(Target::Root));
    }

    #[test]
    fn a_percent_encoded_slash_begins_a_pointer_too() {
        assert_eq!(read("%2Fa"), pointer(&["a"]));
        assert_eq!(read("/a~1b/c~0d/%25/"), pointer(&["a/b", "c~d", "%", ""]));
    }

    #[test]
    fn a_fragment_that_is_not_strict_utf8_is_malformed() {
        for raw in ["%C0%80", "%ED%A0%80", "%F4%90%80%80", "%FF", "%E2%82"] {
            assert!(matches!(read(raw), Err(FragmentFault::Malformed(_))), "{raw}");
        }
        assert_eq!(read("/%E2%82%AC"), pointer(&["€"]));
    }

    #[test]
    fn a_fragment_of_other_characters_or_broken_escapes_is_malformed() {
        for raw in [
            "/a b", "/é", "/a\"", "/%", "/%2", "/%zz", "/~", "/~2", "#", "1a", "a/b", "-",
        ] {
            assert!(matches!(read(raw), Err(FragmentFault::Malformed(_))), "{raw}");
        }
    }

    #[test]
    fn a_pointer_may_have_128_segments_and_not_129() {
        assert!(read(&"/a".repeat(128)).is_ok());
        assert_eq!(
            read(&"/a".repeat(129)),
            Err(FragmentFault::Over(CompileLimit::PointerSegmentCount))
        );
    }

    #[test]
    fn a_segment_may_have_1024_characters_and_not_1025() {
        let over = Err(FragmentFault::Over(CompileLimit::PointerSegmentLength));
        assert!(read(&format!("/{}", "a".repeat(1_024))).is_ok());
        assert!(read(&format!("/{}", "~0".repeat(1_024))).is_ok());
        assert_eq!(read(&format!("/{}", "a".repeat(1_025))), over);
        assert_eq!(read(&format!("/{}", "~0".repeat(1_025))), over);
    }

    #[test]
    fn an_array_index_has_no_leading_zero_and_no_sign() {
        assert_eq!(["0", "7", "10"].map(array_index), [Some(0), Some(7), Some(10)]);
        assert_eq!(["", "00", "01", "+1", "-1", "1a"].map(array_index), [None; 6]);
    }
}
