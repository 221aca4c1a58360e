//! Integers: of fixed width with their exact range, and of any size.

use num_bigint::{BigInt, Sign};
use toolmesh_json::{Number, Value, View};

use crate::typed::{
    BindFault, BindRefusal, Binding, Derivation, Publication, PublishFault, PublishRefusal, ToolOutput,
    ToolType, TypeRefusal,
};

/// Characters of an integer written out, the minus sign included; zero has one.
fn written_chars(negative: bool, magnitude: u64) -> usize {
    let digits = magnitude.checked_ilog10().map_or(1, |log| log + 1);
    usize::from(negative) + usize::try_from(digits).unwrap_or(usize::MAX)
}

/// Why a number that is not in range is refused: a fraction is another mistake than a size.
fn not_in_range(number: &Number) -> BindRefusal {
    if number.is_integer() {
        BindFault::OutOfRange.into()
    } else {
        BindFault::NotAnInteger.into()
    }
}

macro_rules! fixed_width {
    ($($integer:ty, $read:ident, $magnitude:expr;)*) => {$(
        impl ToolType for $integer {
            fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
                let bound = |bound: $integer| Value::from(i128::from(bound));
                Ok(Value::object()
                    .put("type", "integer")
                    .put("minimum", bound(Self::MIN))
                    .put("maximum", bound(Self::MAX))
                    .build())
            }

            fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
                let number = binding.number(value)?;
                let integer = number
                    .$read()
                    .and_then(|wide| Self::try_from(wide).ok())
                    .ok_or_else(|| not_in_range(number))?;
                let magnitude: fn($integer) -> u64 = $magnitude;
                binding.pay_for_integer(written_chars(number.is_negative(), magnitude(integer)))?;
                Ok(integer)
            }

            fn publish(&self, _: &mut Publication) -> Result<Value, PublishRefusal> {
                Ok(Value::from(i128::from(*self)))
            }
        }

        impl ToolOutput for $integer {}
    )*};
}

fixed_width! {
    i8, to_i64, |integer| u64::from(integer.unsigned_abs());
    i16, to_i64, |integer| u64::from(integer.unsigned_abs());
    i32, to_i64, |integer| u64::from(integer.unsigned_abs());
    i64, to_i64, i64::unsigned_abs;
    u8, to_u64, u64::from;
    u16, to_u64, u64::from;
    u32, to_u64, u64::from;
    u64, to_u64, |integer| integer;
}

impl ToolType for BigInt {
    fn schema(_: &mut Derivation) -> Result<Value, TypeRefusal> {
        Ok(Value::object().put("type", "integer").build())
    }

    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        let number = binding.number(value)?;
        let text = binding.integer_text(number)?;
        BigInt::parse_bytes(text.as_bytes(), 10).ok_or_else(|| BindFault::NotAnInteger.into())
    }

    fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
        // Writing out digits takes quadratic time, so the number of bits is asked first: a digit stands for fewer than 4.
        let digits_at_least = usize::try_from(self.bits() / 4).map_err(|_| PublishFault::IntegerTooLong)?;
        publication.admit_integer(digits_at_least + usize::from(self.sign() == Sign::Minus))?;
        publication.integer(&self.to_string())
    }
}

impl ToolOutput for BigInt {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_characters_count_the_sign_and_zero_has_one() {
        assert_eq!(written_chars(false, 0), 1);
        assert_eq!(written_chars(false, 9), 1);
        assert_eq!(written_chars(false, 10), 2);
        assert_eq!(
            written_chars(true, i64::MIN.unsigned_abs()),
            "-9223372036854775808".len()
        );
        assert_eq!(written_chars(false, u64::MAX), "18446744073709551615".len());
    }
}
