//! Amounts for people: decimal numbers for whole numbers of base units, exact in both directions.

use alloy_primitives::{I256, U256};

/// The decimal places of ether.
pub(crate) const ETHER_DECIMALS: u8 = 18;

/// The most decimal places that an amount may have: 2^256 has 78 digits.
pub(crate) const MAX_DECIMALS: u8 = 77;

/// The most characters of an amount as text: a sign, 78 digits, a point, and room for zeros.
const MAX_AMOUNT_CHARS: usize = 160;

/// Why a text is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AmountError {
    /// It is not written as one.
    #[error(
        "an amount is written in digits with at most one point, such as 1234.5; no exponent, no blanks, no commas"
    )]
    Spelling,
    /// It has more decimal places than there are.
    #[error("the amount has more decimal places than the {0} that there are; nothing is rounded")]
    TooPrecise(u8),
    /// It does not fit into 256 bits.
    #[error("the amount is larger than any that fits into 256 bits")]
    TooLarge,
}

/// An amount of wei in ether, exact: `0.000021 ether`.
pub(crate) fn format_ether(wei: U256) -> String {
    format!("{} ether", format_units(wei, ETHER_DECIMALS))
}

/// A whole number of base units as a decimal number with up to `decimals` places, exact.
pub(crate) fn format_units(amount: U256, decimals: u8) -> String {
    let decimals = usize::from(decimals);
    let digits = format!("{:0>width$}", amount.to_string(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// The same of a number that may be negative.
pub(crate) fn format_signed_units(amount: I256, decimals: u8) -> String {
    let sign = if amount.is_negative() { "-" } else { "" };
    format!("{sign}{}", format_units(amount.unsigned_abs(), decimals))
}

/// A decimal number with up to `decimals` places as a whole number of base units, exact.
pub(crate) fn parse_units(text: &str, decimals: u8) -> Result<U256, AmountError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let has_point = whole.len() < text.len();
    if text.len() > MAX_AMOUNT_CHARS
        || whole.is_empty()
        || (has_point && fraction.is_empty())
        || !is_digits(whole)
        || !is_digits(fraction)
    {
        return Err(AmountError::Spelling);
    }
    let fraction = fraction.trim_end_matches('0');
    let missing = usize::from(decimals)
        .checked_sub(fraction.len())
        .ok_or(AmountError::TooPrecise(decimals))?;
    let digits = format!("{whole}{fraction}{}", "0".repeat(missing));
    U256::from_str_radix(&digits, 10).map_err(|_| AmountError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_in_both_directions() {
        for (amount, shown) in [
            ("0", "0"),
            ("1", "0.000000000000000001"),
            ("1000000000000000000", "1"),
            ("1234567890123456789012345", "1234567.890123456789012345"),
            ("1500000000000000000", "1.5"),
        ] {
            let amount: U256 = amount.parse().unwrap();
            assert_eq!(format_units(amount, 18), shown);
            assert_eq!(parse_units(shown, 18), Ok(amount));
        }
        assert_eq!(format_units(U256::MAX, 0), U256::MAX.to_string());
        assert_eq!(
            parse_units(&format_units(U256::MAX, MAX_DECIMALS), MAX_DECIMALS),
            Ok(U256::MAX)
        );
        assert_eq!(format_signed_units(I256::MINUS_ONE, 2), "-0.01");
        assert_eq!(parse_units("1.50", 1), Ok(U256::from(15)), "zeros say nothing");
    }

    #[test]
    fn what_is_no_amount_is_refused_and_nothing_is_rounded() {
        for text in [
            "", ".", "1.", ".5", "-1", "+1", "1e18", "1,5", "1_0", " 1", "0x1", "1.2.3", "one",
        ] {
            assert_eq!(parse_units(text, 18), Err(AmountError::Spelling), "{text}");
        }
        assert_eq!(parse_units("1.23", 1), Err(AmountError::TooPrecise(1)));
        assert_eq!(parse_units("1", 0), Ok(U256::ONE));
        assert_eq!(parse_units(&U256::MAX.to_string(), 1), Err(AmountError::TooLarge));
        assert_eq!(parse_units(&"0".repeat(MAX_AMOUNT_CHARS), 0), Ok(U256::ZERO));
        assert_eq!(
            parse_units(&"0".repeat(MAX_AMOUNT_CHARS + 1), 0),
            Err(AmountError::Spelling)
        );
    }
}
