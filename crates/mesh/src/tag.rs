//! The tags that a node tells of itself.

use serde::{Deserialize, Serialize};

/// Longest tag in bytes: one that other programs of the tool mesh take as well.
pub const MAX_TAG_BYTES: usize = 256;

/// Prefixes that programs may not give themselves: the mesh's own bookkeeping.
const RESERVED_PREFIXES: [&str; 4] = ["causal:", "heat:", "fork-of:", "scope:"];

/// The tags that a tool gives its node: it is a tool for agents, and a service that can be called.
pub(crate) fn tags_of_tool(tool_id: &str) -> [String; 2] {
    [format!("ai-tool:{tool_id}"), format!("nrpc:{tool_id}")]
}

/// What a tag of the form `<axis>.<key>` speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// What the machine has.
    Hardware,
    /// What runs on it.
    Software,
    /// What is attached to it.
    Devices,
    /// What it stores.
    Dataforts,
}

impl Axis {
    /// The axis of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "hardware" => Some(Self::Hardware),
            "software" => Some(Self::Software),
            "devices" => Some(Self::Devices),
            "dataforts" => Some(Self::Dataforts),
            _ => None,
        }
    }
}

/// A tag of the form `<axis>.<key>`, `<axis>.<key>=<value>` or `<axis>.<key>:<value>`; the two signs mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisTag<'a> {
    /// The axis.
    pub axis: Axis,
    /// The key, which may have dots.
    pub key: &'a str,
    /// The value.
    pub value: Option<&'a str>,
}

impl<'a> AxisTag<'a> {
    /// Reads a tag; `None` for a free one, such as `region.eu`.
    #[must_use]
    pub fn parse(tag: &'a str) -> Option<Self> {
        let (axis, rest) = tag.split_once('.')?;
        let axis = Axis::from_name(axis)?;
        let (key, value) = match rest.find(['=', ':']) {
            None => (rest, None),
            Some(at) => (rest.get(..at)?, rest.get(at + 1..)),
        };
        (!key.is_empty()).then_some(Self { axis, key, value })
    }
}

/// Why a tag cannot be announced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// It is empty, or longer than [`MAX_TAG_BYTES`].
    #[error("a tag has 1 to {MAX_TAG_BYTES} bytes; this one has {0}")]
    Length(usize),
    /// It begins with a prefix that is the mesh's own.
    #[error("the tag `{0}` begins with a prefix that the mesh keeps for itself")]
    Reserved(String),
}

/// Checks that a node may tell this tag of itself.
///
/// # Errors
/// [`TagError`] when it is empty, too long, or reserved.
pub fn check_tag(tag: &str) -> Result<(), TagError> {
    if tag.is_empty() || tag.len() > MAX_TAG_BYTES {
        return Err(TagError::Length(tag.len()));
    }
    if RESERVED_PREFIXES.iter().any(|prefix| tag.starts_with(prefix)) {
        return Err(TagError::Reserved(tag.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_of_an_axis_has_a_key_and_perhaps_a_value() {
        let parsed = AxisTag::parse("software.runtime.python=3.11.5").unwrap();
        assert_eq!(
            (parsed.axis, parsed.key, parsed.value),
            (Axis::Software, "runtime.python", Some("3.11.5"))
        );
        assert_eq!(
            AxisTag::parse("hardware.gpu:a=b"),
            Some(AxisTag {
                axis: Axis::Hardware,
                key: "gpu",
                value: Some("a=b")
            })
        );
        assert_eq!(AxisTag::parse("devices.camera").unwrap().value, None);
        for free in ["region.eu", "hardware", "hardware.", "hardware.=1", ""] {
            assert_eq!(AxisTag::parse(free), None, "{free}");
        }
    }

    #[test]
    fn a_tag_has_a_bound_and_no_prefix_of_the_mesh_itself() {
        assert_eq!(check_tag(&"t".repeat(MAX_TAG_BYTES)), Ok(()));
        assert_eq!(
            check_tag(&"t".repeat(MAX_TAG_BYTES + 1)),
            Err(TagError::Length(257))
        );
        assert_eq!(check_tag(""), Err(TagError::Length(0)));
        assert_eq!(check_tag("scope:x"), Err(TagError::Reserved("scope:x".into())));
    }
}
