//! `bool`, `String`, and the exact decimal.

use toolmesh_json::{Kind, Number, Value, View};

use crate::typed::{
    BindRefusal, Binding, Derivation, Publication, PublishRefusal, ToolOutput, ToolType, TypeRefusal,
    bind::kind,
};

impl ToolType for bool {
    fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
        Ok(Value::object().put("type", "boolean").build())
    }

    fn bind(value: View<'_>, _: &mut Binding) -> Result<Self, BindRefusal> {
        value.as_bool().ok_or_else(|| kind(value, Kind::Boolean))
    }

    fn publish(&self, _: &mut Publication) -> Result<Value, PublishRefusal> {
        Ok(Value::from(*self))
    }
}

impl ToolOutput for bool {}

/// No output by itself: a bare text could be meant as text content or as structured content.
impl ToolType for String {
    fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
        Ok(Value::object().put("type", "string").build())
    }

    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        binding.text(value).map(str::to_owned)
    }

    fn publish(&self, _: &mut Publication) -> Result<Value, PublishRefusal> {
        Ok(Value::from(self))
    }
}

/// An exact decimal: kept with the scale it was written with, never expanded.
impl ToolType for Number {
    fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
        Ok(Value::object().put("type", "number").build())
    }

    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        binding.number(value).cloned()
    }

    fn publish(&self, _: &mut Publication) -> Result<Value, PublishRefusal> {
        Ok(Value::from(self.clone()))
    }
}

impl ToolOutput for Number {}
