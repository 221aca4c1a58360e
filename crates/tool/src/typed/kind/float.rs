//! Binary floats: finite both ways, their range written exactly.

use std::str::FromStr;

use toolmesh_json::{Number, Value, View};

use crate::typed::{
    BindFault, BindRefusal, Binding, Derivation, Publication, PublishFault, PublishRefusal, ToolOutput,
    ToolType, TypeRefusal,
};

/// The exact decimal of a float without a fraction, all digits written: `{:.0}` prints exactly, `{}` the shortest text that
/// reads back.
fn exact<F: std::fmt::Display>(integral: F) -> Result<Number, PublishFault> {
    Number::parse(&format!("{integral:.0}")).map_err(|_| PublishFault::NotFinite)
}

/// The nearest float of a decimal, read from the decimal itself: over `f64` an `f32` would be rounded twice.
fn nearest<F: FromStr>(number: &Number, finite: fn(&F) -> bool) -> Result<F, BindRefusal> {
    let float = number.as_text().parse().ok().filter(finite);
    float.ok_or_else(|| BindFault::OutOfRange.into())
}

macro_rules! float {
    ($($float:ty, $shortest:path;)*) => {$(
        impl ToolType for $float {
            fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
                // Both bounds are finite, so neither is ever left out.
                let bound = |bound: $float| exact(bound).ok().map(Value::from);
                Ok(Value::object()
                    .put("type", "number")
                    .put_opt("minimum", bound(Self::MIN))
                    .put_opt("maximum", bound(Self::MAX))
                    .build())
            }

            fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
                nearest(binding.number(value)?, |float: &$float| float.is_finite())
            }

            fn publish(&self, _: &mut Publication) -> Result<Value, PublishRefusal> {
                let shortest = $shortest(*self).ok_or(PublishFault::NotFinite)?;
                // The shortest text of the largest float may lie above it, and then outside the published range.
                let number = if self.abs() < Self::MAX { shortest } else { exact(*self)? };
                Ok(Value::from(number))
            }
        }

        impl ToolOutput for $float {}
    )*};
}

float! {
    f32, Number::from_f32;
    f64, Number::from_f64;
}
