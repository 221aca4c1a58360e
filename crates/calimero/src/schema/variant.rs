//! Variants in each of serde's representations.

use toolmesh_json::{ArrayBuilder, Value};

use super::{
    compose::described,
    render::{Renderer, Side, of_type},
};
use crate::model::Tagging;
use crate::shape::{Alternative, ShapeKind};

/// The schema of a variant type.
pub(super) fn schema(renderer: &Renderer<'_>, members: &[Alternative], tagging: &Tagging) -> Value {
    match tagging {
        Tagging::External => external(renderer, members),
        Tagging::Adjacent { tag, content } => any_of(
            members
                .iter()
                .map(|member| adjacent(renderer, member, tag, content)),
        ),
        Tagging::Internal { tag } => any_of(members.iter().map(|member| internal(renderer, member, tag))),
        Tagging::Untagged => any_of(members.iter().map(|member| untagged(renderer, member))),
    }
}

/// Unit variants by their names, payloads under theirs.
fn external(renderer: &Renderer<'_>, members: &[Alternative]) -> Value {
    let units = || members.iter().filter(|member| member.payload.is_none());
    let mut alternatives = Vec::new();
    if units().any(|member| member.doc.is_some()) {
        alternatives.extend(units().map(|member| {
            let name = constant(&member.name);
            described(name, member.doc.as_deref())
        }));
    } else if units().next().is_some() {
        let names = units().fold(Value::array(), |names, member| names.push(member.name.as_str()));
        alternatives.push(Value::object().put("type", "string").put("enum", names).build());
    }
    for member in members {
        if let Some(payload) = &member.payload {
            let members = vec![(member.name.as_str(), renderer.part(payload))];
            alternatives.push(described(object(members, renderer.side), member.doc.as_deref()));
        }
    }
    any_of(alternatives.into_iter())
}

fn adjacent(renderer: &Renderer<'_>, member: &Alternative, tag: &str, content: &str) -> Value {
    let mut members = vec![(tag, constant(&member.name))];
    if let Some(payload) = &member.payload {
        members.push((content, renderer.part(payload)));
    }
    described(object(members, renderer.side), member.doc.as_deref())
}

/// The tag among the payload's own members, where those are known here; else the tag alone is checked.
fn internal(renderer: &Renderer<'_>, member: &Alternative, tag: &str) -> Value {
    let mut properties = Value::object().put(tag, constant(&member.name));
    let mut required = Value::array().push(tag);
    let mut others = None;
    let payload = member
        .payload
        .as_ref()
        .map(|payload| payload.resolve(renderer.definitions));
    match payload.map(|payload| &payload.kind) {
        Some(ShapeKind::Record { fields, .. }) => {
            for field in fields.iter().filter(|field| field.name != tag) {
                properties.insert(field.name.as_str(), renderer.member(field));
                if renderer.side == Side::Input {
                    required.add(field.name.as_str());
                }
            }
        }
        Some(ShapeKind::Map(value)) => others = Some(renderer.part(value)),
        _ => {}
    }
    let schema = Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", required)
        .put_opt("additionalProperties", others);
    described(schema.build(), member.doc.as_deref())
}

fn untagged(renderer: &Renderer<'_>, member: &Alternative) -> Value {
    let schema = match &member.payload {
        Some(payload) => renderer.untagged().part(payload),
        None => of_type("null"),
    };
    described(schema, member.doc.as_deref())
}

fn constant(name: &str) -> Value {
    Value::object().put("type", "string").put("const", name).build()
}

/// An object that has these members; on the way in, no others.
fn object(members: Vec<(&str, Value)>, side: Side) -> Value {
    let required = members
        .iter()
        .fold(Value::array(), |names, (name, _)| names.push(*name));
    let schema = Value::object()
        .put("type", "object")
        .put(
            "properties",
            members.into_iter().collect::<toolmesh_json::ObjectBuilder>(),
        )
        .put("required", required);
    match side {
        Side::Input => schema.put("additionalProperties", false).build(),
        Side::Output => schema.build(),
    }
}

/// One of several schemas; of one, itself.
fn any_of(alternatives: impl ExactSizeIterator<Item = Value>) -> Value {
    if alternatives.len() == 1 {
        return alternatives.last().unwrap_or_else(|| Value::object().build());
    }
    let mut list = ArrayBuilder::default();
    alternatives.for_each(|alternative| list.add(alternative));
    Value::object().put("anyOf", list).build()
}
