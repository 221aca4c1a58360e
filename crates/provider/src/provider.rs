//! The providers.

use crate::names::NameRule;
use crate::{anthropic, gemini, mcp, openai};

/// Whose tool format. Each stands for one wire shape; services that copy a shape are reached by the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's Chat Completions, and the many services that speak it.
    OpenAi,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini: function declarations.
    Gemini,
    /// The Model Context Protocol: `tools/list` and `tools/call`.
    Mcp,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 5] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Mcp,
    ];

    /// The word for it on the command line and in warnings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    /// What a reply in its form is.
    pub(crate) fn reply_form(self) -> &'static str {
        match self {
            Self::OpenAi => "a response with `choices`, a message, or the list in `tool_calls`",
            Self::OpenAiResponses => "a response without an error, or the list in `output`",
            Self::Anthropic => "a message, or the list in `content`",
            Self::Gemini => "a response with `candidates`, a content, or the list in `parts`",
            Self::Mcp => "a request, or the params of `tools/call` with a `name`",
        }
    }

    pub(crate) fn name_rule(self) -> NameRule {
        match self {
            Self::OpenAi | Self::OpenAiResponses => openai::rules::NAME,
            Self::Anthropic => anthropic::rules::NAME,
            Self::Gemini => gemini::rules::NAME,
            Self::Mcp => mcp::rules::NAME,
        }
    }

    /// How many tools one request may bring, where that is published.
    pub(crate) fn max_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some(openai::rules::MAX_TOOLS),
            Self::Gemini => Some(gemini::rules::MAX_TOOLS),
            Self::Anthropic | Self::Mcp => None,
        }
    }
}

impl std::fmt::Display for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
