//! How a schema is laid out for the short way: each usual keyword in a place of its own, by the kind of value it speaks of.

use std::sync::Arc;

use toolmesh_json::Value;

use crate::declared::Declared;
use crate::format::Format;
use crate::keywords::{Bound, Count, TypeSet};
use crate::pattern::Pattern;
use crate::program::{Body, Keyword, Node, NodeId};

/// A plan for each node of a program, by the same index.
pub(crate) struct Plans {
    list: Vec<Plan>,
}

/// What a node says.
pub(super) struct Plan {
    /// What opening the node costs, its `type` included.
    pub(super) charge: u64,
    /// The types that fit: all of them where there is no `type`.
    pub(super) types: TypeSet,
    /// Whether the node says a type and nothing else, as most do.
    pub(super) is_leaf: bool,
    pub(super) object: Option<Box<ObjectPlan>>,
    pub(super) items: Option<(NodeId, usize)>,
    pub(super) bounds: Box<[Bound]>,
    pub(super) texts: Box<[TextPlan]>,
    /// Whether one of the following is there.
    pub(super) says_more: bool,
    pub(super) reference: Option<NodeId>,
    /// The places of the other keywords in the node's list.
    pub(super) others: Box<[usize]>,
    /// The place of `enum`, for what is no text.
    pub(super) enumeration: Option<usize>,
}

/// What is asked of a text.
pub(super) enum TextPlan {
    /// The candidates of `enum`; what is no text is never met by one.
    OneOf(Box<[Option<Box<str>>]>),
    Length(Count),
    Pattern(Arc<Pattern>),
    Format(Format),
}

/// What `required`, `properties` and `additionalProperties` say together.
pub(super) struct ObjectPlan {
    /// What the first two charge, whatever the object.
    pub(super) charge: u64,
    pub(super) declared: Declared,
    /// A bit for each declared member that is required.
    pub(super) required: u64,
    /// Names that are required and have no bit.
    pub(super) names: Box<[Arc<str>]>,
    /// The schema of the members that are not declared.
    pub(super) rest: Option<NodeId>,
}

impl Plans {
    /// Nothing when there is a keyword that only the long way knows.
    pub(crate) fn of(nodes: &[Node]) -> Option<Self> {
        let list = nodes.iter().map(Plan::of).collect::<Option<Vec<Plan>>>()?;
        Some(Self { list })
    }

    #[inline]
    pub(super) fn get(&self, node: NodeId) -> Option<&Plan> {
        self.list.get(node.0 as usize)
    }
}

impl Plan {
    fn of(node: &Node) -> Option<Self> {
        match &node.body {
            Body::Boolean(true) => Some(Self::saying(TypeSet::ALL)),
            Body::Boolean(false) => Some(Self::saying(TypeSet::default())),
            Body::Keywords(list) => Self::of_keywords(list),
        }
    }

    /// Nothing but which types fit, which costs nothing to ask.
    fn saying(types: TypeSet) -> Self {
        Self {
            charge: 1,
            types,
            is_leaf: true,
            says_more: false,
            reference: None,
            object: None,
            items: None,
            bounds: Box::default(),
            texts: Box::default(),
            others: Box::default(),
            enumeration: None,
        }
    }

    fn of_keywords(list: &[Keyword]) -> Option<Self> {
        let mut plan = Self::saying(TypeSet::ALL);
        let (mut bounds, mut texts, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (place, keyword) in list.iter().enumerate() {
            match keyword {
                Keyword::Type(types) => (plan.types, plan.charge) = (*types, 2),
                Keyword::Reference(target) => plan.reference = Some(*target),
                Keyword::Items { node, after } => plan.items = Some((*node, *after)),
                Keyword::Bound(bound) => bounds.push(bound.clone()),
                Keyword::Enum(values) => {
                    plan.enumeration = Some(place);
                    texts.push(TextPlan::OneOf(values.iter().map(text_of).collect()));
                }
                Keyword::Count(count) if count.is_of_characters() => texts.push(TextPlan::Length(*count)),
                Keyword::Pattern(pattern) => texts.push(TextPlan::Pattern(Arc::clone(pattern))),
                Keyword::Format(format) => texts.push(TextPlan::Format(*format)),
                Keyword::Required(_) | Keyword::Properties(_) => {}
                Keyword::AdditionalProperties(schema) if schema.of_undeclared().is_some() => {}
                known if is_known(known) => others.push(place),
                _ => return None,
            }
        }
        plan.object = ObjectPlan::of(list).map(Box::new);
        plan.is_leaf = list.iter().all(|keyword| matches!(keyword, Keyword::Type(_)));
        plan.says_more = plan.reference.is_some() || plan.enumeration.is_some() || !others.is_empty();
        (plan.bounds, plan.texts, plan.others) = (bounds.into(), texts.into(), others.into());
        Some(plan)
    }
}

fn text_of(value: &Value) -> Option<Box<str>> {
    value.as_str().map(Box::from)
}

/// Whether the short way knows a keyword that has no place of its own.
fn is_known(keyword: &Keyword) -> bool {
    !matches!(
        keyword,
        Keyword::DynamicReference { .. }
            | Keyword::DependentRequired(_)
            | Keyword::DependentSchemas(_)
            | Keyword::Dependencies { .. }
            | Keyword::PatternProperties(_)
            | Keyword::AdditionalProperties(_)
            | Keyword::PropertyNames(_)
            | Keyword::Contains(_)
            | Keyword::UnevaluatedProperties(_)
            | Keyword::UnevaluatedItems(_)
    )
}

impl ObjectPlan {
    fn of(list: &[Keyword]) -> Option<Self> {
        let (mut names, mut declared, mut rest) = (None, None, None);
        for keyword in list {
            match keyword {
                Keyword::Required(required) => names = Some(required),
                Keyword::Properties(members) => declared = Some(members.clone()),
                Keyword::AdditionalProperties(schema) => rest = schema.of_undeclared(),
                _ => {}
            }
        }
        if names.is_none() && declared.is_none() && rest.is_none() {
            return None;
        }
        let declared = declared.unwrap_or_else(Declared::none);
        let names: &[Arc<str>] = names.map_or(&[], |names| names);
        let bit_of = |name: &Arc<str>| declared.find(name.as_bytes()).map_or(0, |(place, _)| bit(place));
        Some(Self {
            charge: (names.len() + declared.len()) as u64,
            required: names.iter().map(bit_of).fold(0, |all, bit| all | bit),
            names: names.iter().filter(|name| bit_of(name) == 0).cloned().collect(),
            rest,
            declared,
        })
    }
}

/// The bit of a place; none beyond the width of the mask.
#[inline]
pub(super) fn bit(place: usize) -> u64 {
    u32::try_from(place)
        .ok()
        .and_then(|place| 1_u64.checked_shl(place))
        .unwrap_or_default()
}
