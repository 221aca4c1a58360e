//! The compiled form: every schema of a document as a node of one arena, joined by indices.

use std::sync::Arc;

use toolmesh_json::Value;
use toolmesh_json::pointer::Pointer;

use crate::keywords::{
    AdditionalProperties, Bound, Conditional, Contains, Count, DependentRequired, MultipleOf, TypeSet,
};
use crate::pattern::Pattern;

/// The index of a node in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

/// A member name of the schema with the node that it leads to.
pub(crate) type NamedNode = (Arc<str>, NodeId);

/// One schema.
pub(crate) struct Node {
    pub(crate) origin: Origin,
    pub(crate) body: Body,
}

/// What a schema asserts.
pub(crate) enum Body {
    /// `true` or `false`.
    Boolean(bool),
    /// The assertions and applicators of a schema object, in the order of evaluation.
    Keywords(Box<[Keyword]>),
}

/// Where a node stands: a step from its parent. Whole pointers are only made when somebody asks.
pub(crate) struct Origin {
    pub(crate) parent: Option<NodeId>,
    pub(crate) keyword: &'static str,
    pub(crate) member: Member,
}

/// Which part of the parent's keyword a node is.
#[derive(Clone)]
pub(crate) enum Member {
    /// The keyword's value itself.
    Whole,
    /// A member of the keyword's object.
    Name(Arc<str>),
    /// An element of the keyword's array.
    Index(usize),
}

/// One assertion or applicator. The order of the variants is the order of evaluation.
pub(crate) enum Keyword {
    Type(TypeSet),
    Const(Value),
    Enum(Box<[Value]>),
    Bound(Bound),
    MultipleOf(MultipleOf),
    Count(Count),
    Pattern(Arc<Pattern>),
    UniqueItems,
    Required(Box<[Arc<str>]>),
    DependentRequired(Box<[DependentRequired]>),
    Reference(NodeId),
    AllOf(Box<[NodeId]>),
    AnyOf(Box<[NodeId]>),
    OneOf(Box<[NodeId]>),
    Not(NodeId),
    Conditional(Conditional),
    DependentSchemas(Box<[NamedNode]>),
    Properties(Box<[NamedNode]>),
    PatternProperties(Box<[(Arc<Pattern>, NodeId)]>),
    AdditionalProperties(AdditionalProperties),
    PropertyNames(NodeId),
    PrefixItems(Box<[NodeId]>),
    Items { node: NodeId, after: usize },
    Contains(Contains),
}

impl Keyword {
    /// The place in the order of evaluation. `minimum` and `maximum` come before `required`, as Profile 1 charges them.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Type(_) => 0,
            Self::Const(_) => 1,
            Self::Enum(_) => 2,
            Self::Bound(_) => 3,
            Self::MultipleOf(_) => 4,
            Self::Count(_) => 5,
            Self::Pattern(_) => 6,
            Self::UniqueItems => 7,
            Self::Required(_) => 8,
            Self::DependentRequired(_) => 9,
            Self::Reference(_) => 10,
            Self::AllOf(_) => 11,
            Self::AnyOf(_) => 12,
            Self::OneOf(_) => 13,
            Self::Not(_) => 14,
            Self::Conditional(_) => 15,
            Self::DependentSchemas(_) => 16,
            Self::Properties(_) => 17,
            Self::PatternProperties(_) => 18,
            Self::AdditionalProperties(_) => 19,
            Self::PropertyNames(_) => 20,
            Self::PrefixItems(_) => 21,
            Self::Items { .. } => 22,
            Self::Contains(_) => 23,
        }
    }
}

/// A compiled document.
pub(crate) struct Program {
    nodes: Vec<Node>,
}

/// What an index outside the arena would be, if there were one: it accepts nothing.
static NOTHING: Node = Node {
    origin: Origin {
        parent: None,
        keyword: "",
        member: Member::Whole,
    },
    body: Body::Boolean(false),
};

impl Program {
    pub(crate) const ROOT: NodeId = NodeId(0);

    pub(crate) fn new(nodes: Vec<Node>) -> Self {
        Self { nodes }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        node(&self.nodes, id)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The pointer of a node in the document.
    pub(crate) fn location(&self, id: NodeId) -> Pointer {
        location(&self.nodes, id)
    }

    /// The pointer of a keyword of a node.
    pub(crate) fn keyword_location(&self, id: NodeId, keyword: &str) -> Pointer {
        let mut pointer = self.location(id);
        pointer.push(keyword);
        pointer
    }
}

fn node(nodes: &[Node], id: NodeId) -> &Node {
    nodes.get(id.0 as usize).unwrap_or(&NOTHING)
}

/// The pointer of a node that is already in the arena.
pub(crate) fn location(nodes: &[Node], id: NodeId) -> Pointer {
    origin_location(nodes, &node(nodes, id).origin)
}

/// The pointer of a node by its origin, also before it is in the arena.
pub(crate) fn origin_location(nodes: &[Node], origin: &Origin) -> Pointer {
    let mut steps = vec![origin];
    let mut next = origin.parent;
    while let Some(id) = next {
        let parent = &node(nodes, id).origin;
        steps.push(parent);
        next = parent.parent;
    }
    let mut pointer = Pointer::default();
    for step in steps.into_iter().rev().filter(|step| step.parent.is_some()) {
        pointer.push(step.keyword);
        match &step.member {
            Member::Whole => {}
            Member::Name(name) => pointer.push(name.as_ref()),
            Member::Index(index) => pointer.push_index(*index),
        }
    }
    pointer
}
