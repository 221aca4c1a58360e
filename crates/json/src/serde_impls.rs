//! `Serialize` and `Deserialize` for values, numbers, and views.

use crate::{
    builder::{ArrayBuilder, ObjectBuilder},
    number::Number,
    serialize::NUMBER_TOKEN,
    value::{RECURSION, Value},
    view::{Shape, View},
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor, value::StrDeserializer},
    ser::{Error as _, SerializeMap, SerializeSeq, SerializeStruct},
};
use std::{cell::Cell, fmt, sync::Arc};

/// Exact where the serializer is `serde_json`'s or this crate's. Others receive integers of up to 64 bits as such and all else in
/// the form in which `serde_json` passes exact numbers, which few understand.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_plain_integer() {
            if let Some(integer) = self.to_i64() {
                return serializer.serialize_i64(integer);
            }
            if let Some(integer) = self.to_u64() {
                return serializer.serialize_u64(integer);
            }
        }
        // As `serde_json::Number` does it, which however would have to parse the text and would respell the exponent.
        let mut exact = serializer.serialize_struct(NUMBER_TOKEN, 1)?;
        exact.serialize_field(NUMBER_TOKEN, &self.as_text())?;
        exact.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view().serialize(serializer)
    }
}

/// Members in their order, numbers as [`Number`] does. Values nested deeper than 256, which only builders make, are refused,
/// because serde recurses.
impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.height() > RECURSION {
            return Err(S::Error::custom("the value is nested deeper than 256"));
        }
        match self.shape() {
            Shape::Null => serializer.serialize_unit(),
            Shape::Boolean(value) => serializer.serialize_bool(value),
            Shape::Number(number) => number.serialize(serializer),
            Shape::Text(text) => serializer.serialize_str(text.text),
            Shape::Array(items) => {
                let mut elements = serializer.serialize_seq(Some(items.len()))?;
                items
                    .iter()
                    .try_for_each(|item| elements.serialize_element(&item))?;
                elements.end()
            }
            Shape::Object(object) => {
                let mut members = serializer.serialize_map(Some(object.len()))?;
                for (name, value) in object {
                    members.serialize_entry(name, &value)?;
                }
                members.end()
            }
        }
    }
}

/// Asks a deserializer of this crate for the value as it is; any other takes it for an ordinary wrapper.
pub(crate) const VALUE_TOKEN: &str = "$toolmesh_json::private::Value";

thread_local! {
    /// A value on its way from `hand_over` to the visitor that it calls.
    static HANDED_OVER: Cell<Option<Value>> = const { Cell::new(None) };
}

/// Gives a [`ValueVisitor`] the value itself: serde has no way to pass one, and rebuilding it from its parts would cost time and
/// could take an object that looks like `serde_json`'s exact number for one.
pub(crate) fn hand_over<'de, V: Visitor<'de>, E: de::Error>(
    view: View<'de>,
    visitor: V,
) -> Result<V::Value, E> {
    HANDED_OVER.set(Some(view.to_value()));
    let result = visitor.visit_enum(StrDeserializer::<E>::new(VALUE_TOKEN));
    HANDED_OVER.set(None);
    result
}

/// Exact from `serde_json` and from this crate's own deserializer. From `serde_json`, an object whose only member has the name
/// under which it passes numbers is read as a number, as `serde_json` itself does; [`parse`](crate::parse) has no such exception.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE_TOKEN, ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let value = <Value as Deserialize>::deserialize(deserializer)?;
        value
            .as_number()
            .cloned()
            .ok_or_else(|| de::Error::custom("expected a number"))
    }
}

struct ValueVisitor;

/// The inside of a [`Value`], of which the deserializer knows that it is one.
struct AnyValue(Value);

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AnyValue, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(AnyValue)
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::from)
            .ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::null())
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::null())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }

    fn visit_enum<A: de::EnumAccess<'de>>(self, _data: A) -> Result<Value, A::Error> {
        HANDED_OVER
            .take()
            .ok_or_else(|| de::Error::custom("an enum is no JSON value"))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = ArrayBuilder::default();
        while let Some(AnyValue(item)) = elements.next_element()? {
            array.add(item);
        }
        Ok(array.build())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = ObjectBuilder::default();
        while let Some(name) = members.next_key::<String>()? {
            if object.is_empty() && name == NUMBER_TOKEN {
                let text: String = members.next_value()?;
                return Number::parse(&text).map(Value::from).map_err(de::Error::custom);
            }
            let AnyValue(value) = members.next_value()?;
            if object.contains(&name) {
                return Err(de::Error::custom("an object has two members of one name"));
            }
            object.insert_shared(Arc::from(name), value);
        }
        Ok(object.build())
    }
}
