//! The kinds of values that a schema takes.

use toolmesh_json::{Kind as JsonKind, View};

use super::Document;

/// What `type` may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The narrowest kind of a value.
    pub(crate) fn of(value: View<'_>) -> Self {
        match value.kind() {
            JsonKind::Null => Self::Null,
            JsonKind::Boolean => Self::Boolean,
            JsonKind::Number if value.as_number().is_some_and(toolmesh_json::Number::is_integer) => {
                Self::Integer
            }
            JsonKind::Number => Self::Number,
            JsonKind::String => Self::String,
            JsonKind::Array => Self::Array,
            JsonKind::Object => Self::Object,
        }
    }

    /// Whether every value of the other kind is of this one.
    pub(crate) fn includes(self, other: Self) -> bool {
        self == other || (self == Self::Number && other == Self::Integer)
    }

    pub(crate) fn is_scalar(self) -> bool {
        !matches!(self, Self::Array | Self::Object)
    }

    fn overlaps(self, other: Self) -> bool {
        self.includes(other) || other.includes(self)
    }
}

/// What `type` says, each kind once; none when there is no `type`.
pub(crate) fn declared(schema: View<'_>) -> Option<Vec<Kind>> {
    let said = schema.get("type")?;
    let mut kinds = Vec::new();
    let listed = said.as_array().into_iter().flatten().filter_map(View::as_str);
    for kind in said.as_str().into_iter().chain(listed).filter_map(Kind::parse) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.contains(&Kind::Number) {
        kinds.retain(|kind| *kind != Kind::Integer);
    }
    Some(kinds)
}

/// Every kind that a schema may take: none that it takes is missing.
pub(crate) fn kinds(document: &Document, schema: View<'_>) -> Vec<Kind> {
    kinds_within(document, schema, 8)
}

fn kinds_within(document: &Document, schema: View<'_>, depth: u32) -> Vec<Kind> {
    let schema = document.resolve(schema);
    let mut found = declared(schema).unwrap_or_else(|| Kind::ALL.to_vec());
    if depth == 0 {
        return found;
    }
    if let Some(values) = super::literals(schema) {
        found = meet(
            &found,
            &values
                .iter()
                .map(|value| Kind::of(value.view()))
                .collect::<Vec<_>>(),
        );
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(View::as_array) {
            let all: Vec<Kind> = branches
                .iter()
                .flat_map(|branch| kinds_within(document, branch, depth - 1))
                .collect();
            found = meet(&found, &all);
        }
    }
    if let Some(parts) = schema.get("allOf").and_then(View::as_array) {
        for part in parts {
            found = meet(&found, &kinds_within(document, part, depth - 1));
        }
    }
    found
}

/// The kinds in both, an integer being a number.
pub(super) fn meet(one: &[Kind], other: &[Kind]) -> Vec<Kind> {
    let mut both = Vec::new();
    for a in one {
        for b in other {
            let common = if a.includes(*b) { *b } else { *a };
            if a.overlaps(*b) && !both.contains(&common) {
                both.push(common);
            }
        }
    }
    both
}
