//! Amounts for people.

use alloy_primitives::U256;

/// The decimal places of ether.
const ETHER_DECIMALS: usize = 18;

/// An amount of wei in ether, exact: `0.000021 ether`.
pub(crate) fn format_ether(wei: U256) -> String {
    format!("{} ether", format_units(wei, ETHER_DECIMALS))
}

/// A whole number of base units as a decimal number with up to `decimals` places, exact.
fn format_units(amount: U256, decimals: usize) -> String {
    let digits = format!("{:0>width$}", amount.to_string(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        for (amount, expected) in [
            ("0", "0"),
            ("1", "0.000000000000000001"),
            ("1000000000000000000", "1"),
            ("1234567890123456789012345", "1234567.890123456789012345"),
            ("1500000000000000000", "1.5"),
        ] {
            assert_eq!(format_units(amount.parse().unwrap(), 18), expected);
        }
    }
}
