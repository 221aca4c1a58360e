//! Types to JSON Schema (draft 2020-12).
//!
//! The input side says what a tool takes, the output side what a method is known to give back. They differ on purpose:
//! a manifest tells only the outermost `Option` of what a method returns, and nothing of members that are left out, so
//! the output side allows null everywhere and asks for no member, and a real answer satisfies it.

mod bytes;
mod compose;
mod render;
mod variant;

use toolmesh_json::Value;

use crate::context::Targeting;
use crate::model::{Manifest, Method, Scalar, TypeRef};
use crate::shape::{Form, Shape, Shapes};
use compose::{described, nullable};
use render::{Renderer, Side};

pub(crate) use render::has_twins;

/// The member of a tool's structured result that holds what the method returned.
pub const RESULT: &str = "result";

/// The schema of a type as it is asked for, `$defs` included.
#[must_use]
pub fn input_type_schema(manifest: &Manifest, ty: &TypeRef, form: Form) -> Value {
    type_schema(manifest, ty, form, Side::Input)
}

/// The schema of a type as it is given back, `$defs` included.
#[must_use]
pub fn output_type_schema(manifest: &Manifest, ty: &TypeRef, form: Form) -> Value {
    type_schema(manifest, ty, form, Side::Output)
}

fn type_schema(manifest: &Manifest, ty: &TypeRef, form: Form, side: Side) -> Value {
    let shapes = Shapes::of(manifest, &[ty], form);
    let renderer = Renderer::new(side, &shapes.definitions);
    let schema = match shapes.roots.first() {
        Some(shape) => renderer.shape(shape),
        None => Value::object().build(),
    };
    with_definitions(schema, &renderer, &shapes)
}

/// The schema of a tool's arguments: the injected `_context`, unless the method declares one of its own, and the
/// parameters in the order of the manifest.
#[must_use]
pub fn input_schema(manifest: &Manifest, method: &Method, form: Form) -> Value {
    let types: Vec<&TypeRef> = method.params.iter().map(|param| &param.ty).collect();
    arguments_schema(method, &Shapes::of(manifest, &types, form), Targeting::Context)
}

/// The schema of arguments whose types are resolved already.
pub(crate) fn arguments_schema(method: &Method, shapes: &Shapes, targeting: Targeting) -> Value {
    let renderer = Renderer::new(Side::Input, &shapes.definitions);
    let mut properties = Value::object();
    let mut required = Value::array();
    if let Some(argument) = targeting.argument_of(method) {
        properties.insert(argument, targeting.schema());
        if targeting.is_required() {
            required.add(argument);
        }
    }
    for (param, shape) in method.params.iter().zip(&shapes.roots) {
        let schema = parameter(&renderer, shape, param.nullable, param.doc.as_deref());
        properties.insert(param.name.as_str(), schema);
        if !param.nullable {
            required.add(param.name.as_str());
        }
    }
    let mut schema = Value::object()
        .put("type", "object")
        .put("properties", properties);
    if !required.is_empty() {
        schema.insert("required", required);
    }
    with_definitions(schema.build(), &renderer, shapes)
}

fn parameter(renderer: &Renderer<'_>, shape: &Shape, may_be_null: bool, doc: Option<&str>) -> Value {
    let schema = renderer.shape(shape);
    let schema = if may_be_null { nullable(schema) } else { schema };
    described(schema, doc)
}

/// The schema of a tool's structured result, `{"result": ..}`; `None` where nothing is known of what a method gives
/// back: it says nothing, or `unit`, which some toolchains write for every method.
#[must_use]
pub fn output_schema(manifest: &Manifest, method: &Method, form: Form) -> Option<Value> {
    let returns = method.returns.as_ref()?;
    if *returns == TypeRef::Scalar(Scalar::Unit) {
        return None;
    }
    let shapes = Shapes::of(manifest, &[returns], form);
    let renderer = Renderer::new(Side::Output, &shapes.definitions);
    let result = nullable(renderer.shape(shapes.roots.first()?));
    let result = described(result, method.returns_doc.as_deref());
    let schema = Value::object()
        .put("type", "object")
        .put("properties", Value::object().put(RESULT, result))
        .put("required", Value::array().push(RESULT))
        .build();
    Some(with_definitions(schema, &renderer, &shapes))
}

/// The schema of what an event carries.
pub(crate) fn event_schema(manifest: &Manifest, payload: &TypeRef) -> Value {
    let shapes = Shapes::of(manifest, &[payload], Form::Inlined);
    let renderer = Renderer::new(Side::Output, &shapes.definitions);
    let schema = shapes.roots.first().map(|shape| nullable(renderer.shape(shape)));
    with_definitions(
        schema.unwrap_or_else(|| Value::object().build()),
        &renderer,
        &shapes,
    )
}

fn with_definitions(schema: Value, renderer: &Renderer<'_>, shapes: &Shapes) -> Value {
    if shapes.definitions.is_empty() {
        return schema;
    }
    let mut definitions = Value::object();
    for (name, shape) in &shapes.definitions {
        definitions.insert(name.as_str(), renderer.shape(shape));
    }
    let mut whole = Value::object();
    if let Some(members) = schema.as_object() {
        whole.extend(members.iter().map(|(key, value)| (key, value.to_value())));
    }
    whole.put("$defs", definitions).build()
}
