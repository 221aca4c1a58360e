//! The compiled form: every schema of a document as a node of one arena, joined by indices.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_json::Value;
use toolmesh_json::pointer::Pointer;

use crate::declared::Declared;
use crate::format::Format;
use crate::keywords::{
    AdditionalProperties, Bound, Conditional, Contains, Count, DependentRequired, MultipleOf, TypeSet,
};
use crate::pattern::Pattern;
use crate::resource::ResourceId;
use crate::short::Plans;

/// The index of a node in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

/// A member name of the schema with the node that it leads to.
pub(crate) type NamedNode = (Arc<str>, NodeId);

/// One schema.
pub(crate) struct Node {
    pub(crate) origin: Origin,
    /// The resource that it belongs to: what its references are relative to.
    pub(crate) resource: ResourceId,
    /// Whether it has to know which parts of a value other schemas have spoken of.
    pub(crate) tracks: bool,
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
    /// A place that no keyword compiles and only a reference leads to, by its steps from the parent.
    Below(Arc<[String]>),
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
    Format(Format),
    UniqueItems,
    Required(Box<[Arc<str>]>),
    DependentRequired(Box<[DependentRequired]>),
    Reference(NodeId),
    /// A reference whose target is the outermost schema of that dynamic anchor, where there is a name.
    DynamicReference {
        target: NodeId,
        anchor: Option<Arc<str>>,
    },
    AllOf(Box<[NodeId]>),
    AnyOf(Box<[NodeId]>),
    OneOf(Box<[NodeId]>),
    Not(NodeId),
    Conditional(Conditional),
    DependentSchemas(Box<[NamedNode]>),
    /// The older form of the two.
    Dependencies {
        required: Box<[DependentRequired]>,
        schemas: Box<[NamedNode]>,
    },
    Properties(Declared),
    PatternProperties(Box<[(Arc<Pattern>, NodeId)]>),
    AdditionalProperties(AdditionalProperties),
    PropertyNames(NodeId),
    PrefixItems(Box<[NodeId]>),
    Items {
        node: NodeId,
        after: usize,
    },
    Contains(Contains),
    UnevaluatedProperties(NodeId),
    UnevaluatedItems(NodeId),
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
            Self::Format(_) => 7,
            Self::UniqueItems => 8,
            Self::Required(_) => 9,
            Self::DependentRequired(_) => 10,
            Self::Reference(_) => 11,
            Self::DynamicReference { .. } => 12,
            Self::AllOf(_) => 13,
            Self::AnyOf(_) => 14,
            Self::OneOf(_) => 15,
            Self::Not(_) => 16,
            Self::Conditional(_) => 17,
            Self::DependentSchemas(_) => 18,
            Self::Dependencies { .. } => 19,
            Self::Properties(_) => 20,
            Self::PatternProperties(_) => 21,
            Self::AdditionalProperties(_) => 22,
            Self::PropertyNames(_) => 23,
            Self::PrefixItems(_) => 24,
            Self::Items { .. } => 25,
            Self::Contains(_) => 26,
            Self::UnevaluatedProperties(_) => 27,
            Self::UnevaluatedItems(_) => 28,
        }
    }

    /// Whether it looks at what its siblings have left over.
    pub(crate) fn is_unevaluated(&self) -> bool {
        matches!(self, Self::UnevaluatedProperties(_) | Self::UnevaluatedItems(_))
    }
}

/// Lets keywords know of siblings that they depend on.
pub(crate) fn acquaint(keywords: &mut [Keyword]) {
    let declared = keywords.iter().find_map(|keyword| match keyword {
        Keyword::Properties(declared) => Some(declared.clone()),
        _ => None,
    });
    let Some(declared) = declared else { return };
    for keyword in keywords {
        if let Keyword::AdditionalProperties(rest) = keyword {
            rest.beside(&declared);
        }
    }
}

/// A compiled document, with the parts of other documents that it refers to.
pub(crate) struct Program {
    nodes: Vec<Node>,
    resources: Vec<LinkedResource>,
    /// How to judge values the short way, where that is known for every node.
    plans: Option<Plans>,
}

/// What evaluation has to know of a resource.
pub(crate) struct LinkedResource {
    /// The URI of the document, if it is another one than the document that was compiled.
    pub(crate) document: Option<Arc<str>>,
    /// Its `$dynamicAnchor` names.
    pub(crate) dynamic_anchors: HashMap<Arc<str>, NodeId>,
}

/// What an index outside the arena would be, if there were one: it accepts nothing.
static NOTHING: Node = Node {
    origin: Origin {
        parent: None,
        keyword: "",
        member: Member::Whole,
    },
    resource: ResourceId::MAIN,
    tracks: false,
    body: Body::Boolean(false),
};

impl Program {
    pub(crate) const ROOT: NodeId = NodeId(0);

    pub(crate) fn new(nodes: Vec<Node>, resources: Vec<LinkedResource>) -> Self {
        let plans = Plans::of(&nodes);
        Self {
            nodes,
            resources,
            plans,
        }
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

    /// How to judge values the short way.
    pub(crate) fn plans(&self) -> Option<&Plans> {
        self.plans.as_ref()
    }

    /// Whether a node is `true`.
    pub(crate) fn accepts_all(&self, id: NodeId) -> bool {
        matches!(self.node(id).body, Body::Boolean(true))
    }

    /// The URI of the document that a node stands in, if it is not the compiled document itself.
    pub(crate) fn document(&self, id: NodeId) -> Option<&Arc<str>> {
        self.linked(self.node(id).resource)?.document.as_ref()
    }

    /// The schema of a dynamic anchor in a resource.
    pub(crate) fn dynamic_anchor(&self, resource: ResourceId, name: &str) -> Option<NodeId> {
        self.linked(resource)?.dynamic_anchors.get(name).copied()
    }

    fn linked(&self, resource: ResourceId) -> Option<&LinkedResource> {
        self.resources.get(resource.index())
    }

    /// The pointer of a keyword of a node.
    pub(crate) fn keyword_location(&self, id: NodeId, keyword: &str) -> Pointer {
        let mut pointer = self.location(id);
        pointer.push(keyword);
        pointer
    }
}

pub(crate) fn node(nodes: &[Node], id: NodeId) -> &Node {
    nodes.get(id.0 as usize).unwrap_or(&NOTHING)
}

/// The pointer of a node that is already in the arena.
pub(crate) fn location(nodes: &[Node], id: NodeId) -> Pointer {
    origin_location(nodes, &node(nodes, id).origin)
}

/// How many schemas a node stands in, itself included.
pub(crate) fn depth(nodes: &[Node], id: NodeId) -> usize {
    ancestors(nodes, id).count()
}

/// The root of the document that a node stands in.
pub(crate) fn root(nodes: &[Node], id: NodeId) -> NodeId {
    ancestors(nodes, id).last().unwrap_or(id)
}

fn ancestors(nodes: &[Node], id: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(Some(id), |id| node(nodes, *id).origin.parent)
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
        if let Member::Below(path) = &step.member {
            path.iter().for_each(|segment| pointer.push(segment));
            continue;
        }
        pointer.push(step.keyword);
        match &step.member {
            Member::Whole | Member::Below(_) => {}
            Member::Name(name) => pointer.push(name.as_ref()),
            Member::Index(index) => pointer.push_index(*index),
        }
    }
    pointer
}
