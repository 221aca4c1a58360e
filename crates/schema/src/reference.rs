//! References: reading the fragment, finding the schema, in this document or in one that the registry holds.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_json::View;

use crate::compile::Compiler;
use crate::error::{CompileError, CompileErrorKind};
use crate::keywords::is_anchor_name;
use crate::limits::{CompileLimit, CompileLimits};
use crate::order::utf16_length;
use crate::program::{Body, Keyword, Member, Node, NodeId, Program};
use crate::resource::ResourceId;

/// A reference that the walk has met.
pub(crate) struct PendingReference {
    pub(crate) node: NodeId,
    pub(crate) keyword: &'static str,
    pub(crate) place: Place,
    pub(crate) target: Target,
}

/// The resource that a reference leads into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The one that it stands in.
    Here(ResourceId),
    /// The one of this URI.
    At(String),
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

/// What a reference turned out to lead to.
struct Found {
    node: NodeId,
    /// The dynamic anchor that led there.
    dynamic: Option<Arc<str>>,
}

/// Points every reference at its node. Documents and places that are met on the way are compiled, and their references
/// follow.
pub(crate) fn resolve(compiler: &mut Compiler<'_>) -> Result<(), CompileError> {
    let mut found = Vec::with_capacity(compiler.references.len());
    let mut places = Places::default();
    let mut next = 0;
    while next < compiler.references.len() {
        found.push(find(compiler, &mut places, next)?);
        next += 1;
    }
    for (reference, found) in compiler.references.iter().zip(found) {
        point(&mut compiler.nodes, reference, found);
    }
    Ok(())
}

fn find(compiler: &mut Compiler<'_>, places: &mut Places, index: usize) -> Result<Found, CompileError> {
    let unresolved = |compiler: &Compiler<'_>, remedy: &str| {
        let pending = compiler.references.get(index);
        let (node, keyword) =
            pending.map_or((Program::ROOT, "$ref"), |pending| (pending.node, pending.keyword));
        compiler.fault_at(CompileErrorKind::UnresolvedReference, node, keyword, remedy)
    };
    let Some(pending) = compiler.references.get(index) else {
        return Err(unresolved(compiler, "there is no such reference"));
    };
    let (place, target) = (pending.place.clone(), pending.target.clone());
    let resource = match place {
        Place::Here(resource) => Some(resource),
        Place::At(uri) => compiler.resource(&uri)?,
    };
    let Some(resource) = resource else {
        let remedy = "no schema of that URI is in this document or in the registry; nothing is fetched";
        return Err(unresolved(compiler, remedy));
    };
    let root = compiler.resources.root(resource);
    match target {
        Target::Root => Ok(Found {
            node: root,
            dynamic: None,
        }),
        Target::Anchor(name) => {
            let anchor = compiler.resources.anchor(resource, &name);
            let anchor = anchor.ok_or_else(|| unresolved(compiler, "no schema there has that `$anchor`"))?;
            let dynamic = anchor.dynamic.then(|| Arc::from(name));
            Ok(Found {
                node: anchor.node,
                dynamic,
            })
        }
        Target::Pointer(segments) => {
            let node = places.find(compiler, root, &segments)?;
            let remedy = "the pointer must lead to a schema";
            let node = node.ok_or_else(|| unresolved(compiler, remedy))?;
            Ok(Found { node, dynamic: None })
        }
    }
}

fn point(nodes: &mut [Node], reference: &PendingReference, found: Found) {
    let Some(Node {
        body: Body::Keywords(keywords),
        ..
    }) = nodes.get_mut(reference.node.0 as usize)
    else {
        return;
    };
    for keyword in keywords {
        match keyword {
            Keyword::Reference(slot) if reference.keyword == "$ref" => *slot = found.node,
            Keyword::DynamicReference { target, anchor } if reference.keyword == "$dynamicRef" => {
                *target = found.node;
                anchor.clone_from(&found.dynamic);
            }
            _ => {}
        }
    }
}

/// Documents of no more schemas are searched as they are.
const FEW_NODES: usize = 64;

/// Every schema by its parent, keyword and member; filled when the first pointer asks, and only for large documents.
#[derive(Default)]
struct Places {
    known: usize,
    children: HashMap<(NodeId, &'static str), Children>,
    below: HashMap<(NodeId, Arc<[String]>), NodeId>,
}

#[derive(Default)]
struct Children {
    whole: Option<NodeId>,
    named: HashMap<Arc<str>, NodeId>,
    indexed: HashMap<usize, NodeId>,
}

impl Places {
    /// Takes in the nodes that have come since.
    fn refresh(&mut self, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate().skip(self.known) {
            let (Some(parent), Ok(index)) = (node.origin.parent, u32::try_from(index)) else {
                continue;
            };
            let id = NodeId(index);
            if matches!(node.origin.member, Member::Below(_)) {
                continue;
            }
            let children = self.children.entry((parent, node.origin.keyword)).or_default();
            match &node.origin.member {
                Member::Whole | Member::Below(_) => children.whole = Some(id),
                Member::Name(name) => {
                    children.named.insert(Arc::clone(name), id);
                }
                Member::Index(index) => {
                    children.indexed.insert(*index, id);
                }
            }
        }
        self.known = nodes.len();
    }

    /// Follows a pointer from schema to schema. What is left at the end is a place that no keyword compiles: the drafts
    /// let a reference lead there, Profile 1 does not.
    fn find(
        &mut self,
        compiler: &mut Compiler<'_>,
        root: NodeId,
        segments: &[String],
    ) -> Result<Option<NodeId>, CompileError> {
        let few = compiler.nodes.len() <= FEW_NODES;
        if !few {
            self.refresh(&compiler.nodes);
        }
        let (mut at, mut rest) = (root, segments);
        loop {
            let next = if few {
                search(&compiler.nodes, at, rest)
            } else {
                self.step(at, rest)
            };
            match next {
                Some((child, left)) => (at, rest) = (child, left),
                None => break,
            }
        }
        if rest.is_empty() {
            return Ok(Some(at));
        }
        let path: Arc<[String]> = Arc::from(rest);
        if let Some(known) = self.below.get(&(at, Arc::clone(&path))) {
            return Ok(Some(*known));
        }
        let adopted = compiler.adopt(at, Arc::clone(&path))?;
        self.below.extend(adopted.map(|node| ((at, path), node)));
        Ok(adopted)
    }

    fn step<'s>(&self, at: NodeId, segments: &'s [String]) -> Option<(NodeId, &'s [String])> {
        let (keyword, rest) = segments.split_first()?;
        let children = self.children_of(at, keyword)?;
        if let Some(whole) = children.whole {
            return Some((whole, rest));
        }
        let (segment, rest) = rest.split_first()?;
        let named = children.named.get(segment.as_str()).copied();
        let child = named.or_else(|| children.indexed.get(&array_index(segment)?).copied());
        Some((child?, rest))
    }

    fn children_of<'k>(&'k self, at: NodeId, keyword: &'k str) -> Option<&'k Children> {
        let children: &HashMap<(NodeId, &'k str), Children> = &self.children;
        children.get(&(at, keyword))
    }
}

/// One step from schema to schema, by looking at all of them.
fn search<'s>(nodes: &[Node], at: NodeId, segments: &'s [String]) -> Option<(NodeId, &'s [String])> {
    let (keyword, rest) = segments.split_first()?;
    nodes.iter().zip(0..).find_map(|(node, index)| {
        let origin = &node.origin;
        if origin.parent != Some(at) || origin.keyword != keyword {
            return None;
        }
        let left = match (&origin.member, rest.split_first()) {
            (Member::Whole, _) => Some(rest),
            (Member::Name(name), Some((segment, left))) => (**name == **segment).then_some(left),
            (Member::Index(place), Some((segment, left))) => {
                (array_index(segment) == Some(*place)).then_some(left)
            }
            (Member::Name(_) | Member::Index(_), None) | (Member::Below(_), _) => None,
        };
        left.map(|left| (NodeId(index), left))
    })
}

/// Looks into the document itself, below a schema.
pub(crate) fn look_below<'d>(schema: View<'d>, path: &[String]) -> Option<View<'d>> {
    let mut view = schema;
    for segment in path {
        view = match (view.as_object(), view.as_array()) {
            (Some(object), _) => object.get(segment)?,
            (_, Some(array)) => array.get(array_index(segment)?)?,
            _ => return None,
        };
    }
    (view.as_object().is_some() || view.as_bool().is_some()).then_some(view)
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
