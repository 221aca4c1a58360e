//! From a type to its schema.

use std::{any::TypeId, collections::HashSet, fmt};

use toolmesh_json::Value;
use toolmesh_schema::CompileLimit;

use super::{Place, ToolField, ToolType};

/// Longest name of a property, in UTF-16 units: the schema compiler's bound on names.
pub const MAX_PROPERTY_NAME_UNITS: usize = CompileLimit::NameLength.production();

/// What is wrong with a type; the names are those of the reference (Soklet 4.0, type derivation).
///
/// Most of the reference's reasons cannot be written in Rust or do not compile; these are left for registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeFault {
    /// A type holds itself. Schemas are written out in full, so it would have no end; a generic type may hold itself with
    /// smaller arguments.
    #[error(
        "RECURSIVE_TYPE: the type holds itself and never gets smaller; name what it refers to instead of holding it"
    )]
    RecursiveType,
    /// Two fields have one name.
    #[error("DUPLICATE_PROPERTY: another property has this name already; rename one of them")]
    DuplicateProperty,
    /// A name is empty or longer than [`MAX_PROPERTY_NAME_UNITS`].
    #[error("INVALID_DESCRIPTOR: a property needs a name of 1 to {MAX_PROPERTY_NAME_UNITS} UTF-16 units")]
    InvalidDescriptor,
    /// Written out, the type has more schemas than a document may have.
    #[error("the type is too large to be written out: at most {} schemas; split it", CompileLimit::SchemaNodeCount.production())]
    TooLarge,
    /// The type is nested more deeply than a schema may be.
    #[error("the type is nested too deeply: at most {} schemas inside each other; flatten it", CompileLimit::SchemaDepth.production())]
    TooDeep,
}

/// Why a type has no schema, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeRefusal(Box<(TypeFault, Place)>);

impl TypeRefusal {
    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> TypeFault {
        self.0.0
    }

    /// Where in the schema, such as `$/properties/next/items`.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.1
    }

    fn inside(self, segment: &str) -> Self {
        let (fault, place) = *self.0;
        Self(Box::new((fault, place.inside(segment))))
    }
}

impl From<TypeFault> for TypeRefusal {
    fn from(fault: TypeFault) -> Self {
        Self(Box::new((fault, Place::default())))
    }
}

impl fmt::Display for TypeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.fault())
    }
}

impl std::error::Error for TypeRefusal {}

/// How a field is published beyond its type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Property<'a> {
    /// The member's name.
    pub name: &'a str,
    /// A title for people.
    pub title: Option<&'a str>,
    /// What it means.
    pub description: Option<&'a str>,
    /// The suffix of the header that repeats the value (`x-mcp-header`).
    pub header: Option<&'a str>,
}

/// The Tool Schema Profile 1 document of a type, written out in full.
///
/// # Errors
/// [`TypeRefusal`] names the place in the type and what is wrong there.
pub fn derive<T: ToolType>() -> Result<Value, TypeRefusal> {
    Derivation::new().derive::<T>()
}

/// A schema while it is being written out.
#[derive(Debug)]
pub struct Derivation {
    schemas_left: usize,
    depth_left: usize,
    /// The structs that are being written out, each with the weight of its generic arguments.
    active: Vec<(TypeId, usize)>,
}

impl Derivation {
    fn new() -> Self {
        Self {
            schemas_left: CompileLimit::SchemaNodeCount.production(),
            depth_left: CompileLimit::SchemaDepth.production(),
            active: Vec::new(),
        }
    }

    /// The schema of a type that stands here.
    ///
    /// # Errors
    /// As [`ToolType::schema`].
    pub fn derive<T: ToolType>(&mut self) -> Result<Value, TypeRefusal> {
        self.schemas_left = self.schemas_left.checked_sub(1).ok_or(TypeFault::TooLarge)?;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(TypeFault::TooDeep)?;
        let schema = T::schema(self);
        self.depth_left += 1;
        schema
    }

    /// The schema of a list.
    ///
    /// # Errors
    /// As [`ToolType::schema`].
    pub fn list<T: ToolType>(&mut self) -> Result<Value, TypeRefusal> {
        let items = self.derive::<T>().map_err(|refusal| refusal.inside("items"))?;
        Ok(Value::object().put("type", "array").put("items", items).build())
    }

    /// The schema of a map from text.
    ///
    /// # Errors
    /// As [`ToolType::schema`].
    pub fn map<T: ToolType>(&mut self) -> Result<Value, TypeRefusal> {
        let values = self
            .derive::<T>()
            .map_err(|refusal| refusal.inside("additionalProperties"))?;
        Ok(Value::object()
            .put("type", "object")
            .put("additionalProperties", values)
            .build())
    }

    /// The schema of one of some names.
    #[must_use]
    pub fn choice(names: &[&str]) -> Value {
        let names = names.iter().fold(Value::array(), |all, name| all.push(*name));
        Value::object()
            .put("type", "string")
            .put("enum", names.build())
            .build()
    }

    /// The schema of a struct. `D` stands for its declaration, whatever its generic arguments, whose size `weight` is.
    ///
    /// # Errors
    /// [`TypeFault::RecursiveType`] when the declaration is being written out already with arguments that are no larger;
    /// otherwise what `fields` gives.
    pub fn record<D: 'static>(
        &mut self,
        weight: usize,
        fields: impl FnOnce(&mut Properties<'_>) -> Result<(), TypeRefusal>,
    ) -> Result<Value, TypeRefusal> {
        let declaration = TypeId::of::<D>();
        let outer = self
            .active
            .iter()
            .rev()
            .find(|(active, _)| *active == declaration);
        if outer.is_some_and(|(_, outer)| weight >= *outer) {
            return Err(TypeFault::RecursiveType.into());
        }
        self.active.push((declaration, weight));
        let mut properties = Properties::new(self);
        let written = fields(&mut properties).map(|()| properties.build());
        self.active.pop();
        written
    }
}

/// The properties of a struct while they are being written out.
#[derive(Debug)]
pub struct Properties<'d> {
    derivation: &'d mut Derivation,
    names: HashSet<String>,
    schemas: Vec<(String, Value)>,
    required: Vec<Value>,
}

impl<'d> Properties<'d> {
    fn new(derivation: &'d mut Derivation) -> Self {
        Self {
            derivation,
            names: HashSet::new(),
            schemas: Vec::new(),
            required: Vec::new(),
        }
    }

    /// Adds the property of a field of type `F`.
    ///
    /// # Errors
    /// As [`ToolType::schema`]; and for a name that is taken, empty or too long.
    pub fn add<F: ToolField>(&mut self, property: &Property<'_>) -> Result<(), TypeRefusal> {
        self.schema_of::<F>(property)
            .map_err(|refusal| refusal.inside(property.name).inside("properties"))
    }

    fn schema_of<F: ToolField>(&mut self, property: &Property<'_>) -> Result<(), TypeRefusal> {
        if !(1..=MAX_PROPERTY_NAME_UNITS).contains(&property.name.encode_utf16().count()) {
            return Err(TypeFault::InvalidDescriptor.into());
        }
        if !self.names.insert(property.name.to_owned()) {
            return Err(TypeFault::DuplicateProperty.into());
        }
        let schema = F::schema(self.derivation)?;
        if F::REQUIRED {
            self.required.push(Value::from(property.name));
        }
        self.schemas
            .push((property.name.to_owned(), described(schema, property)));
        Ok(())
    }

    fn build(self) -> Value {
        let mut properties = Value::object();
        for (name, schema) in self.schemas {
            properties.insert(name, schema);
        }
        Value::object()
            .put("type", "object")
            .put("properties", properties.build())
            .put("required", self.required)
            .put("additionalProperties", false)
            .build()
    }
}

/// The schema with what the field says of itself behind it.
fn described(schema: Value, property: &Property<'_>) -> Value {
    let texts = [
        ("title", property.title),
        ("description", property.description),
        ("x-mcp-header", property.header),
    ];
    if texts.iter().all(|(_, text)| text.is_none()) {
        return schema;
    }
    let mut described = Value::object();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        described.insert(keyword, value);
    }
    for (keyword, text) in texts {
        if let Some(text) = text {
            described.insert(keyword, text);
        }
    }
    described.build()
}
