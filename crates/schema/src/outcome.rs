//! What an evaluation answers.

use crate::diagnostic::Diagnostics;
use crate::limits::EvaluationLimit;

/// The answer of one evaluation and what it cost.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub(crate) outcome: EvaluationOutcome,
    pub(crate) operations: u64,
    pub(crate) reference_traversals: u64,
    pub(crate) peak_pending: u32,
}

impl Evaluation {
    /// Whether the value fits. A spent budget is never valid.
    pub fn is_valid(&self) -> bool {
        matches!(self.outcome, EvaluationOutcome::Valid)
    }

    /// The answer.
    pub fn outcome(&self) -> &EvaluationOutcome {
        &self.outcome
    }

    /// The answer, owned.
    pub fn into_outcome(self) -> EvaluationOutcome {
        self.outcome
    }

    /// Operations that were spent; each is charged before its work is done.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// References that were followed.
    pub fn reference_traversals(&self) -> u64 {
        self.reference_traversals
    }

    /// The most evaluations that were open inside each other.
    pub fn peak_pending(&self) -> u32 {
        self.peak_pending
    }
}

/// Whether a value fits a schema.
#[derive(Clone, Debug)]
pub enum EvaluationOutcome {
    /// It fits.
    Valid,
    /// It does not, for these reasons.
    Invalid(Diagnostics),
    /// The budget was spent before there was an answer: treat the value as refused.
    LimitExceeded(EvaluationLimit),
}
