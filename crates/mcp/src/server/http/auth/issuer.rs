//! Asking an issuer for its keys: bounded in bytes and time, and never along a redirect.

use std::time::Duration;

use jsonwebtoken::jwk::{Jwk, JwkSet};
use reqwest::{Client, Url, redirect};

use super::options::AuthError;

/// Longest time to learn an issuer's keys, whatever number of answers that takes: 10 s.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Most bytes of one answer of the issuer: 256 KiB, some hundred keys.
const MAX_BYTES: usize = 256 * 1024;

/// Where an issuer says of itself where its keys are: RFC 8414, and OpenID Connect Discovery.
const WELL_KNOWN: [&str; 2] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
];

/// Why an issuer's keys cannot be had; for the log alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoKeys(String);

/// An authorization server, as the keys of its tokens are asked of it.
#[derive(Debug)]
pub(super) struct Issuer {
    client: Client,
    url: Url,
    /// Where the keys are, when that was said.
    given: Option<Url>,
}

impl Issuer {
    pub(super) fn new(issuer: &str, given: Option<String>) -> Result<Self, AuthError> {
        let client = Client::builder()
            .timeout(TIMEOUT)
            .redirect(redirect::Policy::none());
        let url = safe(issuer).ok_or(AuthError::Url("the issuer"))?;
        let client = if is_loopback(&url) {
            client.no_proxy()
        } else {
            client
        };
        Ok(Self {
            client: client.build().map_err(|_| AuthError::Client)?,
            url,
            given: given
                .map(|url| safe(&url).ok_or(AuthError::Url("the URL of the issuer's keys")))
                .transpose()?,
        })
    }

    /// The keys that the issuer publishes now.
    pub(super) async fn keys(&self) -> Result<JwkSet, NoKeys> {
        let asked = tokio::time::timeout(TIMEOUT, self.ask()).await;
        asked.unwrap_or_else(|_| Err(no_keys("it does not answer in time")))
    }

    async fn ask(&self) -> Result<JwkSet, NoKeys> {
        let url = match &self.given {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let set: Published =
            serde_json::from_slice(&self.get(url).await?).map_err(|_| no_keys("the answer is no JWK set"))?;
        Ok(set.known())
    }

    /// Where the issuer says its keys are.
    async fn discover(&self) -> Result<Url, NoKeys> {
        let path = self.url.path().trim_end_matches('/').to_owned();
        let [oauth, openid] = WELL_KNOWN;
        for place in [format!("{oauth}{path}"), format!("{path}{openid}")] {
            let mut url = self.url.clone();
            url.set_path(&place);
            let Ok(body) = self.get(url).await else { continue };
            let told = serde_json::from_slice::<Discovered>(&body).ok();
            let told =
                told.filter(|told| told.issuer == self.url.as_str() || told.issuer == trimmed(&self.url));
            if let Some(url) = told.and_then(|told| safe(&told.jwks_uri)) {
                return Ok(url);
            }
        }
        Err(no_keys("its metadata does not say where they are"))
    }

    async fn get(&self, url: Url) -> Result<Vec<u8>, NoKeys> {
        let answered = self.client.get(url).send().await;
        let mut response = answered.map_err(|error| no_keys(&error.without_url().to_string()))?;
        if !response.status().is_success() {
            return Err(no_keys(&format!("HTTP {}", response.status().as_u16())));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|_| no_keys("the answer broke off"))?
        {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(no_keys("the answer is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// A JWK set as it is published.
#[derive(serde::Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

impl Published {
    /// The keys of kinds that are known here; an issuer may have others for others (RFC 7517, 5).
    fn known(self) -> JwkSet {
        let keys = self.keys.into_iter();
        JwkSet {
            keys: keys
                .filter_map(|key| serde_json::from_value::<Jwk>(key).ok())
                .collect(),
        }
    }
}

/// What an issuer says of itself.
#[derive(serde::Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
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

fn no_keys(reason: &str) -> NoKeys {
    NoKeys(reason.to_owned())
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
