//! Types in a manifest. Depth is bounded by the JSON's own.

use toolmesh_json::View;

use crate::model::{Field, Record, Scalar, Tagging, TypeBody, TypeDef, TypeRef, Variant};

/// What stands for a type that a manifest leaves out.
const MISSING: &str = "";

/// A type where it is used.
pub(super) fn type_ref(value: View<'_>) -> TypeRef {
    if let Some(name) = value.get("$ref").and_then(View::as_str) {
        return TypeRef::Reference(name.to_owned());
    }
    // Some old emitters wrote a scalar, and the key of a map, as the bare kind.
    let Some(kind) = value
        .get("kind")
        .and_then(View::as_str)
        .or_else(|| value.as_str())
    else {
        return TypeRef::Unknown(MISSING.to_owned());
    };
    if let Some(scalar) = Scalar::parse(kind) {
        return TypeRef::Scalar(scalar);
    }
    match kind {
        "bytes" => bytes(value),
        "list" => TypeRef::List(Box::new(member(value, "items"))),
        "map" => TypeRef::Map(Box::new(member(value, "value"))),
        "tuple" => TypeRef::Tuple(
            value
                .get("elements")
                .and_then(View::as_array)
                .into_iter()
                .flatten()
                .map(type_ref)
                .collect(),
        ),
        "record" => TypeRef::Record(record(value)),
        other => TypeRef::Unknown(other.to_owned()),
    }
}

/// The type of a parameter or a field.
pub(super) fn member_type(value: View<'_>) -> TypeRef {
    member(value, "type")
}

/// The documentation under a key, unless it is blank.
pub(super) fn doc(value: View<'_>, key: &str) -> Option<String> {
    let text = value.get(key).and_then(View::as_str)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A named type.
pub(super) fn type_def(value: View<'_>) -> TypeDef {
    let body = match value.get("kind").and_then(View::as_str) {
        Some("record") => TypeBody::Record(record(value)),
        Some("variant") => variants(value),
        Some("alias") => TypeBody::Alias(member(value, "target")),
        // Bytes may be named; anything else is taken as another name for what it looks like.
        _ => TypeBody::Alias(type_ref(value)),
    };
    TypeDef {
        body,
        doc: doc(value, "doc"),
    }
}

fn member(value: View<'_>, key: &str) -> TypeRef {
    value
        .get(key)
        .map_or_else(|| TypeRef::Unknown(MISSING.to_owned()), type_ref)
}

fn bytes(value: View<'_>) -> TypeRef {
    match value.get("size") {
        None => TypeRef::Bytes { size: None },
        Some(size) if size.is_null() => TypeRef::Bytes { size: None },
        Some(size) => match size.as_u64() {
            Some(size) => TypeRef::Bytes { size: Some(size) },
            None => TypeRef::Unknown("bytes of no known size".to_owned()),
        },
    }
}

fn record(value: View<'_>) -> Record {
    let fields = value.get("fields").and_then(View::as_array);
    Record {
        fields: fields.into_iter().flatten().filter_map(field).collect(),
        crdt: value.get("crdt_type").and_then(View::as_str).map(str::to_owned),
        inner: value
            .get("inner_type")
            .filter(|inner| !inner.is_null())
            .map(|inner| Box::new(type_ref(inner))),
    }
}

fn field(value: View<'_>) -> Option<Field> {
    Some(Field {
        name: value.get("name").and_then(View::as_str)?.to_owned(),
        ty: member_type(value),
        nullable: value.get("nullable").and_then(View::as_bool) == Some(true),
        doc: doc(value, "doc"),
    })
}

fn variants(value: View<'_>) -> TypeBody {
    let list = value.get("variants").and_then(View::as_array);
    let variant = |value: View<'_>| {
        Some(Variant {
            name: value.get("name").and_then(View::as_str)?.to_owned(),
            payload: value
                .get("payload")
                .filter(|payload| !payload.is_null())
                .map(type_ref),
            doc: doc(value, "doc"),
        })
    };
    TypeBody::Variant {
        variants: list.into_iter().flatten().filter_map(variant).collect(),
        tagging: tagging(value),
    }
}

fn tagging(value: View<'_>) -> Tagging {
    let text = |key| value.get(key).and_then(View::as_str).map(str::to_owned);
    if value.get("untagged").and_then(View::as_bool) == Some(true) {
        return Tagging::Untagged;
    }
    match (text("tag"), text("content")) {
        (Some(tag), Some(content)) => Tagging::Adjacent { tag, content },
        (Some(tag), None) => Tagging::Internal { tag },
        (None, _) => Tagging::External,
    }
}
