//! Variants in each of serde's representations.

use toolmesh_json::{ArrayBuilder, Value};

use super::{
    compose::described,
    render::{Renderer, Side, of_type},
};
use crate::model::Tagging;
use crate::shape::{Alternative, FlatForm, FlatMember, Others};

/// The schema of a variant type.
pub(super) fn schema(renderer: &Renderer<'_>, members: &[Alternative], tagging: &Tagging) -> Value {
    match tagging {
        Tagging::External => external(renderer, members),
        Tagging::Adjacent { tag, content } => any_of(
            members
                .iter()
                .map(|member| adjacent(renderer, member, tag, content)),
        ),
        Tagging::Internal { tag } => {
            let forms = members.iter().flat_map(|member| internal(renderer, member, tag));
            any_of(forms.collect::<Vec<_>>().into_iter())
        }
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

/// The tag among the payload's own members: one schema for each form that such an object has.
fn internal(renderer: &Renderer<'_>, member: &Alternative, tag: &str) -> Vec<Value> {
    let forms = FlatForm::all(member, tag, renderer.definitions);
    let schemas = forms.iter().map(|form| flat(renderer, form));
    schemas
        .map(|schema| described(schema, member.doc.as_deref()))
        .collect()
}

fn flat(renderer: &Renderer<'_>, form: &FlatForm<'_>) -> Value {
    let renderer = if form.untagged {
        renderer.untagged()
    } else {
        *renderer
    };
    let is_asked_for = renderer.side == Side::Input;
    let mut properties = Value::object();
    let mut required = Value::array();
    for (tag, name) in &form.tags {
        properties.insert(*tag, constant(name));
        required.add(*tag);
    }
    for member in &form.members {
        let schema = match member {
            FlatMember::Field(field) => renderer.member(field),
            FlatMember::Payload(_, shape) => renderer.part(shape),
            FlatMember::Unit(_) => of_type("null"),
        };
        properties.insert(member.name(), schema);
        // What is given back may leave out fields; the name of a variant it has.
        if is_asked_for || form.others == Others::Nothing {
            required.add(member.name());
        }
    }
    let others = match form.others {
        Others::Of(value) => Some(renderer.part(value)),
        Others::Nothing if is_asked_for => Some(Value::from(false)),
        Others::Nothing | Others::Dropped | Others::Unknown => None,
    };
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", required)
        .put_opt("additionalProperties", others)
        .build()
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
