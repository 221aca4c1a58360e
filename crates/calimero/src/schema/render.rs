//! Shapes to schemas.

use toolmesh_json::Value;

use super::{
    bytes,
    compose::{described, nullable},
    variant,
};
use crate::shape::{Definitions, Integer, Member, Shape, ShapeKind};

/// Which way values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// To the application.
    Input,
    /// From the application.
    Output,
}

/// Makes schemas for one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renderer<'a> {
    pub(super) side: Side,
    /// What references lead to.
    pub(super) definitions: &'a Definitions,
    /// Bytes are numbers only: among untagged variants, text that looks like hexadecimal digits is text.
    only_numbers: bool,
}

/// What is said of integers that some clients round.
const WIDE: &str = "64 bits; where a client would round it, a string of its decimal digits is taken too";

impl<'a> Renderer<'a> {
    pub(super) fn new(side: Side, definitions: &'a Definitions) -> Self {
        Self {
            side,
            definitions,
            only_numbers: false,
        }
    }

    /// The same, for the payloads of untagged variants.
    pub(super) fn untagged(self) -> Self {
        Self {
            only_numbers: true,
            ..self
        }
    }

    /// The schema of a shape.
    pub(super) fn shape(&self, shape: &Shape) -> Value {
        described(self.kind(&shape.kind), shape.doc.as_deref())
    }

    fn kind(&self, kind: &ShapeKind) -> Value {
        match kind {
            ShapeKind::Unknown => Value::object().build(),
            ShapeKind::Bool => of_type("boolean"),
            ShapeKind::String => of_type("string"),
            ShapeKind::Unit => of_type("null"),
            ShapeKind::Integer(integer) => self.integer(*integer),
            ShapeKind::Float => of_type("number"),
            ShapeKind::Bytes { size } if self.side == Side::Input && !self.only_numbers => {
                bytes::input(*size)
            }
            ShapeKind::Bytes { size } => bytes::numbers(*size),
            ShapeKind::List(item) => Value::object()
                .put("type", "array")
                .put("items", self.part(item))
                .build(),
            ShapeKind::Map(value) => Value::object()
                .put("type", "object")
                .put("additionalProperties", self.part(value))
                .build(),
            ShapeKind::Tuple(elements) => {
                fixed_array(elements.iter().map(|element| self.part(element)).collect())
            }
            ShapeKind::Record { fields, positional } => self.record(fields, *positional),
            ShapeKind::Variant { members, tagging } => variant::schema(self, members, tagging),
            ShapeKind::Reference(name) => Value::object().put("$ref", reference(name)).build(),
        }
    }

    /// The schema of a part of something: on the way out it may be null, because a manifest does not tell of `Option`
    /// inside of types.
    pub(super) fn part(&self, shape: &Shape) -> Value {
        let schema = self.shape(shape);
        match self.side {
            Side::Input => schema,
            Side::Output => nullable(schema),
        }
    }

    fn integer(&self, integer: Integer) -> Value {
        let bounds = Value::object()
            .put("type", "integer")
            .put("minimum", integer.min())
            .put("maximum", integer.max());
        let says_so = self.side == Side::Input && integer.is_wide() && !self.only_numbers;
        bounds.put_opt("description", says_so.then_some(WIDE)).build()
    }

    fn record(&self, fields: &[Member], positional: bool) -> Value {
        if !positional {
            return self.object(fields);
        }
        let array = fixed_array(fields.iter().map(|field| self.member(field)).collect());
        if has_twins(fields) {
            return array;
        }
        Value::object()
            .put("anyOf", Value::array().push(array).push(self.object(fields)))
            .build()
    }

    fn object(&self, fields: &[Member]) -> Value {
        let mut properties = Value::object();
        let mut required = Value::array();
        for field in fields {
            properties.insert(field.name.as_str(), self.member(field));
            required.add(field.name.as_str());
        }
        let mut schema = Value::object()
            .put("type", "object")
            .put("properties", properties);
        if self.side == Side::Input && !required.is_empty() {
            schema.insert("required", required);
        }
        schema.build()
    }

    /// The schema of a field.
    pub(super) fn member(&self, field: &Member) -> Value {
        let schema = self.part(&field.shape);
        let schema = if field.nullable { nullable(schema) } else { schema };
        described(schema, field.doc.as_deref())
    }
}

/// Whether two fields have one name, so that there is no object of them.
pub(crate) fn has_twins(fields: &[Member]) -> bool {
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names
        .windows(2)
        .any(|pair| matches!(pair, [first, second] if first == second))
}

pub(super) fn of_type(name: &str) -> Value {
    Value::object().put("type", name).build()
}

/// An array with one schema for each place.
fn fixed_array(items: Vec<Value>) -> Value {
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let array = Value::object().put("type", "array");
    // An empty list of places is no schema; a length says it all.
    let array = if items.is_empty() {
        array
    } else {
        array
            .put("prefixItems", items.into_iter().collect::<Value>())
            .put("items", false)
    };
    array.put("minItems", count).put("maxItems", count).build()
}

/// A reference to a definition: a JSON Pointer in a URI's fragment.
fn reference(name: &str) -> String {
    let mut text = "#/$defs/".to_owned();
    for byte in name.replace('~', "~0").replace('/', "~1").bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}
