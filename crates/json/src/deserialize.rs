//! From a value to a Rust value: a serde deserializer over the borrowed view.

use crate::{
    array_view::ArrayIter,
    bind::{BindError, Budget},
    number::Number,
    object_view::ObjectIter,
    serde_impls,
    serialize::NUMBER_TOKEN,
    view::{Shape, View},
};
use serde::{
    Deserializer,
    de::{self, IntoDeserializer, Unexpected, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

#[derive(Clone, Copy)]
pub(crate) struct ViewDeserializer<'de, 'b> {
    view: View<'de>,
    budget: &'b Budget,
    depth: usize,
}

impl<'de, 'b> ViewDeserializer<'de, 'b> {
    pub(crate) fn new(view: View<'de>, budget: &'b Budget) -> ViewDeserializer<'de, 'b> {
        ViewDeserializer {
            view,
            budget,
            depth: 1,
        }
    }

    fn inner(self, view: View<'de>) -> ViewDeserializer<'de, 'b> {
        ViewDeserializer {
            view,
            depth: self.depth + 1,
            ..self
        }
    }

    fn unexpected(self) -> Unexpected<'de> {
        match self.view.shape() {
            Shape::Null => Unexpected::Unit,
            Shape::Boolean(value) => Unexpected::Bool(value),
            Shape::Number(_) => Unexpected::Other("number"),
            Shape::Text(text) => Unexpected::Str(text.text),
            Shape::Array(_) => Unexpected::Seq,
            Shape::Object(_) => Unexpected::Map,
        }
    }

    fn mismatch<V: Visitor<'de>>(self, visitor: &V) -> BindError {
        de::Error::invalid_type(self.unexpected(), visitor)
    }

    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        match self.view.as_number() {
            Some(number) => visit_integer(number, visitor),
            None => Err(self.mismatch(&visitor)),
        }
    }

    fn elements<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        let Some(array) = self.view.as_array() else {
            return Err(self.mismatch(&visitor));
        };
        self.budget.admit_entries(array.len())?;
        let mut elements = Elements {
            items: array.iter(),
            parent: self,
        };
        let made = visitor.visit_seq(&mut elements)?;
        match elements.items.len() {
            0 => Ok(made),
            _ => Err(de::Error::invalid_length(array.len(), &"fewer elements")),
        }
    }

    fn members<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        let Some(object) = self.view.as_object() else {
            return Err(self.mismatch(&visitor));
        };
        self.budget.admit_entries(object.len())?;
        let mut members = Members {
            members: object.iter(),
            value: None,
            parent: self,
        };
        let made = visitor.visit_map(&mut members)?;
        match members.members.len() {
            0 => Ok(made),
            _ => Err(de::Error::invalid_length(object.len(), &"fewer members")),
        }
    }

    /// A number for a visitor that takes anything: an integer or a float when that is exact, else in `serde_json`'s exact form.
    fn any_number<V: Visitor<'de>>(self, number: &Number, visitor: V) -> Result<V::Value, BindError> {
        if number.is_plain_integer() {
            if let Some(integer) = number.to_i64() {
                return visitor.visit_i64(integer);
            }
            if let Some(integer) = number.to_u64() {
                return visitor.visit_u64(integer);
            }
        } else {
            let float = number.to_f64();
            if Number::from_f64(float).as_ref() == Some(number) {
                return visitor.visit_f64(float);
            }
        }
        let text = number.as_text();
        self.budget.admit_number(text.len())?;
        visitor.visit_map(ExactNumber { text: Some(text) })
    }
}

fn visit_integer<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, BindError> {
    if let Some(integer) = number.to_i64() {
        visitor.visit_i64(integer)
    } else if let Some(integer) = number.to_u64() {
        visitor.visit_u64(integer)
    } else if let Some(integer) = number.to_i128() {
        visitor.visit_i128(integer)
    } else if let Some(integer) = number.to_u128() {
        visitor.visit_u128(integer)
    } else {
        Err(BindError::OutOfRange)
    }
}

/// One method of a deserializer for each of the integer types.
macro_rules! deserialize_integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
            self.integer(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for ViewDeserializer<'de, '_> {
    type Error = BindError;

    deserialize_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    forward_to_deserialize_any! { bool char str string unit unit_struct identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        let shape = self.view.shape();
        match shape {
            Shape::Array(_) => return self.elements(visitor),
            Shape::Object(_) => return self.members(visitor),
            _ => self.budget.admit(self.depth)?,
        }
        match shape {
            Shape::Boolean(value) => visitor.visit_bool(value),
            Shape::Number(number) => self.any_number(number, visitor),
            Shape::Text(text) => visitor.visit_borrowed_str(text.text),
            _ => visitor.visit_unit(),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        let Some(number) = self.view.as_number() else {
            return Err(self.mismatch(&visitor));
        };
        // From the text, because rounding twice may miss the nearest.
        match number.as_text().parse() {
            Ok(float) if f32::is_finite(float) => visitor.visit_f32(float),
            _ => Err(BindError::OutOfRange),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        let Some(number) = self.view.as_number() else {
            return Err(self.mismatch(&visitor));
        };
        match number.to_f64() {
            float if float.is_finite() => visitor.visit_f64(float),
            _ => Err(BindError::OutOfRange),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.elements(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.elements(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        if self.view.is_null() {
            self.deserialize_any(visitor)
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BindError> {
        if name == serde_impls::VALUE_TOKEN {
            return serde_impls::hand_over(self.view, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.elements(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, BindError> {
        self.elements(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, BindError> {
        self.elements(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        self.members(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BindError> {
        if name == NUMBER_TOKEN {
            self.deserialize_any(visitor)
        } else {
            self.members(visitor)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BindError> {
        self.budget.admit(self.depth)?;
        if let Some(variant) = self.view.as_str() {
            return visitor.visit_enum(Variant {
                name: variant,
                content: None,
            });
        }
        let mut members = match self.view.as_object() {
            Some(object) if object.len() == 1 => object.iter(),
            _ => return Err(self.mismatch(&visitor)),
        };
        match members.next() {
            Some((name, content)) => visitor.visit_enum(Variant {
                name,
                content: Some(self.inner(content)),
            }),
            None => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        visitor.visit_unit()
    }
}

struct Elements<'de, 'b> {
    items: ArrayIter<'de>,
    parent: ViewDeserializer<'de, 'b>,
}

impl<'de> de::SeqAccess<'de> for Elements<'de, '_> {
    type Error = BindError;

    fn next_element_seed<T: de::DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, BindError> {
        self.items
            .next()
            .map(|item| seed.deserialize(self.parent.inner(item)))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members<'de, 'b> {
    members: ObjectIter<'de>,
    value: Option<View<'de>>,
    parent: ViewDeserializer<'de, 'b>,
}

impl<'de> de::MapAccess<'de> for Members<'de, '_> {
    type Error = BindError;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, BindError> {
        let Some((name, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(Name(name)).map(Some)
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, BindError> {
        match self.value.take() {
            Some(value) => seed.deserialize(self.parent.inner(value)),
            None => Err(de::Error::custom("a value was asked for before its name")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// A member's name as a map key: a text, or what the text spells when the key is a number or a boolean.
struct Name<'de>(&'de str);

impl<'de> Name<'de> {
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        match Number::parse(self.0) {
            Ok(number) => visit_integer(&number, visitor),
            Err(_) => Err(de::Error::invalid_type(Unexpected::Str(self.0), &visitor)),
        }
    }
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = BindError;

    deserialize_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => Err(de::Error::invalid_type(Unexpected::Str(other), &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BindError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BindError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BindError> {
        visitor.visit_enum(Variant {
            name: self.0,
            content: None,
        })
    }
}

/// An enum's variant: a name, and what stands behind it unless it is a unit.
struct Variant<'de, 'b> {
    name: &'de str,
    content: Option<ViewDeserializer<'de, 'b>>,
}

impl<'de, 'b> de::EnumAccess<'de> for Variant<'de, 'b> {
    type Error = BindError;
    type Variant = Content<'de, 'b>;

    fn variant_seed<V: de::DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'de, 'b>), BindError> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.name))?;
        Ok((variant, Content(self.content)))
    }
}

struct Content<'de, 'b>(Option<ViewDeserializer<'de, 'b>>);

impl<'de, 'b> Content<'de, 'b> {
    fn required(self, what: &'static str) -> Result<ViewDeserializer<'de, 'b>, BindError> {
        self.0
            .ok_or_else(|| de::Error::invalid_type(Unexpected::UnitVariant, &what))
    }
}

impl<'de> de::VariantAccess<'de> for Content<'de, '_> {
    type Error = BindError;

    fn unit_variant(self) -> Result<(), BindError> {
        match self.0 {
            Some(content) => de::Deserialize::deserialize(content),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, BindError> {
        seed.deserialize(self.required("newtype variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, BindError> {
        self.required("tuple variant")?.elements(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BindError> {
        self.required("struct variant")?.members(visitor)
    }
}

/// A number as `serde_json` passes one through serde without loss: a map of one reserved name.
struct ExactNumber {
    text: Option<String>,
}

impl<'de> de::MapAccess<'de> for ExactNumber {
    type Error = BindError;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, BindError> {
        match self.text {
            Some(_) => seed
                .deserialize(BorrowedStrDeserializer::new(NUMBER_TOKEN))
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, BindError> {
        seed.deserialize(self.text.take().unwrap_or_default().into_deserializer())
    }
}
