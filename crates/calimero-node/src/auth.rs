//! Logins: users, tokens that end, and refresh tokens that work once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{
    Fault,
    answer::{self, Answer},
    state::State,
};

#[derive(Debug, Default)]
pub(crate) struct Auth {
    /// Passwords by user; without any, everybody may ask.
    pub(crate) users: BTreeMap<String, String>,
    /// The family of each token that is good.
    access: HashMap<String, u64>,
    expired: HashSet<String>,
    refresh: HashMap<String, u64>,
    used: HashMap<String, u64>,
    revoked: HashSet<u64>,
    pub(crate) made: u64,
}

impl Auth {
    /// A pair of tokens of a family.
    pub(crate) fn pair(&mut self, family: u64) -> (String, String) {
        self.made += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = since.as_secs() + self.made;
        let claims = json!({ "iat": now, "exp": now + 3_600, "jti": self.made, "sub": family });
        let token = |kind: &str| {
            let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
            format!("{}.{}.{}", part("{}"), part(&claims.to_string()), part(kind))
        };
        let (access, refresh) = (token("access"), token("refresh"));
        self.access.insert(access.clone(), family);
        self.refresh.insert(refresh.clone(), family);
        (access, refresh)
    }

    pub(crate) fn new_family(&mut self) -> (String, String) {
        let family = self.made + 1_000;
        self.pair(family)
    }

    /// Lets every access token end.
    pub(crate) fn expire_all(&mut self) {
        self.expired.extend(self.access.keys().cloned());
    }

    /// Revokes every token that there is.
    pub(crate) fn revoke_all(&mut self) {
        self.revoked.extend(self.access.values().copied());
    }

    /// Forgets every token, as a node that was set up anew.
    pub(crate) fn forget_all(&mut self) {
        self.access.clear();
        self.refresh.clear();
    }
}

/// Refuses a request without a good token; `None` lets it pass.
pub(crate) fn guard(state: &mut State, token: Option<&str>) -> Option<Answer> {
    if state.has(Fault::PermissionDenied) {
        return Some(answer::empty(403, Some("permission_denied")));
    }
    if state.auth.users.is_empty() {
        return None;
    }
    let Some((token, family)) = token.and_then(|token| Some((token, *state.auth.access.get(token)?))) else {
        return Some(answer::empty(401, None));
    };
    if state.has(Fault::RevokedToken) || state.auth.revoked.contains(&family) {
        return Some(answer::empty(403, Some("token_revoked")));
    }
    if state.faults.remove(&Fault::ExpiredToken) {
        state.auth.expired.insert(token.to_owned());
    }
    let expired = state.auth.expired.contains(token);
    expired.then(|| answer::empty(401, Some("token_expired")))
}

/// `/auth/token` and `/auth/refresh`.
pub(crate) fn route(state: &mut State, path: &str, body: &Value) -> Answer {
    match path {
        "/auth/token" => log_in(state, body),
        "/auth/refresh" => refresh(state, body),
        _ => answer::empty(404, None),
    }
}

fn log_in(state: &mut State, body: &Value) -> Answer {
    let text = |key: &str| body.pointer(key).and_then(Value::as_str).unwrap_or_default();
    let password = text("/provider_data/password");
    match state.auth.users.get(text("/provider_data/username")) {
        Some(known) if known == password => pair_answer(state.auth.new_family()),
        _ => answer::error(401, "Invalid credentials"),
    }
}

fn refresh(state: &mut State, body: &Value) -> Answer {
    let text = |key: &str| {
        body.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (access, refresh) = (text("access_token"), text("refresh_token"));
    if let Some(family) = state.auth.used.get(&refresh) {
        state.auth.revoked.insert(*family);
        return answer::empty(401, Some("token_reuse"));
    }
    let Some(family) = state.auth.refresh.get(&refresh).copied() else {
        return answer::empty(401, None);
    };
    if state.auth.revoked.contains(&family) {
        return answer::empty(403, Some("token_revoked"));
    }
    if !state.auth.expired.contains(&access) {
        return answer::error(401, "Access token still valid");
    }
    state.auth.refresh.remove(&refresh);
    state.auth.used.insert(refresh, family);
    pair_answer(state.auth.pair(family))
}

fn pair_answer((access, refresh): (String, String)) -> Answer {
    let tokens = json!({ "access_token": access, "refresh_token": refresh, "error": null });
    answer::flat(&json!({ "data": tokens, "error": null }))
}
