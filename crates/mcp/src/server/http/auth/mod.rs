//! Who asks: bearer tokens, either known here or issued by an OAuth authorization server.
//!
//! The endpoint is an OAuth 2 resource server (RFC 6750, RFC 9068, RFC 9728): it says where tokens come from, judges
//! them by the issuer's published keys, and answers what it refuses with a challenge. It never issues tokens.

mod challenge;
mod issuer;
mod jwt;
mod keys;
mod options;
mod scopes;
mod tokens;

use std::{sync::Arc, time::SystemTime};

use ::http::{HeaderMap, header};
use toolmesh_json::Value;
use toolmesh_tool::{Caller, Transport};

pub(super) use challenge::{Challenge, METADATA_PATH};
pub use options::{AuthError, AuthOptions, MIN_TOKEN_CHARS, OAuthOptions};

use super::headers::single;
use jwt::Judge;
use options::Scoped;
use tokens::Tokens;

/// How callers of an endpoint are known.
pub(super) struct Authenticator {
    tokens: Tokens,
    judge: Option<Judge>,
    /// Scopes that every caller with a token of the issuer needs.
    scopes: Vec<String>,
    /// Scopes that tools need beyond those.
    tools: Vec<Scoped>,
    /// Where the metadata of this resource is, when it can be said.
    metadata: Option<String>,
}

/// A caller who is known.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) caller: Caller,
    /// What the issuer granted; `None` for a token that is known here, which grants everything.
    granted: Option<Arc<[String]>>,
    /// When his token ends, and with it what would go on for ever.
    pub(super) until: Option<SystemTime>,
}

impl Authenticator {
    pub(super) fn new(options: AuthOptions) -> Result<Self, AuthError> {
        let AuthOptions { tokens, oauth, tools } = options;
        let metadata = oauth
            .as_ref()
            .and_then(|oauth| challenge::metadata_url(&oauth.audience));
        let scopes = oauth
            .as_ref()
            .map(|oauth| oauth.scopes.clone())
            .unwrap_or_default();
        Ok(Self {
            tokens: Tokens::new(tokens)?,
            judge: oauth.map(Judge::new).transpose()?,
            scopes,
            tools,
            metadata,
        })
    }

    /// Whether anybody can be known at all.
    pub(super) fn knows_anybody(&self) -> bool {
        self.judge.is_some() || !self.tokens.is_empty()
    }

    /// The caller by the token that came with the request.
    pub(super) async fn authenticate(&self, headers: &HeaderMap) -> Result<Known, Challenge> {
        let token = match single(headers, &header::AUTHORIZATION) {
            Ok(Some(text)) => bearer(text).ok_or_else(|| self.invalid())?,
            Ok(None) => return Err(self.challenge(None, StatusKind::Unknown)),
            Err(_) => return Err(self.invalid()),
        };
        if let Some(name) = self.tokens.find(token) {
            return Ok(Known {
                caller: Caller::authenticated(name, Transport::Http),
                granted: None,
                until: None,
            });
        }
        let judge = self.judge.as_ref().ok_or_else(|| self.invalid())?;
        let judged = judge.judge(token).await.map_err(|reason| {
            tracing::debug!(%reason, "a token is refused");
            self.invalid()
        })?;
        // It would be the same caller, with his rights, tasks and sessions.
        if self.tokens.has_name(&judged.subject) {
            tracing::warn!(
                "a token of the issuer is refused: its subject is the name of a token that is known here"
            );
            return Err(self.invalid());
        }
        let known = Known {
            caller: Caller::authenticated(judged.subject, Transport::Http),
            granted: Some(judged.scopes.into()),
            until: judged.until,
        };
        match known.lacks(&self.scopes) {
            lacking if lacking.is_empty() => Ok(known),
            _ => Err(self.challenge(
                Some("insufficient_scope"),
                StatusKind::Lacking(self.scopes.clone()),
            )),
        }
    }

    /// Whether a known caller may call the tool of this published name.
    pub(super) fn allows_tool(&self, known: &Known, name: &str) -> Result<(), Challenge> {
        let needed: Vec<String> = self
            .tools
            .iter()
            .filter(|scoped| scoped.matches(name))
            .map(|scoped| scoped.scope.clone())
            .collect();
        match known.lacks(&needed) {
            lacking if lacking.is_empty() => Ok(()),
            // A client asks its user anew for everything that the call needs.
            _ => {
                let all = self.scopes.iter().cloned().chain(needed).collect();
                Err(self.challenge(Some("insufficient_scope"), StatusKind::Lacking(all)))
            }
        }
    }

    /// The metadata document of this resource (RFC 9728); `None` when no issuer is known.
    pub(super) fn metadata(&self) -> Option<Value> {
        let judge = self.judge.as_ref()?;
        let texts = |texts: Vec<&str>| texts.into_iter().map(Value::from).collect::<Value>();
        let mut scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        scopes.extend(self.tools.iter().map(|scoped| scoped.scope.as_str()));
        let mut seen = std::collections::HashSet::new();
        scopes.retain(|scope| seen.insert(*scope));
        Some(
            Value::object()
                .put("resource", judge.audience())
                .put("authorization_servers", texts(vec![judge.issuer()]))
                .put("scopes_supported", texts(scopes))
                .put("bearer_methods_supported", texts(vec!["header"]))
                .build(),
        )
    }

    fn invalid(&self) -> Challenge {
        self.challenge(Some("invalid_token"), StatusKind::Unknown)
    }

    fn challenge(&self, error: Option<&'static str>, kind: StatusKind) -> Challenge {
        let (status, scopes) = match kind {
            StatusKind::Unknown => (401, self.scopes.clone()),
            StatusKind::Lacking(scopes) => (403, scopes),
        };
        Challenge {
            status,
            error,
            scopes,
            metadata: self.metadata.clone(),
        }
    }
}

/// Why a challenge is made.
enum StatusKind {
    /// The caller is not known.
    Unknown,
    /// The caller is known, and lacks some of these scopes.
    Lacking(Vec<String>),
}

impl Known {
    /// Somebody, where nobody has to be known, at the address that he asks from.
    pub(super) fn anonymous(address: Option<Arc<str>>) -> Self {
        Self {
            caller: Caller::anonymous(Transport::Http).at(address),
            granted: None,
            until: None,
        }
    }

    fn lacks<'a>(&self, needed: &'a [String]) -> Vec<&'a String> {
        match &self.granted {
            None => Vec::new(),
            Some(granted) => needed.iter().filter(|scope| !granted.contains(scope)).collect(),
        }
    }
}

/// The token of a `Bearer` credential (RFC 6750, 2.1).
fn bearer(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(' ')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    let token = token.trim_start_matches(' ');
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.bytes().all(is_token))
        .then_some(token)
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator")
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_credential_has_its_scheme_in_any_case_and_one_token() {
        assert_eq!(bearer("Bearer abc.DEF-_~+/="), Some("abc.DEF-_~+/="));
        assert_eq!(bearer("bearer  a"), Some("a"));
        for text in ["Basic abc", "Bearer", "Bearer ", "Bearer a b", "Bearer é", ""] {
            assert_eq!(bearer(text), None, "{text}");
        }
    }
}
