//! The closed family of types: what its members can do.

use toolmesh_json::{Value, View};

use super::{BindRefusal, Binding, Derivation, Publication, PublishRefusal, TypeRefusal};

/// A type of the closed family: it has one schema, one way in and one way out.
///
/// `#[derive(ToolType)]` implements it for structs with named fields and for enums without data; a type is the same in both
/// directions, so one derive serves arguments and outputs. This library implements it for
///
/// | type | schema |
/// |---|---|
/// | `bool` | `{"type":"boolean"}` |
/// | `i8 i16 i32 i64`, and as an extension `u8 u16 u32 u64` | `{"type":"integer","minimum":MIN,"maximum":MAX}` |
/// | [`BigInt`](crate::BigInt) | `{"type":"integer"}` |
/// | `f32 f64` | `{"type":"number","minimum":-MAX,"maximum":MAX}`, both exact |
/// | [`Number`](toolmesh_json::Number), an exact decimal | `{"type":"number"}` |
/// | `String` | `{"type":"string"}` |
/// | enum without data | `{"type":"string","enum":[names in declaration order]}` |
/// | `Vec<T>`, `[T; N]` | `{"type":"array","items":T}` |
/// | `BTreeMap`, `HashMap`, `IndexMap` from `String` to `T` | `{"type":"object","additionalProperties":T}` |
/// | struct with named fields | `{"type":"object","properties":{..},"required":[..],"additionalProperties":false}` |
///
/// `Option<T>` is not a type of the family: it is how a field or a tool function's argument says that it may be absent
/// ([`ToolField`]). `null` is refused everywhere.
///
/// The methods do the work of one level. Nested values go through [`Derivation::derive`], [`Binding::bind`] and
/// [`Publication::publish`], which count what is spent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is outside the closed family of typed tools",
    label = "not a type of the family",
    note = "the family: bool, i8 to i64, u8 to u64, BigInt, f32, f64, Number, String, Vec, arrays, maps from String, and structs and enums with `#[derive(ToolType)]`",
    note = "`Option<T>` stands only directly as a field or argument, around a type of the family; not inside lists, maps or another Option",
    note = "tuples, char, &str, sets, usize, i128, JSON values, dates and identifiers have no schema of their own here: use a struct, String, Vec, i64 or BigInt",
    note = "any type of `schemars` and `serde` may come through the open door instead: `schemars_arguments` on the tool builder"
)]
pub trait ToolType: Sized + Send + 'static {
    /// How large the generic arguments of the type are: a container is one larger than what it holds. It decides whether a
    /// type that stands inside itself comes to an end.
    #[must_use]
    fn weight() -> usize {
        1
    }

    /// The schema of the type, complete: nothing in it refers to anything.
    ///
    /// # Errors
    /// [`TypeRefusal`] when the type holds itself without getting smaller, or is too large to be written out.
    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal>;

    /// The Rust value of a JSON value.
    ///
    /// # Errors
    /// [`BindRefusal`] says where the value does not fit and why.
    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal>;

    /// The JSON value of a Rust value.
    ///
    /// # Errors
    /// [`PublishRefusal`] says which part has no JSON form.
    fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal>;
}

/// A type that may be all the arguments of a tool: a struct, or a map from `String`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a tool",
    label = "arguments are a struct with `#[derive(ToolType)]` or a map from String",
    note = "a tool's arguments are one JSON object: give this type a name as a field of a struct",
    note = "any type of `schemars` and `serde` may come through the open door instead: `schemars_arguments` on the tool builder"
)]
pub trait ToolArguments: ToolType {}

/// A type that may be the whole output of a tool: anything of the family except a bare `String`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "not an output",
    note = "a bare String could be meant as text content or as structured content: return `ToolResult::text(..)`, or a struct with a String field",
    note = "every other type of the closed family can be an output; see `ToolType`"
)]
pub trait ToolOutput: ToolType {}

/// What may stand as a field or as an argument: a type of the family, or `Option` of one, which may then be absent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is outside the closed family of typed tools",
    label = "neither a type of the family nor `Option` of one",
    note = "the family: bool, i8 to i64, u8 to u64, BigInt, f32, f64, Number, String, Vec, arrays, maps from String, and structs and enums with `#[derive(ToolType)]`",
    note = "tuples, char, &str, sets, usize, i128, JSON values, dates and identifiers have no schema of their own here: use a struct, String, Vec, i64 or BigInt",
    note = "any type of `schemars` and `serde` may come through the open door instead: `schemars_arguments` on the tool builder"
)]
pub trait ToolField: Sized {
    /// Whether the member must be there.
    const REQUIRED: bool;

    /// The schema of the value when it is there.
    ///
    /// # Errors
    /// As [`ToolType::schema`].
    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal>;

    /// The field of a member that may be missing.
    ///
    /// # Errors
    /// As [`ToolType::bind`]; and when a required member is missing.
    fn bind(value: Option<View<'_>>, binding: &mut Binding) -> Result<Self, BindRefusal>;

    /// The member of a field; `None` when it is absent.
    ///
    /// # Errors
    /// As [`ToolType::publish`].
    fn publish(&self, publication: &mut Publication) -> Result<Option<Value>, PublishRefusal>;
}

impl<T: ToolType> ToolField for T {
    const REQUIRED: bool = true;

    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
        derivation.derive::<T>()
    }

    fn bind(value: Option<View<'_>>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        match value {
            Some(value) => binding.bind(value),
            None => Err(BindRefusal::missing()),
        }
    }

    fn publish(&self, publication: &mut Publication) -> Result<Option<Value>, PublishRefusal> {
        publication.publish(self).map(Some)
    }
}

impl<T: ToolType> ToolField for Option<T> {
    const REQUIRED: bool = false;

    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
        derivation.derive::<T>()
    }

    /// Absent is not null: a null that is there meets `T`, which refuses it.
    fn bind(value: Option<View<'_>>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        value.map(|value| binding.bind(value)).transpose()
    }

    fn publish(&self, publication: &mut Publication) -> Result<Option<Value>, PublishRefusal> {
        self.as_ref().map(|value| publication.publish(value)).transpose()
    }
}
