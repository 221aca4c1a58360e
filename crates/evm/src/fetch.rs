//! Reading a whole answer over HTTP, within a bound.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, StatusCode, Url, header, redirect};

/// How long a whole answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many redirects are followed: explorers have one, from an old host to a new one.
const MAX_REDIRECTS: usize = 3;

/// Told how many bytes of an answer are here, and of how many if the server said so; at the end both are the same.
pub type Progress = Arc<dyn Fn(u64, Option<u64>) + Send + Sync>;

/// Why an answer could not be read. No text holds more of a URL than scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL is none, or of another scheme than HTTP.
    #[error("the URL cannot be used ({0}); give one that starts with http:// or https://")]
    InvalidUrl(String),
    /// The server did not answer, or not to the end.
    #[error("{url} cannot be reached ({reason}); check the network and try again")]
    Unreachable {
        /// Scheme, host and port.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The server answered that it will not.
    #[error("{url} answered with HTTP status {status}")]
    Status {
        /// Scheme, host and port.
        url: String,
        /// The status.
        status: u16,
        /// After how many seconds it may be asked again, where it says so.
        retry_after: Option<u64>,
        /// The beginning of what it said, for whoever understands it; never shown.
        body: Vec<u8>,
    },
    /// The answer is longer than allowed.
    #[error("the answer of {url} is larger than {limit} bytes")]
    TooLarge {
        /// Scheme, host and port.
        url: String,
        /// The bound in bytes.
        limit: u64,
    },
}

/// Reads what stands at `url`, at most `limit` bytes.
///
/// # Errors
/// [`FetchError`], which shows nothing of the URL that may be secret.
pub async fn fetch(url: &str, limit: u64, progress: Option<&Progress>) -> Result<Vec<u8>, FetchError> {
    let url = parse(url)?;
    let origin = url.origin().ascii_serialization();
    let unreachable = |error: reqwest::Error| FetchError::Unreachable {
        url: origin.clone(),
        reason: why(&error),
    };
    let client = Client::builder()
        .timeout(TIMEOUT)
        .redirect(redirect::Policy::limited(MAX_REDIRECTS))
        .referer(false)
        .user_agent(concat!("toolmesh/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(unreachable)?;
    let mut response = client
        .get(url)
        .header(header::ACCEPT, "application/json")
        .send()
        .await
        .map_err(unreachable)?;
    let status = response.status();
    let retry_after = retry_after(&response);
    let announced = response.content_length();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        let length = u64::try_from(body.len() + chunk.len()).unwrap_or(u64::MAX);
        if length > limit {
            return Err(FetchError::TooLarge { url: origin, limit });
        }
        body.extend_from_slice(&chunk);
        if let Some(progress) = progress {
            progress(length, announced);
        }
    }
    if let Some(progress) = progress {
        let length = u64::try_from(body.len()).unwrap_or(u64::MAX);
        progress(length, Some(length));
    }
    if status == StatusCode::OK {
        return Ok(body);
    }
    Err(FetchError::Status {
        url: origin,
        status: status.as_u16(),
        retry_after,
        body,
    })
}

fn parse(url: &str) -> Result<Url, FetchError> {
    let parsed = Url::parse(url).map_err(|error| FetchError::InvalidUrl(error.to_string()))?;
    match parsed.scheme() {
        "http" | "https" => Ok(parsed),
        other => Err(FetchError::InvalidUrl(format!("its scheme is {other}"))),
    }
}

fn retry_after(response: &reqwest::Response) -> Option<u64> {
    response
        .headers()
        .get(header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// What went wrong, without the URL that `reqwest` puts into its texts.
fn why(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        format!("no whole answer within {} s", TIMEOUT.as_secs())
    } else if error.is_redirect() {
        "too many redirects".to_owned()
    } else if error.is_connect() {
        "no connection".to_owned()
    } else {
        "the answer broke off".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_are_fetched_and_none_is_shown_whole() {
        for url in ["ftp://user:secret@host/x", "secret", "file:///etc/passwd", ""] {
            let text = parse(url).unwrap_err().to_string();
            assert!(!text.contains("secret") && text.contains("http://"), "{text}");
        }
        assert!(parse("https://host/path?key=x").is_ok());
    }
}
