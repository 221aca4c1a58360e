//! The budget of one evaluation.

use crate::limits::{EvaluationLimit, EvaluationLimits};

/// Counts what is spent and refuses what would pass the bound. Every charge comes before its work.
pub(crate) struct Meter {
    /// What is left of each budget: counting down costs one comparison.
    operations_left: u64,
    traversals_left: u64,
    operations: u64,
    traversals: u64,
}

/// The outcome of a step: whether the value fits, or the bound that ends the whole evaluation.
pub(crate) type Metered<T> = Result<T, EvaluationLimit>;

/// Bytes of text that one operation reads, where a keyword has to read a whole text.
const TEXT_BYTES_PER_OPERATION: u64 = 64;

/// The charge for reading a text once.
pub(crate) fn text_charge(text: &str) -> u64 {
    text.len() as u64 / TEXT_BYTES_PER_OPERATION
}

impl Meter {
    pub(crate) fn new(limits: &EvaluationLimits) -> Self {
        Self {
            operations_left: limits.operations(),
            traversals_left: limits.reference_traversals(),
            operations: limits.operations(),
            traversals: limits.reference_traversals(),
        }
    }

    #[inline]
    pub(crate) fn charge(&mut self, operations: u64) -> Metered<()> {
        let left = self.operations_left.checked_sub(operations);
        self.operations_left = left.ok_or(EvaluationLimit::EvaluationOperations)?;
        Ok(())
    }

    /// Spends what is left, so that whatever is still under way ends at its next charge.
    pub(crate) fn exhaust(&mut self) {
        self.operations_left = 0;
    }

    #[inline]
    pub(crate) fn traverse(&mut self) -> Metered<()> {
        let left = self.traversals_left.checked_sub(1);
        self.traversals_left = left.ok_or(EvaluationLimit::ReferenceTraversals)?;
        Ok(())
    }

    pub(crate) fn operations(&self) -> u64 {
        self.operations - self.operations_left
    }

    pub(crate) fn reference_traversals(&self) -> u64 {
        self.traversals - self.traversals_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_operation_of_the_budget_is_granted_and_the_next_is_not() {
        let limits = EvaluationLimits::default().with_operations(3).unwrap();
        let mut meter = Meter::new(&limits);
        assert_eq!(meter.charge(3), Ok(()));
        assert_eq!(meter.charge(1), Err(EvaluationLimit::EvaluationOperations));
        assert_eq!(meter.operations(), 3);
    }

    #[test]
    fn a_charge_near_the_end_of_the_number_range_does_not_wrap_around() {
        let mut meter = Meter::new(&EvaluationLimits::default());
        meter.charge(1).unwrap();
        assert_eq!(meter.charge(u64::MAX), Err(EvaluationLimit::EvaluationOperations));
    }
}
