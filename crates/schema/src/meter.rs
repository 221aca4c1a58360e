//! The budget of one evaluation.

use crate::limits::{EvaluationLimit, EvaluationLimits};

/// Counts what is spent and refuses what would pass the bound. Every charge comes before its work.
pub(crate) struct Meter {
    operations: u64,
    reference_traversals: u64,
    limits: EvaluationLimits,
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
            operations: 0,
            reference_traversals: 0,
            limits: *limits,
        }
    }

    pub(crate) fn charge(&mut self, operations: u64) -> Metered<()> {
        let total = self.operations.saturating_add(operations);
        if total > self.limits.operations() {
            return Err(EvaluationLimit::EvaluationOperations);
        }
        self.operations = total;
        Ok(())
    }

    pub(crate) fn traverse(&mut self) -> Metered<()> {
        if self.reference_traversals >= self.limits.reference_traversals() {
            return Err(EvaluationLimit::ReferenceTraversals);
        }
        self.reference_traversals += 1;
        Ok(())
    }

    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    pub(crate) fn reference_traversals(&self) -> u64 {
        self.reference_traversals
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
