//! Model providers' tool formats, text in and text out.

use toolmesh::provider::{ToolCallParseError, ToolCallSpec, compat};

use crate::{Fault, FaultKind, descriptor::descriptor_from, text::parse};

/// A provider of whom a binding has a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFormat {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// The Model Context Protocol.
    Mcp,
    /// Gemini's function declarations.
    Gemini,
}

/// Why a text is no tool, or no tool call, of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// What was given is not what it has to be.
    #[error(transparent)]
    Given(#[from] Fault),
    /// The reply holds no tool call.
    #[error(transparent)]
    Reply(#[from] ToolCallParseError),
}

impl ToolFormat {
    /// The format of that name: `openai`, `anthropic`, `mcp` or `gemini`.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`].
    pub fn named(name: &str) -> Result<Self, Fault> {
        match name {
            "openai" => Ok(Self::OpenAi),
            "anthropic" => Ok(Self::Anthropic),
            "mcp" => Ok(Self::Mcp),
            "gemini" => Ok(Self::Gemini),
            _ => Err(Fault::new(
                FaultKind::Invalid,
                "the format is openai, anthropic, mcp or gemini",
            )),
        }
    }
}

/// A tool in the plain form of a provider, as JSON: the translators that other programs of the tool mesh know, to the letter.
///
/// # Errors
/// A [`Fault`] for the descriptor.
pub fn to_tool(format: ToolFormat, descriptor: &str) -> Result<String, Fault> {
    let descriptor = descriptor_from(descriptor)?;
    let tool = match format {
        ToolFormat::OpenAi => compat::to_openai_tool(&descriptor),
        ToolFormat::Anthropic => compat::to_anthropic_tool(&descriptor),
        ToolFormat::Mcp => compat::to_mcp_tool(&descriptor),
        ToolFormat::Gemini => compat::to_gemini_function_declaration(&descriptor),
    };
    Ok(tool.to_text())
}

/// A model's call of a tool, from the plain form of a provider.
///
/// # Errors
/// [`FormatError`].
pub fn lower_call(format: ToolFormat, reply: &str) -> Result<ToolCallSpec, FormatError> {
    let reply = parse(reply, "the reply is no JSON")?;
    let view = reply.view();
    Ok(match format {
        ToolFormat::OpenAi => compat::lower_openai_tool_call(view),
        ToolFormat::Anthropic => compat::lower_anthropic_tool_use(view),
        ToolFormat::Mcp => compat::lower_mcp_tools_call(view),
        ToolFormat::Gemini => compat::lower_gemini_function_call(view),
    }?)
}
