//! `[server]`: how the tools are offered.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

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
    /// Three tools that search, describe and call are listed in place of the catalogue.
    pub compact: bool,
    /// Everybody may call who reaches the address, also from other machines.
    pub anonymous: bool,
    /// Proxies that are believed when they say for whom they ask: addresses or networks.
    pub trusted_proxies: Vec<String>,
    /// A file of callers and their tokens.
    pub tokens_file: Option<PathBuf>,
    /// The authorization server whose tokens are taken.
    pub oauth_issuer: Option<String>,
    /// What its tokens must be made for: the URL by which clients reach the endpoint.
    pub oauth_audience: Option<String>,
    /// The URL of the issuer's keys.
    pub oauth_keys: Option<String>,
    /// Scopes that every token of the issuer must have.
    pub oauth_scopes: Vec<String>,
    /// Scopes that tools need, by patterns of their names.
    pub tool_scopes: Vec<(String, String)>,
    /// The certificate chain of the endpoint, a PEM file.
    pub tls_certificate: Option<PathBuf>,
    /// Its private key, a PEM file.
    pub tls_key: Option<PathBuf>,
}

impl ServerConfig {
    /// Whether stdio is to be served.
    #[must_use]
    pub fn serves_stdio(&self) -> bool {
        self.stdio.unwrap_or(self.http.is_none())
    }
}

impl ServerConfig {
    /// Takes relative paths from `folder`.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        let paths = [
            &mut self.tokens_file,
            &mut self.tls_certificate,
            &mut self.tls_key,
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
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
        Key {
            name: "compact",
            about: "list search_tools, describe_tool and call_tool in place of the tools",
            set: |server, value| {
                server.compact = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "anonymous",
            about: "let everybody call who reaches the address, also from other machines",
            set: |server, value| {
                server.anonymous = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "trusted_proxies",
            about: "proxies whose X-Forwarded-For is believed, as 127.0.0.1 or 10.0.0.0/8 (default: none)",
            set: |server, value| {
                server.trusted_proxies = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "tokens_file",
            about: "a file of callers and their tokens, `NAME TOKEN` a line",
            set: |server, value| {
                server.tokens_file = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "oauth_issuer",
            about: "the authorization server whose tokens are taken",
            set: |server, value| {
                server.oauth_issuer = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "oauth_audience",
            about: "the URL by which clients reach this endpoint: what tokens must be made for",
            set: |server, value| {
                server.oauth_audience = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "oauth_keys",
            about: "the URL of the issuer's keys (default: as the issuer's metadata says)",
            set: |server, value| {
                server.oauth_keys = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "oauth_scopes",
            about: "scopes that every token of the issuer must have",
            set: |server, value| {
                server.oauth_scopes = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "tool_scopes",
            about: "scopes that tools need, by patterns of their names",
            set: |server, value| {
                server.tool_scopes = value.pairs()?;
                Ok(())
            },
        },
        Key {
            name: "tls_certificate",
            about: "serve over TLS with this certificate chain (a PEM file)",
            set: |server, value| {
                server.tls_certificate = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "tls_key",
            about: "the private key of the certificate (a PEM file)",
            set: |server, value| {
                server.tls_key = Some(value.text()?.into());
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
