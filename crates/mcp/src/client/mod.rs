//! Upstream servers as a source of tools.
//!
//! An upstream server's tools, prompts and resources join the toolbox with their schemas exactly as they were given;
//! the reading goes through this crate's own codec, so that numbers and the order of members survive. This module so
//! far names where an upstream server is; the source itself comes with the `mcp:` source of the command line.

use std::{fmt, path::PathBuf};

/// What a source text begins with to name an upstream MCP server.
pub const SCHEME: &str = "mcp:";

/// Where an upstream MCP server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upstream {
    /// A program that speaks MCP on its standard input and output.
    Command {
        /// The program, as a path or as a name on the search path.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// A Streamable HTTP endpoint, `http:` or `https:`.
    Url(String),
}

/// Why a text names no upstream server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// The text does not begin with [`SCHEME`].
    #[error("the source does not begin with `mcp:`; write `mcp:COMMAND` or `mcp:URL`")]
    Scheme,
    /// Nothing follows the scheme.
    #[error("`mcp:` needs a command or a URL after it")]
    Empty,
}

impl Upstream {
    /// Reads `mcp:URL` or `mcp:COMMAND ARGUMENT ...`, the latter split at white space, without a shell.
    ///
    /// # Errors
    /// [`UpstreamError`] when the scheme or what follows it is missing.
    pub fn parse(text: &str) -> Result<Self, UpstreamError> {
        let rest = text.strip_prefix(SCHEME).ok_or(UpstreamError::Scheme)?.trim();
        if rest.starts_with("http://") || rest.starts_with("https://") {
            return Ok(Self::Url(rest.to_owned()));
        }
        let mut words = rest.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or(UpstreamError::Empty)?.into();
        Ok(Self::Command {
            program,
            arguments: words.collect(),
        })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        match self {
            Self::Url(url) => f.write_str(url),
            Self::Command { program, arguments } => {
                write!(f, "{}", program.display())?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_server_is_a_command_or_a_url() {
        for text in ["mcp:npx -y server-everything", "mcp:https://example.com/mcp"] {
            assert_eq!(Upstream::parse(text).expect("valid").to_string(), text);
        }
        assert_eq!(Upstream::parse("npx"), Err(UpstreamError::Scheme));
        assert_eq!(Upstream::parse("mcp: "), Err(UpstreamError::Empty));
    }
}
