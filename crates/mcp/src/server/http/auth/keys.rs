//! The keys of an issuer, kept for a while and asked for anew when a token names one that is not there.

use std::time::{Duration, Instant};

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{Jwk, JwkSet},
};
use reqwest::{Client, Url, redirect};
use tokio::sync::Mutex;

use super::{jwt::Refused, options::AuthError};

/// How long keys are kept: 10 min, so that a key that was taken back is not believed for long.
const KEEP: Duration = Duration::from_secs(600);

/// How soon keys are asked for again because of a token: 30 s, so that strangers' tokens cannot make us ask all the time.
const ASK_AGAIN: Duration = Duration::from_secs(30);

/// How soon the issuer is asked again after that failed: 5 s.
const RETRY: Duration = Duration::from_secs(5);

/// Longest time for one answer of the issuer: 10 s.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Most bytes of one answer of the issuer: 256 KiB, some hundred keys.
const MAX_BYTES: usize = 256 * 1024;

/// Where an issuer says of itself where its keys are: RFC 8414, and OpenID Connect Discovery.
const WELL_KNOWN: [&str; 2] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
];

/// The keys of one issuer.
pub(super) struct Keys {
    client: Client,
    issuer: Url,
    /// Where the keys are, when that was said.
    given: Option<Url>,
    /// One at a time asks; the others wait for the answer.
    kept: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// When asking failed last.
    failed: Option<Instant>,
}

struct Kept {
    keys: JwkSet,
    at: Instant,
}

impl Keys {
    pub(super) fn new(issuer: &str, given: Option<String>) -> Result<Self, AuthError> {
        let client = Client::builder()
            .timeout(TIMEOUT)
            .redirect(redirect::Policy::none());
        let issuer = safe(issuer).ok_or(AuthError::Url("the issuer"))?;
        let client = if is_loopback(&issuer) {
            client.no_proxy()
        } else {
            client
        };
        Ok(Self {
            client: client.build().map_err(|_| AuthError::Client)?,
            issuer,
            given: given
                .map(|url| safe(&url).ok_or(AuthError::Url("the URL of the issuer's keys")))
                .transpose()?,
            kept: Mutex::default(),
        })
    }

    /// The key by which a token is checked.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<DecodingKey, Refused> {
        let mut state = self.kept.lock().await;
        let age = state.kept.as_ref().map(|kept| kept.at.elapsed());
        if age.is_none_or(|age| age >= KEEP) {
            self.refresh(&mut state).await?;
        }
        if let Some(found) = state.choose(id, algorithm) {
            return Ok(found?);
        }
        // The issuer may have a new key.
        if age.is_some_and(|age| (ASK_AGAIN..KEEP).contains(&age)) {
            self.refresh(&mut state).await?;
        }
        state
            .choose(id, algorithm)
            .ok_or(Refused::UnknownKey)?
            .map_err(Refused::Token)
    }

    async fn refresh(&self, state: &mut State) -> Result<(), Refused> {
        if state.failed.is_some_and(|at| at.elapsed() < RETRY) {
            return Err(refused("asking failed a moment ago"));
        }
        match self.fetch().await {
            Ok(keys) => {
                let at = Instant::now();
                *state = State {
                    kept: Some(Kept { keys, at }),
                    failed: None,
                };
                Ok(())
            }
            Err(error) => {
                state.failed = Some(Instant::now());
                Err(error)
            }
        }
    }

    async fn fetch(&self) -> Result<JwkSet, Refused> {
        let url = match &self.given {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let body = self.get(url).await?;
        serde_json::from_slice(&body).map_err(|_| refused("the answer is no JWK set"))
    }

    /// Where the issuer says its keys are.
    async fn discover(&self) -> Result<Url, Refused> {
        let path = self.issuer.path().trim_end_matches('/').to_owned();
        let [oauth, openid] = WELL_KNOWN;
        for place in [format!("{oauth}{path}"), format!("{path}{openid}")] {
            let mut url = self.issuer.clone();
            url.set_path(&place);
            let Ok(body) = self.get(url).await else { continue };
            let told = serde_json::from_slice::<Discovered>(&body).ok();
            let told = told
                .filter(|told| told.issuer == self.issuer.as_str() || told.issuer == trimmed(&self.issuer));
            if let Some(url) = told.and_then(|told| safe(&told.jwks_uri)) {
                return Ok(url);
            }
        }
        Err(refused("its metadata does not say where they are"))
    }

    async fn get(&self, url: Url) -> Result<Vec<u8>, Refused> {
        let answered = self.client.get(url).send().await;
        let mut response = answered.map_err(|error| refused(&error.without_url().to_string()))?;
        if !response.status().is_success() {
            return Err(refused(&format!("HTTP {}", response.status().as_u16())));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|_| refused("the answer broke off"))?
        {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(refused("the answer is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

impl State {
    fn choose(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Option<Result<DecodingKey, jsonwebtoken::errors::Error>> {
        choose(&self.kept.as_ref()?.keys, id, algorithm)
    }
}

/// What an issuer says of itself.
#[derive(serde::Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
}

/// The key of this id; without one in the token, the only key that fits its algorithm.
fn choose(
    keys: &JwkSet,
    id: Option<&str>,
    algorithm: Algorithm,
) -> Option<Result<DecodingKey, jsonwebtoken::errors::Error>> {
    let fits = |key: &&Jwk| {
        let declared = key
            .common
            .key_algorithm
            .and_then(|known| known.to_string().parse().ok());
        declared.is_none_or(|declared: Algorithm| declared == algorithm)
    };
    let mut fitting = keys.keys.iter().filter(fits).filter(|key| match id {
        Some(id) => key.common.key_id.as_deref() == Some(id),
        None => true,
    });
    let first = fitting.next()?;
    fitting.next().is_none().then(|| DecodingKey::from_jwk(first))
}

/// A URL that keys may be taken from: protected, or on this machine.
fn safe(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
    (is_safe && url.has_host()).then_some(url)
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    })
}

fn trimmed(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

fn refused(reason: &str) -> Refused {
    Refused::Keys(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_over_a_protected_way_only() {
        for (url, is_safe) in [
            ("https://issuer.example/", true),
            ("http://127.0.0.1:8080/x", true),
            ("http://[::1]:1/", true),
            ("http://localhost/", true),
            ("http://issuer.example/", false),
            ("file:///etc/passwd", false),
            ("x", false),
        ] {
            assert_eq!(safe(url).is_some(), is_safe, "{url}");
        }
    }
}
