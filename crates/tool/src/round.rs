//! One round of a request that may ask its client for input before it is done.

use crate::InputRequired;

/// How one round ends: with what was asked for, or with a question to the client, who then asks again with the answers.
/// Tools have more ways to end ([`crate::Outcome`]); prompts and resources have these two.
#[derive(Debug, Clone, PartialEq)]
pub enum Round<T> {
    /// What was asked for.
    Done(T),
    /// The client is asked first.
    InputRequired(InputRequired),
}

impl<T> Round<T> {
    /// What was asked for, when nothing is asked in return.
    #[must_use]
    pub fn done(self) -> Option<T> {
        match self {
            Self::Done(done) => Some(done),
            Self::InputRequired(_) => None,
        }
    }
}

impl<T> From<InputRequired> for Round<T> {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}
