//! Integers: their bounds and their spellings.

use alloy_primitives::{I256, U256};
use toolmesh_json::{Kind, View};

use crate::model::SolidityType;

/// The most characters of an integer as text: 78 digits and a sign, with room for leading zeros.
const MAX_INTEGER_CHARS: usize = 128;

/// Why a text or number is no integer of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerFault {
    /// Neither a JSON integer nor text in one of the accepted spellings.
    Spelling,
    /// An integer, but outside the bounds.
    Range,
}

/// The smallest and the largest value of an integer type, as decimal text.
pub(crate) fn bounds(ty: &SolidityType) -> Option<(String, String)> {
    match ty {
        SolidityType::Uint(bits) => Some(("0".to_owned(), max_uint(*bits).to_string())),
        SolidityType::Int(bits) => {
            let max = max_int(*bits);
            Some(((-max - I256::ONE).to_string(), max.to_string()))
        }
        _ => None,
    }
}

pub(super) fn max_uint(bits: u16) -> U256 {
    U256::MAX >> usize::from(256u16.saturating_sub(bits))
}

pub(super) fn max_int(bits: u16) -> I256 {
    I256::from_raw(max_uint(bits) >> 1)
}

pub(super) fn fits_int(value: I256, bits: u16) -> bool {
    let max = max_int(bits);
    value <= max && value >= -max - I256::ONE
}

/// An unsigned integer that is spelled as a JSON integer, as decimal text, or as `0x` text.
pub(super) fn unsigned(value: View<'_>, bits: u16) -> Result<U256, IntegerFault> {
    let text = spelling(value)?;
    // The text `-0` is refused too: whoever writes a sign does not mean this type.
    if text.strip_prefix('-').is_some_and(is_decimal) {
        return Err(IntegerFault::Range);
    }
    let number = parse_magnitude(&text)?;
    if number <= max_uint(bits) {
        Ok(number)
    } else {
        Err(IntegerFault::Range)
    }
}

/// A signed integer in the same spellings; `0x` text is never negative.
pub(super) fn signed(value: View<'_>, bits: u16) -> Result<I256, IntegerFault> {
    let text = spelling(value)?;
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(digits) if is_decimal(digits) => (true, parse_magnitude(digits)?),
        Some(_) => return Err(IntegerFault::Spelling),
        None => (false, parse_magnitude(&text)?),
    };
    let number = if negative {
        // The smallest value has a magnitude that is one too large to be negated.
        if magnitude > max_uint(255) + U256::ONE {
            return Err(IntegerFault::Range);
        }
        I256::from_raw(magnitude.wrapping_neg())
    } else {
        I256::try_from(magnitude).map_err(|_| IntegerFault::Range)?
    };
    if fits_int(number, bits) {
        Ok(number)
    } else {
        Err(IntegerFault::Range)
    }
}

/// An unsigned 256-bit integer, for values that are no contract's arguments (an amount of wei).
pub(crate) fn parse_unsigned(value: View<'_>) -> Option<U256> {
    unsigned(value, 256).ok()
}

/// The text of a JSON string, or of a JSON number that has neither a fraction nor zeros that only an exponent says:
/// `1.0` and `1e18` are none, while `5e0` and `-0` are the numbers 5 and 0 (JSON numbers are values, not texts).
fn spelling(value: View<'_>) -> Result<String, IntegerFault> {
    match value.kind() {
        Kind::String => Ok(value.as_str().unwrap_or_default().to_owned()),
        Kind::Number => Ok(value.to_text()),
        _ => Err(IntegerFault::Spelling),
    }
}

fn parse_magnitude(text: &str) -> Result<U256, IntegerFault> {
    if text.len() > MAX_INTEGER_CHARS {
        return Err(IntegerFault::Spelling);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return if is_hex {
            parse_digits(digits, 16)
        } else {
            Err(IntegerFault::Spelling)
        };
    }
    if is_decimal(text) {
        parse_digits(text, 10)
    } else {
        Err(IntegerFault::Spelling)
    }
}

fn parse_digits(digits: &str, base: u64) -> Result<U256, IntegerFault> {
    U256::from_str_radix(digits, base).map_err(|_| IntegerFault::Range)
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::{Value, parse};

    fn uint(json: &str, bits: u16) -> Result<String, IntegerFault> {
        unsigned(parse(json.as_bytes()).unwrap().view(), bits).map(|value| value.to_string())
    }

    fn int(json: &str, bits: u16) -> Result<String, IntegerFault> {
        signed(parse(json.as_bytes()).unwrap().view(), bits).map(|value| value.to_string())
    }

    const MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

    #[test]
    fn integers_are_read_in_three_spellings_without_rounding() {
        for json in [
            "9007199254740993",
            "\"9007199254740993\"",
            "\"0x20000000000001\"",
            "\"0009007199254740993\"",
        ] {
            assert_eq!(uint(json, 256), Ok("9007199254740993".to_owned()), "{json}");
        }
        assert_eq!(uint(MAX, 256), Ok(MAX.to_owned()));
        assert_eq!(uint(&format!("\"{MAX}\""), 256), Ok(MAX.to_owned()));
        assert_eq!(int("\"-0\"", 8), Ok("0".to_owned()));
        assert_eq!(int("-1", 256), Ok("-1".to_owned()));
    }

    #[test]
    fn what_is_no_integer_is_refused() {
        for json in [
            "1.5",
            "1e18",
            "1.0",
            "\"\"",
            "\" 5 \"",
            "\"1_000\"",
            "null",
            "true",
            "\"0x\"",
            "\"0xzz\"",
            "\"1e3\"",
            "\"+1\"",
            "\"-0x1\"",
            "\"--1\"",
            "[]",
        ] {
            assert_eq!(uint(json, 256), Err(IntegerFault::Spelling), "{json}");
            assert_eq!(int(json, 256), Err(IntegerFault::Spelling), "{json}");
        }
    }

    #[test]
    fn bounds_are_exact() {
        assert_eq!(uint("255", 8), Ok("255".to_owned()));
        assert_eq!(uint("256", 8), Err(IntegerFault::Range));
        assert_eq!(uint("-1", 8), Err(IntegerFault::Range));
        assert_eq!(uint("\"-0\"", 8), Err(IntegerFault::Range));
        assert_eq!(
            (uint("-0", 8), uint("5e0", 8)),
            (Ok("0".to_owned()), Ok("5".to_owned()))
        );
        assert_eq!(int("-8388608", 24), Ok("-8388608".to_owned()));
        assert_eq!(int("-8388609", 24), Err(IntegerFault::Range));
        assert_eq!(int("8388608", 24), Err(IntegerFault::Range));
        let (min, max) = bounds(&SolidityType::Int(256)).unwrap();
        assert_eq!(int(&min, 256), Ok(min.clone()));
        assert_eq!(int(&max, 256), Ok(max));
        let over = format!("\"0x1{}\"", "0".repeat(64));
        assert_eq!(uint(&over, 256), Err(IntegerFault::Range));
        let half = (U256::ONE << 255usize).to_string();
        assert_eq!(int(&half, 256), Err(IntegerFault::Range));
        assert_eq!(min, format!("-{half}"));
        assert_eq!(
            signed(Value::from(format!("-{half}1")).view(), 256),
            Err(IntegerFault::Range)
        );
    }

    #[test]
    fn the_length_of_an_integer_is_bounded() {
        assert_eq!(
            uint(&format!("\"{}1\"", "0".repeat(MAX_INTEGER_CHARS - 1)), 8),
            Ok("1".to_owned())
        );
        assert_eq!(
            uint(&format!("\"{}1\"", "0".repeat(MAX_INTEGER_CHARS)), 8),
            Err(IntegerFault::Spelling)
        );
    }
}
