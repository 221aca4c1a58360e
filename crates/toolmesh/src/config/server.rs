//! `[server]`: how the tools are offered.

use std::net::SocketAddr;

use super::{
    key::{Key, Section},
    listen::{DEFAULT_LISTEN, parse_listen},
    setting::{Expected, Setting},
};

/// How the tools are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerConfig {
    /// Where Streamable HTTP is served; `None` for not at all.
    pub http: Option<SocketAddr>,
    /// Whether stdio is served; `None` means only when nothing else is.
    pub stdio: Option<bool>,
    /// Names under which other machines reach the HTTP endpoint, `NAME` or `NAME:PORT`.
    pub hosts: Vec<String>,
    /// Web pages that may use the HTTP endpoint, as `https://example.com`.
    pub origins: Vec<String>,
    /// The most tools that are offered; more is an error at the start.
    pub max_tools: Option<usize>,
    /// The most sessions of clients with a handshake over HTTP; `None` for the usual number, 0 for none.
    pub sessions: Option<usize>,
    /// Calls with an `Mcp-Param-*` header that the tool does not declare are refused.
    pub refuse_unknown_parameters: bool,
}

impl ServerConfig {
    /// Whether stdio is to be served.
    #[must_use]
    pub fn serves_stdio(&self) -> bool {
        self.stdio.unwrap_or(self.http.is_none())
    }
}

impl Section for ServerConfig {
    const PLACE: &'static str = "in [server]";
    const VARIABLE: &'static str = "TOOLMESH_SERVER_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "http",
            about: "serve Streamable HTTP at this address (`HOST:PORT`, `PORT`, or true for 127.0.0.1:8080)",
            set: |server, value| {
                server.http = http(value)?;
                Ok(())
            },
        },
        Key {
            name: "stdio",
            about: "serve standard input and output (default: only when nothing else is served)",
            set: |server, value| {
                server.stdio = Some(value.flag()?);
                Ok(())
            },
        },
        Key {
            name: "hosts",
            about: "names under which other machines reach the HTTP endpoint; `*` for any",
            set: |server, value| {
                server.hosts = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "origins",
            about: "web pages that may use the HTTP endpoint, as `https://example.com`",
            set: |server, value| {
                server.origins = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "max_tools",
            about: "refuse to start with more tools than this",
            set: |server, value| {
                server.max_tools = Some(usize::try_from(value.count()?).unwrap_or(usize::MAX));
                Ok(())
            },
        },
        Key {
            name: "sessions",
            about: "the most sessions of MCP 2025 clients over HTTP; 0 for none (default: 256)",
            set: |server, value| {
                server.sessions = Some(usize::try_from(value.count()?).unwrap_or(usize::MAX));
                Ok(())
            },
        },
        Key {
            name: "unknown_parameters",
            about: "what becomes of calls with undeclared Mcp-Param headers: ignore (default) or refuse",
            set: |server, value| {
                server.refuse_unknown_parameters = refuses(value)?;
                Ok(())
            },
        },
    ];
}

fn http(value: &Setting<'_>) -> Result<Option<SocketAddr>, Expected> {
    if let Ok(flag) = value.flag() {
        return Ok(flag.then_some(DEFAULT_LISTEN));
    }
    let text = value
        .text()
        .map_err(|_| "true, false, or an address".to_owned())?;
    parse_listen(&text)
        .map(Some)
        .map_err(|error| error.expected().to_owned())
}

fn refuses(value: &Setting<'_>) -> Result<bool, Expected> {
    match value.text().as_deref() {
        Ok("ignore") => Ok(false),
        Ok("refuse") => Ok(true),
        _ => Err("ignore or refuse".to_owned()),
    }
}
