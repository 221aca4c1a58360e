//! Types of a manifest to shapes.

use std::sync::Arc;

use super::{
    Alternative, Definitions, Integer, MAX_INLINE_DEPTH, MAX_INLINE_TYPES, Member, Shape, ShapeKind, Shapes,
};
use crate::model::{Field, Manifest, Record, Scalar, TypeBody, TypeDef, TypeRef, Variant};

/// Shapes with every named type written out; `None` when that would be too many.
pub(super) fn inlined(manifest: &Manifest, types: &[&TypeRef]) -> Option<Vec<Shape>> {
    let mut lowerer = Lowerer {
        manifest,
        left: MAX_INLINE_TYPES,
        exhausted: false,
        inline: true,
        pending: Vec::new(),
    };
    let roots = types.iter().map(|ty| lowerer.type_ref(ty, 0)).collect();
    (!lowerer.exhausted).then_some(roots)
}

/// Shapes that refer to named types, and those.
pub(super) fn with_definitions(manifest: &Manifest, types: &[&TypeRef]) -> Shapes {
    let mut lowerer = Lowerer {
        manifest,
        left: usize::MAX,
        exhausted: false,
        inline: false,
        pending: Vec::new(),
    };
    let roots = types.iter().map(|ty| lowerer.type_ref(ty, 0)).collect();
    let mut definitions = Definitions::new();
    while let Some(name) = lowerer.pending.pop() {
        if definitions.contains_key(&name) {
            continue;
        }
        if let Some(definition) = manifest.types.get(&name) {
            let shape = lowerer.definition(definition, 0);
            definitions.insert(name, shape);
        }
    }
    definitions.sort_keys();
    Shapes { roots, definitions }
}

struct Lowerer<'a> {
    manifest: &'a Manifest,
    /// How many more types may be written out.
    left: usize,
    exhausted: bool,
    inline: bool,
    /// Named types that something refers to.
    pending: Vec<String>,
}

impl Lowerer<'_> {
    /// A type met at this depth: beyond the cap it is unknown.
    fn type_ref(&mut self, ty: &TypeRef, depth: u32) -> Shape {
        if self.is_spent(depth) {
            return Shape::new(ShapeKind::Unknown);
        }
        let deeper = depth.saturating_add(1);
        let kind = match ty {
            TypeRef::Reference(name) => return self.reference(name, deeper),
            TypeRef::Scalar(scalar) => of_scalar(*scalar),
            TypeRef::Bytes { size } => ShapeKind::Bytes { size: *size },
            TypeRef::List(item) => ShapeKind::List(Arc::new(self.type_ref(item, deeper))),
            TypeRef::Map(value) => ShapeKind::Map(Arc::new(self.type_ref(value, deeper))),
            TypeRef::Tuple(elements) => ShapeKind::Tuple(
                elements
                    .iter()
                    .map(|element| self.type_ref(element, deeper))
                    .collect(),
            ),
            TypeRef::Record(record) => return self.record(record, depth),
            TypeRef::Unknown(_) => ShapeKind::Unknown,
        };
        Shape::new(kind)
    }

    fn is_spent(&mut self, depth: u32) -> bool {
        if !self.inline {
            return false;
        }
        if depth > MAX_INLINE_DEPTH {
            return true;
        }
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => self.exhausted = true,
        }
        self.exhausted
    }

    /// A name that is in no table is unknown: old emitters wrote names of Rust's own types.
    fn reference(&mut self, name: &str, depth: u32) -> Shape {
        let Some(definition) = self.manifest.types.get(name) else {
            return Shape::new(ShapeKind::Unknown);
        };
        if self.inline {
            if self.is_spent(depth) {
                return Shape::new(ShapeKind::Unknown);
            }
            return self.definition(definition, depth);
        }
        self.pending.push(name.to_owned());
        Shape::new(ShapeKind::Reference(name.to_owned()))
    }

    fn definition(&mut self, definition: &TypeDef, depth: u32) -> Shape {
        let mut shape = match &definition.body {
            TypeBody::Record(record) => self.record(record, depth),
            TypeBody::Alias(target) => self.type_ref(target, depth.saturating_add(1)),
            // A type without a value cannot be asked for; what is sent is left to the application.
            TypeBody::Variant { variants, .. } if variants.is_empty() => Shape::new(ShapeKind::Unknown),
            TypeBody::Variant { variants, tagging } => Shape::new(ShapeKind::Variant {
                members: variants
                    .iter()
                    .map(|variant| self.alternative(variant, depth.saturating_add(1)))
                    .collect(),
                tagging: tagging.clone(),
            }),
        };
        if definition.doc.is_some() {
            shape.doc = definition.doc.as_deref().map(Arc::from);
        }
        shape
    }

    fn record(&mut self, record: &Record, depth: u32) -> Shape {
        let deeper = depth.saturating_add(1);
        if let Some(inner) = record.transparent() {
            return self.type_ref(inner, deeper);
        }
        if record.is_opaque() {
            return Shape::new(ShapeKind::Unknown);
        }
        Shape::new(ShapeKind::Record {
            fields: record
                .fields
                .iter()
                .map(|field| self.member(field, deeper))
                .collect(),
            positional: record.is_positional(),
        })
    }

    fn member(&mut self, field: &Field, depth: u32) -> Member {
        Member {
            name: field.name.clone(),
            shape: self.type_ref(&field.ty, depth),
            nullable: field.nullable,
            doc: field.doc.as_deref().map(Arc::from),
        }
    }

    fn alternative(&mut self, variant: &Variant, depth: u32) -> Alternative {
        Alternative {
            name: variant.name.clone(),
            payload: variant
                .payload
                .as_ref()
                .map(|payload| self.type_ref(payload, depth)),
            doc: variant.doc.as_deref().map(Arc::from),
        }
    }
}

fn of_scalar(scalar: Scalar) -> ShapeKind {
    match scalar {
        Scalar::Bool => ShapeKind::Bool,
        Scalar::String => ShapeKind::String,
        Scalar::Unit => ShapeKind::Unit,
        Scalar::I32 => ShapeKind::Integer(Integer::I32),
        Scalar::I64 => ShapeKind::Integer(Integer::I64),
        Scalar::U32 => ShapeKind::Integer(Integer::U32),
        Scalar::U64 => ShapeKind::Integer(Integer::U64),
        Scalar::F32 | Scalar::F64 => ShapeKind::Float,
    }
}
