//! What a failed request means: the node's absence, a contract's revert, or an error of its own.

mod ending;
mod origin;

use serde_json::Value;

use crate::chain::ChainError;

/// The longest text of a node that is passed on, in characters: enough for any sentence.
const MAX_MESSAGE_CHARACTERS: usize = 300;

/// A request that failed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// The node's answer has more bytes than are read. What was asked may have been done.
    TooLarge { limit: usize },
    /// The node did not answer properly.
    Transport {
        reason: String,
        /// Whether the request may have reached the node all the same.
        perhaps_received: bool,
        /// Whether asking again may help.
        passing: bool,
    },
    /// The node answered an error.
    Answer {
        code: i64,
        message: String,
        data: Option<Value>,
        passing: bool,
    },
}

impl Fault {
    pub(super) fn timeout(seconds: u64) -> Self {
        Self::Transport {
            reason: format!("no answer within {seconds} s"),
            perhaps_received: true,
            passing: true,
        }
    }

    /// The node is of another chain than the others, so it was not asked; another one may be.
    pub(super) fn other_chain() -> Self {
        Self::Transport {
            reason: "it is of another chain".to_owned(),
            perhaps_received: false,
            passing: true,
        }
    }

    /// A request that is no JSON, which no request here is.
    pub(super) fn unwritable() -> Self {
        Self::unexpected("the request could not be written")
    }

    /// Something that asking again does not mend.
    fn unexpected(reason: &str) -> Self {
        Self::Transport {
            reason: reason.to_owned(),
            perhaps_received: true,
            passing: false,
        }
    }

    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Transport { passing, .. } | Self::Answer { passing, .. } => *passing,
            Self::TooLarge { .. } => false,
        }
    }

    /// Whether the request may have reached the node although this is what became of it.
    pub(super) fn is_perhaps_received(&self) -> bool {
        match self {
            Self::Transport { perhaps_received, .. } => *perhaps_received,
            Self::TooLarge { .. } => true,
            Self::Answer { .. } => false,
        }
    }

    /// Whether the node's words contain one of `phrases`.
    pub(super) fn says(&self, phrases: &[&str]) -> bool {
        match self {
            Self::Transport { .. } | Self::TooLarge { .. } => false,
            Self::Answer { message, .. } => {
                let message = message.to_lowercase();
                phrases.iter().any(|phrase| message.contains(phrase))
            }
        }
    }

    /// The fault as an error of the chain whose node has the (harmless) URL `url`.
    pub(super) fn into_error(self, url: &str) -> ChainError {
        match self {
            Self::Transport { reason, .. } => ChainError::Unreachable {
                url: url.to_owned(),
                reason,
            },
            Self::TooLarge { limit } => ChainError::AnswerTooLarge {
                url: url.to_owned(),
                limit,
            },
            Self::Answer { code, message, .. } => ChainError::Rpc {
                code,
                message: shortened(&message),
            },
        }
    }
}

/// A node's words without control characters, cut to a bounded length.
fn shortened(message: &str) -> String {
    let clean = message
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character });
    clean.take(MAX_MESSAGE_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_s_words_are_cut_and_cleaned() {
        let words = format!("a\u{1b}[31m\n{}", "x".repeat(400));
        let shown = shortened(&words);
        assert_eq!(shown.chars().count(), MAX_MESSAGE_CHARACTERS);
        assert!(shown.starts_with("a [31m x"));
        assert_eq!(
            shortened(&"y".repeat(MAX_MESSAGE_CHARACTERS)).len(),
            MAX_MESSAGE_CHARACTERS
        );
    }
}
