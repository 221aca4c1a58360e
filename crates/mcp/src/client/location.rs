//! Where an upstream server is, as people write it.

use std::{fmt, path::PathBuf};

use toolmesh_tool::url_origin;

/// What a source text begins with to name an upstream MCP server.
pub const SCHEME: &str = "mcp:";

/// Where an upstream MCP server is.
#[derive(Clone, PartialEq, Eq)]
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

    /// The same server with more arguments behind those of its command; a URL has none.
    #[must_use]
    pub fn with_arguments(mut self, more: impl IntoIterator<Item = String>) -> Self {
        if let Self::Command { arguments, .. } = &mut self {
            arguments.extend(more);
        }
        self
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upstream({self})")
    }
}

impl fmt::Display for Upstream {
    /// What messages call it: arguments, and what follows a URL's host, may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        match self {
            Self::Url(url) => f.write_str(&url_origin(url)),
            Self::Command { program, arguments } => {
                let more = if arguments.is_empty() { "" } else { " .." };
                write!(f, "{}{more}", program.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_server_is_a_command_or_a_url() {
        let command = Upstream::Command {
            program: "npx".into(),
            arguments: vec!["-y".to_owned(), "server-everything".to_owned()],
        };
        assert_eq!(Upstream::parse("mcp:npx -y  server-everything"), Ok(command));
        let url = "https://example.com/mcp";
        assert_eq!(
            Upstream::parse("mcp:https://example.com/mcp"),
            Ok(Upstream::Url(url.to_owned()))
        );
        assert_eq!(Upstream::parse("npx"), Err(UpstreamError::Scheme));
        assert_eq!(Upstream::parse("mcp: "), Err(UpstreamError::Empty));
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        for (text, shown) in [
            ("mcp:npx --key secret", "mcp:npx .."),
            ("mcp:./server", "mcp:./server"),
            ("mcp:https://u:secret@h:1/secret?k=secret", "mcp:https://h:1"),
        ] {
            let upstream = Upstream::parse(text).expect("valid");
            assert_eq!(upstream.to_string(), shown);
            assert!(!format!("{upstream:?}").contains("secret"));
        }
    }
}
