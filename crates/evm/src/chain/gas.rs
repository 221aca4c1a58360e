//! The gas limit of a transaction, from an estimate.

/// The estimate with a fifth on top, because the state may change until the transaction is executed,
/// but never more than fits into a block. What is not used is not paid.
pub(super) fn limit(estimate: u64, block_gas_limit: u64) -> u64 {
    estimate.saturating_add(estimate / 5).min(block_gas_limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_the_estimate_with_a_fifth_more_and_at_most_a_block() {
        assert_eq!(limit(100_000, 30_000_000), 120_000);
        assert_eq!(limit(29_000_000, 30_000_000), 30_000_000);
        assert_eq!(limit(u64::MAX, u64::MAX), u64::MAX);
    }
}
