//! Conditions on a node, in the form of the request header `net-where`.

mod evaluate;
mod node;
mod triple;

use toolmesh_json::Value;

pub use node::{PredicateNode, TagKey};

/// The request header that carries a predicate.
pub const WHERE_HEADER: &str = "net-where";

/// Longest JSON text of a predicate in bytes: that of any header's value.
pub const MAX_PREDICATE_BYTES: usize = 4_096;

/// A condition on the tags and metadata of a node: a list of nodes in which each stands behind those it is made of.
///
/// ```
/// use toolmesh_mesh::{Axis, Predicate};
///
/// let wanted = Predicate::exists(Axis::Hardware, "gpu")
///     .and(Predicate::semver_at_least(Axis::Software, "runtime.python", "3.10.0"))
///     .and(Predicate::metadata_equals("decommissioning", "true").negate());
/// let metadata = |_: &str| None;
/// assert!(wanted.evaluate(&["hardware.gpu", "software.runtime.python=3.11.5"], metadata));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    nodes: Vec<PredicateNode>,
    root: usize,
}

/// Why a text is no predicate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PredicateError {
    /// It is longer than [`MAX_PREDICATE_BYTES`].
    #[error("a predicate has at most {MAX_PREDICATE_BYTES} bytes as JSON")]
    TooLong,
    /// It is no JSON, or not of this form.
    #[error("a predicate is an object with `nodes` and `root_idx`")]
    Form,
    /// A node is made of one that does not stand before it, or the root does not exist.
    #[error("each node of a predicate stands behind those it is made of")]
    Order,
}

impl Predicate {
    fn leaf(node: PredicateNode) -> Self {
        Self {
            nodes: vec![node],
            root: 0,
        }
    }

    /// Reads the JSON text of a header.
    ///
    /// # Errors
    /// [`PredicateError`] when it is too long, or no predicate.
    pub fn from_header(text: &str) -> Result<Self, PredicateError> {
        if text.len() > MAX_PREDICATE_BYTES {
            return Err(PredicateError::TooLong);
        }
        let value = toolmesh_json::parse(text.as_bytes()).map_err(|_| PredicateError::Form)?;
        let wire: node::PredicateWire = value.deserialize().map_err(|_| PredicateError::Form)?;
        let predicate = Self {
            root: usize::try_from(wire.root_idx).map_err(|_| PredicateError::Order)?,
            nodes: wire.nodes,
        };
        predicate.check_order()?;
        Ok(predicate)
    }

    /// The JSON text for a header.
    ///
    /// # Errors
    /// [`PredicateError::TooLong`]; [`PredicateError::Form`] when a threshold is infinite or no number.
    pub fn to_header(&self) -> Result<String, PredicateError> {
        let wire = node::PredicateWire {
            nodes: self.nodes.clone(),
            root_idx: u32::try_from(self.root).map_err(|_| PredicateError::TooLong)?,
        };
        let text = Value::from_serialize(&wire)
            .map_err(|_| PredicateError::Form)?
            .to_text();
        if text.len() > MAX_PREDICATE_BYTES {
            return Err(PredicateError::TooLong);
        }
        Ok(text)
    }

    /// Whether a node with these tags and this metadata meets it.
    #[must_use]
    pub fn evaluate<'a, T: AsRef<str>>(
        &self,
        tags: &[T],
        metadata: impl Fn(&str) -> Option<&'a str>,
    ) -> bool {
        evaluate::evaluate(&self.nodes, self.root, tags, &metadata)
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.joined(other, |children| PredicateNode::And { children })
    }

    /// Either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.joined(other, |children| PredicateNode::Or { children })
    }

    /// The contrary.
    #[must_use]
    pub fn negate(mut self) -> Self {
        let child = index(self.root);
        self.nodes.push(PredicateNode::Not { child });
        self.root = self.nodes.len() - 1;
        self
    }

    fn joined(mut self, other: Self, join: impl FnOnce(Vec<u32>) -> PredicateNode) -> Self {
        let offset = self.nodes.len();
        let children = vec![index(self.root), index(other.root + offset)];
        self.nodes
            .extend(other.nodes.into_iter().map(|node| node.moved(index(offset))));
        self.nodes.push(join(children));
        self.root = self.nodes.len() - 1;
        self
    }

    fn check_order(&self) -> Result<(), PredicateError> {
        let ordered = self.nodes.iter().enumerate().all(|(at, node)| {
            node.children()
                .iter()
                .all(|child| usize::try_from(*child).is_ok_and(|child| child < at))
        });
        if ordered && self.root < self.nodes.len() {
            Ok(())
        } else {
            Err(PredicateError::Order)
        }
    }
}

/// Nodes are far fewer than this: what is longer than a header cannot be sent.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn what_is_put_together_is_written_and_read_back() {
        let predicate = Predicate::exists(Axis::Hardware, "gpu")
            .or(Predicate::metadata_exists("intent"))
            .and(Predicate::numeric_at_least(Axis::Hardware, "memory_gb", 64.0).negate());
        let text = predicate.to_header().unwrap();
        assert_eq!(Predicate::from_header(&text), Ok(predicate));
    }

    #[test]
    fn a_node_that_does_not_stand_behind_its_parts_is_refused() {
        for text in [
            r#"{"nodes":[],"root_idx":0}"#,
            r#"{"nodes":[{"kind":"not","child":0}],"root_idx":0}"#,
            r#"{"nodes":[{"kind":"and","children":[1]},{"kind":"metadata_exists","key":"k"}],"root_idx":0}"#,
            r#"{"nodes":[{"kind":"metadata_exists","key":"k"}],"root_idx":1}"#,
        ] {
            assert_eq!(Predicate::from_header(text), Err(PredicateError::Order), "{text}");
        }
        for text in ["", "{}", r#"{"nodes":[{"kind":"other"}],"root_idx":0}"#] {
            assert_eq!(Predicate::from_header(text), Err(PredicateError::Form), "{text}");
        }
    }

    #[test]
    fn a_predicate_has_a_bound() {
        let of = |bytes: usize| {
            format!(
                r#"{{"nodes":[{{"kind":"metadata_exists","key":"{}"}}],"root_idx":0}}"#,
                "k".repeat(bytes)
            )
        };
        let room = MAX_PREDICATE_BYTES - of(0).len();
        assert!(Predicate::from_header(&of(room)).is_ok());
        assert_eq!(
            Predicate::from_header(&of(room + 1)),
            Err(PredicateError::TooLong)
        );
        let key = "k".repeat(MAX_PREDICATE_BYTES);
        assert_eq!(
            Predicate::metadata_exists(&key).to_header(),
            Err(PredicateError::TooLong)
        );
    }

    #[test]
    fn shared_parts_are_judged_once_each() {
        // Each node uses the one before it twice: a judge that walked a tree would need 2^60 steps.
        let mut nodes = vec![r#"{"kind":"metadata_exists","key":"k"}"#.to_owned()];
        nodes.extend((0..60).map(|at| format!(r#"{{"kind":"and","children":[{at},{at}]}}"#)));
        let text = format!(r#"{{"nodes":[{}],"root_idx":60}}"#, nodes.join(","));
        let predicate = Predicate::from_header(&text).unwrap();
        assert!(predicate.evaluate::<&str>(&[], |_| Some("")));
        assert!(!predicate.evaluate::<&str>(&[], |_| None));
    }
}
