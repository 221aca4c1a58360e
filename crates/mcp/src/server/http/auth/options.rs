//! How callers are to be known.

use std::fmt;

use super::scopes::Glob;

/// Fewest characters of a token that is known here: 16, beyond guessing when they are random.
pub const MIN_TOKEN_CHARS: usize = 16;

/// How callers are to be known. Tokens are secrets: the debug form shows none.
#[derive(Clone, Default)]
pub struct AuthOptions {
    pub(super) tokens: Vec<(String, String)>,
    pub(super) oauth: Option<OAuthOptions>,
    pub(super) tools: Vec<Scoped>,
}

/// The authorization server whose tokens are taken.
#[derive(Debug, Clone)]
pub struct OAuthOptions {
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) keys: Option<String>,
    pub(super) scopes: Vec<String>,
}

/// A scope that tools need.
#[derive(Debug, Clone)]
pub(super) struct Scoped {
    pattern: Glob,
    pub(super) scope: String,
}

/// Why callers cannot be known so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// A token is too short.
    #[error(
        "the token of `{0}` has fewer than {MIN_TOKEN_CHARS} characters, or others than letters, digits and -._~+/=; make one with `openssl rand -hex 32`"
    )]
    Token(String),
    /// Two callers have one token.
    #[error("`{0}` and `{1}` have one token; give each its own")]
    SameToken(String, String),
    /// The issuer, or the URL of its keys, is no URL that keys may be taken from.
    #[error("{0} must be an https:// URL (http:// only on this machine)")]
    Url(&'static str),
    /// The audience is empty.
    #[error("the audience is empty; give the URL by which clients reach this server")]
    Audience,
    /// No HTTP client could be made.
    #[error("no HTTP client could be made for the issuer's keys")]
    Client,
}

impl AuthOptions {
    /// Takes `token` from the caller `name`.
    #[must_use]
    pub fn token(mut self, name: impl Into<String>, token: impl Into<String>) -> Self {
        self.tokens.push((name.into(), token.into()));
        self
    }

    /// Takes tokens of an authorization server.
    #[must_use]
    pub fn oauth(mut self, oauth: OAuthOptions) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Needs `scope` for tools whose published name matches `pattern` (`*` any text, `?` one character). Tokens that
    /// are known here have every scope.
    #[must_use]
    pub fn tool_scope(mut self, pattern: &str, scope: impl Into<String>) -> Self {
        self.tools.push(Scoped {
            pattern: Glob::new(pattern),
            scope: scope.into(),
        });
        self
    }
}

impl OAuthOptions {
    /// Takes tokens that `issuer` made for `audience`: the URL by which clients reach the endpoint, which is its
    /// resource identifier too.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            audience: audience.into(),
            keys: None,
            scopes: Vec::new(),
        }
    }

    /// Sets the URL of the issuer's keys (a JWK set); without it, the issuer's metadata says where they are.
    #[must_use]
    pub fn keys(mut self, url: impl Into<String>) -> Self {
        self.keys = Some(url.into());
        self
    }

    /// Needs this scope of every caller.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }
}

impl Scoped {
    pub(super) fn matches(&self, name: &str) -> bool {
        self.pattern.matches(name)
    }
}

impl fmt::Debug for AuthOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tokens.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("AuthOptions")
            .field("tokens", &names)
            .field("oauth", &self.oauth)
            .field("tools", &self.tools)
            .finish()
    }
}
