//! The types of a method with their references resolved: what both the schema and the values are made by, so that they
//! cannot disagree.

mod flat;
mod lower;

use std::sync::Arc;

use toolmesh_tool::IndexMap;

use crate::model::{Manifest, Tagging, TypeRef};
pub use flat::MAX_FLAT_FORMS;
pub(crate) use flat::{FlatForm, FlatMember, Others};

/// How deep named types are written out in the inlined form: a type met deeper is unknown. A self-referential type
/// would otherwise never end.
pub const MAX_INLINE_DEPTH: u32 = 8;

/// The most types that one method's schema is written out to. Types that branch grow with every level; beyond this the
/// method's named types are referred to instead.
pub const MAX_INLINE_TYPES: usize = 2_000;

/// Whether named types are written out or referred to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Written out where they are used, [`MAX_INLINE_DEPTH`] deep. What would be too large is referred to instead.
    #[default]
    Inlined,
    /// Referred to (`$ref` into `$defs`); recursion is exact.
    Definitions,
}

/// A resolved type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) kind: ShapeKind,
    /// The documentation of the named type that it stands for.
    pub(crate) doc: Option<Arc<str>>,
}

/// What a value looks like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShapeKind {
    /// Anything: passed on as it is.
    Unknown,
    Bool,
    String,
    Unit,
    Integer(Integer),
    Float,
    Bytes {
        size: Option<u64>,
    },
    List(Arc<Shape>),
    Map(Arc<Shape>),
    Tuple(Vec<Shape>),
    Record {
        fields: Vec<Member>,
        /// On the wire it is an array.
        positional: bool,
    },
    Variant {
        members: Vec<Alternative>,
        tagging: Tagging,
    },
    /// A named type, in the definitions.
    Reference(String),
}

/// An integer kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    I32,
    I64,
    U32,
    U64,
}

impl Integer {
    /// The least value.
    pub(crate) fn min(self) -> i64 {
        match self {
            Self::I32 => i32::MIN.into(),
            Self::I64 => i64::MIN,
            Self::U32 | Self::U64 => 0,
        }
    }

    /// The greatest value.
    pub(crate) fn max(self) -> u64 {
        match self {
            Self::I32 => i32::MAX.unsigned_abs().into(),
            Self::I64 => i64::MAX.unsigned_abs(),
            Self::U32 => u32::MAX.into(),
            Self::U64 => u64::MAX,
        }
    }

    /// Whether there are values that some clients round.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Self::I64 | Self::U64)
    }
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) nullable: bool,
    pub(crate) doc: Option<Arc<str>>,
}

/// A variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternative {
    pub(crate) name: String,
    pub(crate) payload: Option<Shape>,
    pub(crate) doc: Option<Arc<str>>,
}

/// The named types that shapes refer to.
pub(crate) type Definitions = IndexMap<String, Shape>;

/// Several types of one method, resolved together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shapes {
    /// One for each type that was given, in order.
    pub(crate) roots: Vec<Shape>,
    /// The named types that they refer to.
    pub(crate) definitions: Definitions,
}

impl Shapes {
    /// Resolves types of a manifest.
    pub(crate) fn of(manifest: &Manifest, types: &[&TypeRef], form: Form) -> Self {
        if form == Form::Inlined
            && let Some(roots) = lower::inlined(manifest, types)
        {
            return Self {
                roots,
                definitions: Definitions::new(),
            };
        }
        lower::with_definitions(manifest, types)
    }
}

impl Shape {
    pub(crate) fn new(kind: ShapeKind) -> Self {
        Self { kind, doc: None }
    }

    /// The shape behind references; unknown for a reference to nothing or to itself.
    pub(crate) fn resolve<'a>(&'a self, definitions: &'a Definitions) -> &'a Shape {
        const NOTHING: &Shape = &Shape {
            kind: ShapeKind::Unknown,
            doc: None,
        };
        let mut shape = self;
        // Aliases of aliases end after as many steps as there are types, or never.
        for _ in 0..=definitions.len() {
            let ShapeKind::Reference(name) = &shape.kind else {
                return shape;
            };
            match definitions.get(name) {
                Some(next) => shape = next,
                None => return NOTHING,
            }
        }
        NOTHING
    }
}
