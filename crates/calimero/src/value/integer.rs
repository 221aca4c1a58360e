//! Integers in any spelling that has the value.

use toolmesh_json::{Number, Value, View};

use crate::shape::Integer;

/// The integer, if it is one of this kind: a number with an integral value, or, for 64 bits, its decimal digits.
pub(super) fn read(kind: Integer, value: View<'_>) -> Option<Value> {
    let parsed;
    let number = match value.as_str() {
        Some(digits) if kind.is_wide() && is_decimal(digits) => {
            parsed = Number::parse(digits).ok()?;
            &parsed
        }
        _ => value.as_number()?,
    };
    if let Some(positive) = number.to_u64() {
        return (positive <= kind.max()).then(|| Value::from(positive));
    }
    let negative = number.to_i64()?;
    (negative >= kind.min()).then(|| Value::from(negative))
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::parse;

    fn reads(kind: Integer, text: &str) -> Option<String> {
        let value = parse(text.as_bytes()).unwrap();
        read(kind, value.view()).map(|value| value.to_text())
    }

    #[test]
    fn each_kind_takes_its_whole_range_and_nothing_beyond() {
        for (kind, min, below, max, above) in [
            (
                Integer::I32,
                "-2147483648",
                "-2147483649",
                "2147483647",
                "2147483648",
            ),
            (Integer::U32, "0", "-1", "4294967295", "4294967296"),
            (
                Integer::I64,
                "-9223372036854775808",
                "-9223372036854775809",
                "9223372036854775807",
                "9223372036854775808",
            ),
            (
                Integer::U64,
                "0",
                "-1",
                "18446744073709551615",
                "18446744073709551616",
            ),
        ] {
            assert_eq!(reads(kind, min).as_deref(), Some(min));
            assert_eq!(reads(kind, max).as_deref(), Some(max));
            assert_eq!(reads(kind, below), None);
            assert_eq!(reads(kind, above), None);
            let quoted = format!("\"{max}\"");
            assert_eq!(reads(kind, &quoted), kind.is_wide().then(|| max.to_owned()));
        }
    }

    #[test]
    fn a_whole_number_in_another_spelling_is_written_out_and_no_other_text_is_one() {
        assert_eq!(reads(Integer::U32, "1.0").as_deref(), Some("1"));
        assert_eq!(reads(Integer::U64, "1e3").as_deref(), Some("1000"));
        for text in [
            "1.5", "true", "null", r#""1.0""#, r#""01""#, r#""+1""#, r#""""#, r#""-""#, r#""1e3""#,
        ] {
            assert_eq!(reads(Integer::U64, text), None, "{text}");
        }
        assert_eq!(reads(Integer::I64, r#""-7""#).as_deref(), Some("-7"));
    }
}
