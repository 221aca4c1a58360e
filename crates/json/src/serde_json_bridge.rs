//! To and from `serde_json::Value`, without loss.

use crate::{
    builder::{ArrayBuilder, ObjectBuilder},
    number::{Number, NumberError},
    object_view::ObjectView,
    value::{RECURSION, Value},
    view::{Shape, View},
};
use std::sync::Arc;

/// Why a value could not cross between this crate and `serde_json`.
///
/// This crate builds `serde_json` with exact numbers, so no number is refused for being inexact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// A `serde_json` number that [`Number`] does not hold.
    #[error("a number cannot be held exactly: {0}")]
    Number(#[from] NumberError),
    /// Nested deeper than 256.
    #[error("the value is nested deeper than 256: flatten it")]
    TooDeep,
}

impl TryFrom<serde_json::Value> for Value {
    type Error = BridgeError;

    fn try_from(value: serde_json::Value) -> Result<Value, BridgeError> {
        from_serde_json(value, RECURSION)
    }
}

impl TryFrom<&serde_json::Value> for Value {
    type Error = BridgeError;

    fn try_from(value: &serde_json::Value) -> Result<Value, BridgeError> {
        from_serde_json(value.clone(), RECURSION)
    }
}

fn from_serde_json(value: serde_json::Value, depth_left: u32) -> Result<Value, BridgeError> {
    let depth_left = depth_left.checked_sub(1).ok_or(BridgeError::TooDeep)?;
    Ok(match value {
        serde_json::Value::Null => Value::null(),
        serde_json::Value::Bool(value) => Value::from(value),
        serde_json::Value::Number(number) => Value::from(Number::parse(number.as_str())?),
        serde_json::Value::String(text) => Value::from(text),
        serde_json::Value::Array(items) => {
            let mut array = ArrayBuilder::default();
            for item in items {
                array.add(from_serde_json(item, depth_left)?);
            }
            array.build()
        }
        serde_json::Value::Object(members) => {
            let mut object = ObjectBuilder::default();
            for (name, member) in members {
                object.insert_shared(Arc::from(name), from_serde_json(member, depth_left)?);
            }
            object.build()
        }
    })
}

impl TryFrom<&Value> for serde_json::Value {
    type Error = BridgeError;

    fn try_from(value: &Value) -> Result<serde_json::Value, BridgeError> {
        if value.height() > RECURSION {
            Err(BridgeError::TooDeep)
        } else {
            to_serde_json(value.view())
        }
    }
}

impl TryFrom<Value> for serde_json::Value {
    type Error = BridgeError;

    fn try_from(value: Value) -> Result<serde_json::Value, BridgeError> {
        serde_json::Value::try_from(&value)
    }
}

/// Recurses as deep as the value is high, which the caller has bounded.
fn to_serde_json(value: View<'_>) -> Result<serde_json::Value, BridgeError> {
    Ok(match value.shape() {
        Shape::Null => serde_json::Value::Null,
        Shape::Boolean(value) => serde_json::Value::Bool(value),
        Shape::Number(number) => serde_json::Value::Number(number.to_serde_json()?),
        Shape::Text(text) => serde_json::Value::String(text.text.to_owned()),
        Shape::Array(items) => {
            serde_json::Value::Array(items.iter().map(to_serde_json).collect::<Result<_, _>>()?)
        }
        Shape::Object(object) => to_serde_json_object(object)?,
    })
}

fn to_serde_json_object(object: ObjectView<'_>) -> Result<serde_json::Value, BridgeError> {
    let convert = |(name, value): (&str, View<'_>)| Ok((name.to_owned(), to_serde_json(value)?));
    Ok(serde_json::Value::Object(
        object.iter().map(convert).collect::<Result<_, BridgeError>>()?,
    ))
}

impl Number {
    pub(crate) fn to_serde_json(&self) -> Result<serde_json::Number, BridgeError> {
        self.as_text()
            .parse()
            .map_err(|_| BridgeError::Number(NumberError::Syntax))
    }
}
