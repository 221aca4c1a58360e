//! A list of tools as `toolmesh tools --format` prints it: one call.

use std::str::FromStr;

use toolmesh_json::Value;
use toolmesh_tool::ToolDescriptor;

use crate::compat;
use crate::options::Options;
use crate::provider::Provider;
use crate::toolset::Toolset;
use crate::warning::Warning;

/// The word after `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(Provider);

/// The word after `--mode`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// What the provider accepts; see [`Toolset`].
    #[default]
    Safe,
    /// The plain form of the tool mesh, to the letter; see [`compat`].
    Compat,
}

/// A word that names no provider's format or no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is none of {known}")]
pub struct UnknownFormat {
    word: String,
    known: &'static str,
}

impl Format {
    /// The format of a provider.
    #[must_use]
    pub fn of(provider: Provider) -> Self {
        Self(provider)
    }

    /// Whose format it is.
    #[must_use]
    pub fn provider(self) -> Provider {
        self.0
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let found = Provider::ALL
            .into_iter()
            .find(|provider| provider.as_str() == word);
        found.map(Self).ok_or_else(|| UnknownFormat {
            word: word.to_owned(),
            known: "openai, openai-responses, anthropic, gemini, mcp",
        })
    }
}

impl FromStr for Mode {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        match word {
            "safe" => Ok(Self::Safe),
            "compat" => Ok(Self::Compat),
            _ => Err(UnknownFormat {
                word: word.to_owned(),
                known: "safe, compat",
            }),
        }
    }
}

/// Tools in a provider's format.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The array: in safe mode ready to be sent as `tools`, in compat mode one entry a tool.
    pub tools: Value,
    /// What was changed or lost; always empty in compat mode, which checks nothing.
    pub warnings: Vec<Warning>,
}

/// Translates tools for printing. Responses has no plain form of its own: its compat form is that of Chat Completions, flat.
#[must_use]
pub fn listing(format: Format, mode: Mode, tools: impl IntoIterator<Item = ToolDescriptor>) -> Listing {
    match mode {
        Mode::Safe => {
            let toolset = Toolset::translate(format.0, tools, &Options::default());
            Listing {
                tools: toolset.tools().clone(),
                warnings: toolset.warnings().to_vec(),
            }
        }
        Mode::Compat => Listing {
            tools: tools.into_iter().map(|tool| plain(format.0, &tool)).collect(),
            warnings: Vec::new(),
        },
    }
}

fn plain(provider: Provider, tool: &ToolDescriptor) -> Value {
    match provider {
        Provider::OpenAi => compat::to_openai_tool(tool),
        Provider::OpenAiResponses => flat(&compat::to_openai_tool(tool)),
        Provider::Anthropic => compat::to_anthropic_tool(tool),
        Provider::Gemini => compat::to_gemini_function_declaration(tool),
        Provider::Mcp => compat::to_mcp_tool(tool),
    }
}

fn flat(tool: &Value) -> Value {
    let mut flat = Value::object().put("type", "function");
    let function = tool.get("function").and_then(toolmesh_json::View::as_object);
    flat.extend(function.into_iter().flatten());
    flat.build()
}
