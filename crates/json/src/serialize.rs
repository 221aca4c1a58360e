//! From a Rust value to a value: a serde serializer that makes no detour.

use crate::{
    bind::{BindError, Budget},
    builder::{ArrayBuilder, ObjectBuilder},
    number::Number,
    parse::parse,
    value::Value,
};
use serde::ser::{self, Serialize};
use std::sync::Arc;

/// Names under which `serde_json` passes exact numbers and raw JSON through serde.
pub(crate) const NUMBER_TOKEN: &str = "$serde_json::private::Number";
const RAW_TOKEN: &str = "$serde_json::private::RawValue";

pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T, budget: &Budget) -> Result<Value, BindError> {
    value.serialize(ValueSerializer { budget, depth: 1 })
}

#[derive(Clone, Copy)]
struct ValueSerializer<'b> {
    budget: &'b Budget,
    depth: usize,
}

impl<'b> ValueSerializer<'b> {
    fn inner(self) -> ValueSerializer<'b> {
        ValueSerializer {
            depth: self.depth + 1,
            ..self
        }
    }

    fn scalar(self, value: impl Into<Value>) -> Result<Value, BindError> {
        self.budget.admit(self.depth)?;
        Ok(value.into())
    }

    fn elements(self) -> Result<Elements<'b>, BindError> {
        self.budget.admit(self.depth)?;
        Ok(Elements {
            items: ArrayBuilder::default(),
            variant: None,
            serializer: self.inner(),
        })
    }

    fn members(self) -> Result<Members<'b>, BindError> {
        self.budget.admit(self.depth)?;
        Ok(Members {
            members: ObjectBuilder::default(),
            name: None,
            variant: None,
            serializer: self.inner(),
        })
    }
}

impl<'b> ser::Serializer for ValueSerializer<'b> {
    type Ok = Value;
    type Error = BindError;
    type SerializeSeq = Elements<'b>;
    type SerializeTuple = Elements<'b>;
    type SerializeTupleStruct = Elements<'b>;
    type SerializeTupleVariant = Elements<'b>;
    type SerializeMap = Members<'b>;
    type SerializeStruct = Fields<'b>;
    type SerializeStructVariant = Members<'b>;

    fn serialize_bool(self, value: bool) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_i8(self, value: i8) -> Result<Value, BindError> {
        self.scalar(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<Value, BindError> {
        self.scalar(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_i64(self, value: i64) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_i128(self, value: i128) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_u8(self, value: u8) -> Result<Value, BindError> {
        self.scalar(u32::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<Value, BindError> {
        self.scalar(u32::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_u64(self, value: u64) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_u128(self, value: u128) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_f32(self, value: f32) -> Result<Value, BindError> {
        self.scalar(Number::from_f32(value).ok_or(BindError::NotFinite)?)
    }

    fn serialize_f64(self, value: f64) -> Result<Value, BindError> {
        self.scalar(Number::from_f64(value).ok_or(BindError::NotFinite)?)
    }

    fn serialize_char(self, value: char) -> Result<Value, BindError> {
        self.scalar(&*value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<Value, BindError> {
        self.scalar(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, BindError> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<Value, BindError> {
        self.scalar(Value::null())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, BindError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, BindError> {
        self.scalar(Value::null())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, BindError> {
        self.scalar(Value::null())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, BindError> {
        self.scalar(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Value, BindError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, BindError> {
        self.budget.admit(self.depth)?;
        Ok(Value::object()
            .put(variant, value.serialize(self.inner())?)
            .build())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Elements<'b>, BindError> {
        self.elements()
    }

    fn serialize_tuple(self, _len: usize) -> Result<Elements<'b>, BindError> {
        self.elements()
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Elements<'b>, BindError> {
        self.elements()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Elements<'b>, BindError> {
        self.budget.admit(self.depth)?;
        Ok(Elements {
            variant: Some(variant),
            ..self.inner().elements()?
        })
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Members<'b>, BindError> {
        self.members()
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Fields<'b>, BindError> {
        if name == NUMBER_TOKEN || name == RAW_TOKEN {
            return Ok(Fields::Text {
                serializer: self,
                value: None,
            });
        }
        self.members().map(Fields::Members)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Members<'b>, BindError> {
        self.budget.admit(self.depth)?;
        Ok(Members {
            variant: Some(variant),
            ..self.inner().members()?
        })
    }
}

/// An array that is being made, to be wrapped in an object when it belongs to an enum's variant.
struct Elements<'b> {
    items: ArrayBuilder,
    variant: Option<&'static str>,
    serializer: ValueSerializer<'b>,
}

impl Elements<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        self.serializer.budget.admit_entries(self.items.len() + 1)?;
        self.items.add(value.serialize(self.serializer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        wrap(self.variant, self.items.build())
    }
}

fn wrap(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::object().put(variant, value).build(),
        None => value,
    }
}

impl ser::SerializeSeq for Elements<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        self.add(value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

impl ser::SerializeTuple for Elements<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        self.add(value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

impl ser::SerializeTupleStruct for Elements<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        self.add(value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

impl ser::SerializeTupleVariant for Elements<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        self.add(value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

/// An object that is being made, to be wrapped in another when it belongs to an enum's variant.
struct Members<'b> {
    members: ObjectBuilder,
    name: Option<Arc<str>>,
    variant: Option<&'static str>,
    serializer: ValueSerializer<'b>,
}

impl Members<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, name: Arc<str>, value: &T) -> Result<(), BindError> {
        self.serializer.budget.admit_entries(self.members.len() + 1)?;
        if self.members.contains(&name) {
            return Err(BindError::DuplicateName);
        }
        self.members
            .insert_shared(name, value.serialize(self.serializer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        wrap(self.variant, self.members.build())
    }
}

impl ser::SerializeMap for Members<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BindError> {
        let budget = Budget::new(&crate::BindLimits {
            nodes: 1,
            depth: 1,
            ..Default::default()
        });
        // A container as key exceeds the budget of a single scalar.
        let key = to_value(key, &budget).map_err(|_| BindError::KeyNotText)?;
        self.name = Some(match (key.as_str(), key.as_number(), key.as_bool()) {
            (Some(text), ..) => Arc::from(text),
            (_, Some(number), _) => Arc::from(number.as_text()),
            (.., Some(truth)) => Arc::from(truth.to_string()),
            _ => return Err(BindError::KeyNotText),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BindError> {
        let name = self.name.take().ok_or(BindError::KeyNotText)?;
        self.add(name, value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

impl ser::SerializeStructVariant for Members<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), BindError> {
        self.add(Arc::from(name), value)
    }

    fn end(self) -> Result<Value, BindError> {
        Ok(self.finish())
    }
}

/// A struct: an object, or one of `serde_json`'s own, whose only field is JSON text.
enum Fields<'b> {
    Members(Members<'b>),
    Text {
        serializer: ValueSerializer<'b>,
        value: Option<Value>,
    },
}

impl ser::SerializeStruct for Fields<'_> {
    type Ok = Value;
    type Error = BindError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &T,
    ) -> Result<(), BindError> {
        match self {
            Fields::Members(members) => members.add(Arc::from(name), field),
            Fields::Text { serializer, value } => {
                let text = field.serialize(*serializer)?;
                *value = Some(embedded(name, text.as_str().unwrap_or_default(), *serializer)?);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<Value, BindError> {
        match self {
            Fields::Members(members) => Ok(members.finish()),
            Fields::Text { value, .. } => {
                value.ok_or_else(|| BindError::Mismatch("a serde_json number without its text".to_owned()))
            }
        }
    }
}

/// The value of a number or of raw JSON that came as text; raw JSON is charged as if it had been serialised.
fn embedded(token: &str, text: &str, serializer: ValueSerializer<'_>) -> Result<Value, BindError> {
    if token == NUMBER_TOKEN {
        return Number::parse(text)
            .map(Value::from)
            .map_err(|_| BindError::NumberTooLong);
    }
    let raw = parse(text.as_bytes()).map_err(|error| BindError::Mismatch(error.to_string()))?;
    raw.serialize(serializer)
}
