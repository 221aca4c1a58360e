//! Who asks: the four ways to have a token, and what happens when one ends.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::Mutex;
use toolmesh_json::{Value, View};

use super::{
    NodeError, NodeSettings, Secret,
    discover::Handoff,
    http::{Http, Reply, Request},
    store::{TokenStore, Tokens},
    token::Claims,
};

/// How long a token is taken to work that does not say, in milliseconds.
const USUAL_LIFE: u64 = 60 * 60 * 1_000;

/// The ways to have a token; the first that there is wins.
#[derive(Debug)]
enum Mode {
    /// Handed over in a file, or in the environment.
    Given { name: &'static str, tokens: Tokens },
    /// A user and a password.
    Credentials { username: String, password: Secret },
    /// The node asks for none, or a proxy cares for it.
    None,
}

/// The tokens of one node, and how they are renewed.
#[derive(Debug)]
pub(super) struct Session {
    mode: Mode,
    store: Option<TokenStore>,
    /// Held while tokens are made or renewed, so that concurrent requests renew once.
    current: Mutex<Current>,
}

#[derive(Debug, Default)]
struct Current {
    looked: bool,
    tokens: Option<Tokens>,
}

impl Session {
    pub(super) fn new(settings: &NodeSettings, handoff: Option<&Handoff>, url: &str) -> Self {
        let mode = mode(settings, handoff);
        let username = match &mode {
            Mode::Credentials { username, .. } => username.as_str(),
            Mode::Given { .. } | Mode::None => "",
        };
        let folder = settings
            .state_dir
            .as_ref()
            .filter(|_| !matches!(mode, Mode::None));
        let store = folder.map(|folder| TokenStore::new(folder, url, username));
        Self {
            mode,
            store,
            current: Mutex::default(),
        }
    }

    /// How it logs in: `handoff`, `token`, `credentials` or `none`.
    pub(super) fn mode(&self) -> &'static str {
        match &self.mode {
            Mode::Given { name, .. } => name,
            Mode::Credentials { .. } => "credentials",
            Mode::None => "none",
        }
    }

    /// The token to send along; logs in when there is none yet.
    pub(super) async fn bearer(&self, http: &Http) -> Result<Option<String>, NodeError> {
        if matches!(self.mode, Mode::None) {
            return Ok(None);
        }
        let mut current = self.current.lock().await;
        if !current.looked {
            current.tokens = self.first();
            current.looked = true;
        }
        if current.tokens.is_none() {
            current.tokens = Some(self.log_in(http).await?);
        }
        Ok(current.tokens.as_ref().map(|tokens| tokens.access.clone()))
    }

    /// What is there at first: of tokens that were handed in and stored ones the newer. Which is newer must be certain:
    /// using an old refresh token again revokes all that came of it.
    fn first(&self) -> Option<Tokens> {
        let stored = self.store.as_ref().and_then(TokenStore::load);
        let Mode::Given { tokens: given, .. } = &self.mode else {
            return stored;
        };
        let Some(stored) = stored else {
            self.keep(given);
            return Some(given.clone());
        };
        let issued = |tokens: &Tokens| Claims::of(&tokens.access).issued;
        let is_newer =
            matches!((issued(given), issued(&stored)), (Some(given), Some(stored)) if given > stored);
        if is_newer {
            self.keep(given);
            return Some(given.clone());
        }
        Some(stored)
    }

    fn keep(&self, tokens: &Tokens) {
        if let Some(store) = &self.store
            && let Err(error) = store.save(tokens)
        {
            tracing::warn!(%error, "the tokens are kept for this process only");
        }
    }

    async fn log_in(&self, http: &Http) -> Result<Tokens, NodeError> {
        let Mode::Credentials { username, password } = &self.mode else {
            return Err(NodeError::Unauthorized(
                "The node revoked the access that it was given; connect it again.".to_owned(),
            ));
        };
        let provider = Value::object()
            .put("username", username.as_str())
            .put("password", password.reveal());
        let body = Value::object()
            .put("auth_method", "user_password")
            .put("public_key", username.as_str())
            .put("client_name", "toolmesh")
            .put("permissions", Value::array().push("admin"))
            .put("timestamp", now() / 1_000)
            .put("provider_data", provider)
            .build();
        let reply = http.send(&Request::post("/auth/token", &body), None).await?;
        let tokens = match reply.status {
            401 | 403 => {
                return Err(NodeError::Unauthorized(format!(
                    "The node does not accept the password of `{username}`."
                )));
            }
            _ => tokens_of(&reply)?,
        };
        self.keep(&tokens);
        Ok(tokens)
    }

    /// New tokens in place of an access token that ended: from another request, from another process, or from the node.
    pub(super) async fn renew(&self, http: &Http, used: &str) -> Result<Option<String>, NodeError> {
        let mut current = self.current.lock().await;
        if let Some(tokens) = current.tokens.as_ref().filter(|tokens| tokens.access != used) {
            return Ok(Some(tokens.access.clone()));
        }
        let lock = match &self.store {
            Some(store) => Some(store.lock().await?),
            None => None,
        };
        let stored = self.store.as_ref().and_then(TokenStore::load);
        let renewed = match stored.filter(|tokens| tokens.access != used) {
            Some(stored) => Ok(stored),
            None => self.refresh(http, current.tokens.clone()).await,
        };
        drop(lock);
        current.tokens = renewed.as_ref().ok().cloned();
        renewed.map(|tokens| Some(tokens.access))
    }

    async fn refresh(&self, http: &Http, ended: Option<Tokens>) -> Result<Tokens, NodeError> {
        let Some((access, refresh)) = ended.and_then(|tokens| Some((tokens.access, tokens.refresh?))) else {
            self.forget();
            return self.log_in(http).await;
        };
        let body = Value::object()
            .put("access_token", access)
            .put("refresh_token", refresh)
            .build();
        let reply = http.send(&Request::post("/auth/refresh", &body), None).await?;
        if let Some(error) = self.terminal(&reply) {
            return Err(error);
        }
        if matches!(reply.status, 401 | 403) {
            self.forget();
            return self.log_in(http).await;
        }
        let tokens = tokens_of(&reply)?;
        self.keep(&tokens);
        Ok(tokens)
    }

    /// The error of an answer after which the tokens are of no use, and must not be used again.
    fn terminal(&self, reply: &Reply) -> Option<NodeError> {
        let why = match reply.auth_error.as_deref()? {
            "token_reuse" => "A token was used twice, and the node ended the session",
            "token_revoked" => "The node revoked the access",
            _ => return None,
        };
        self.forget();
        Some(NodeError::Unauthorized(format!("{why}; log in again and retry.")))
    }

    /// As [`Session::terminal`], outside of renewing: the tokens in memory are dropped as well.
    pub(super) async fn check(&self, reply: &Reply) -> Result<(), NodeError> {
        if !matches!(reply.status, 401 | 403) {
            return Ok(());
        }
        let Some(error) = self.terminal(reply) else {
            return Ok(());
        };
        self.current.lock().await.tokens = None;
        Err(error)
    }

    /// Another login in place of a token that the node does not know, as after it was set up anew.
    pub(super) async fn replace(&self, http: &Http, used: &str) -> Result<Option<String>, NodeError> {
        if !matches!(self.mode, Mode::Credentials { .. }) {
            return Ok(None);
        }
        let mut current = self.current.lock().await;
        if let Some(tokens) = current.tokens.as_ref().filter(|tokens| tokens.access != used) {
            return Ok(Some(tokens.access.clone()));
        }
        current.tokens = None;
        self.forget();
        let tokens = self.log_in(http).await?;
        let access = tokens.access.clone();
        current.tokens = Some(tokens);
        Ok(Some(access))
    }

    fn forget(&self) {
        if let Some(store) = &self.store {
            store.clear();
        }
    }
}

fn mode(settings: &NodeSettings, handoff: Option<&Handoff>) -> Mode {
    if let Some(handoff) = handoff {
        return Mode::Given {
            name: "handoff",
            tokens: new_tokens(
                handoff.access_token.reveal(),
                handoff.refresh_token.as_ref().map(Secret::reveal),
            ),
        };
    }
    if let Some(access) = &settings.access_token {
        return Mode::Given {
            name: "token",
            tokens: new_tokens(
                access.reveal(),
                settings.refresh_token.as_ref().map(Secret::reveal),
            ),
        };
    }
    match (&settings.username, &settings.password) {
        (Some(username), Some(password)) => Mode::Credentials {
            username: username.clone(),
            password: password.clone(),
        },
        _ => Mode::None,
    }
}

fn new_tokens(access: &str, refresh: Option<&str>) -> Tokens {
    let ends = Claims::of(access)
        .expires
        .map(|seconds| seconds.saturating_mul(1_000));
    Tokens {
        access: access.to_owned(),
        refresh: refresh.map(str::to_owned),
        expires_at: ends.unwrap_or_else(|| now().saturating_add(USUAL_LIFE)),
    }
}

fn tokens_of(reply: &Reply) -> Result<Tokens, NodeError> {
    let data = reply.data()?;
    let text = |key| {
        data.get(key)
            .and_then(View::as_str)
            .filter(|text| !text.is_empty())
    };
    let access =
        text("access_token").ok_or_else(|| NodeError::Malformed("a login without a token".to_owned()))?;
    Ok(new_tokens(access, text("refresh_token")))
}

/// Milliseconds of the epoch.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
