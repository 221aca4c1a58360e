//! Where an upstream server is reached, and with which headers.

use std::fmt;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};

use crate::client::{error::ClientError, limits::CONNECT_TIMEOUT};

/// A URL and headers; both may hold secrets, and neither is ever shown.
#[derive(Clone)]
pub(in crate::client) struct Endpoint {
    url: Url,
    headers: HeaderMap,
}

/// Headers that belong to the protocol; a configuration must not set them.
const OWN: [&str; 9] = [
    "accept",
    "content-type",
    "content-length",
    "transfer-encoding",
    "host",
    "connection",
    "last-event-id",
    "mcp-session-id",
    "mcp-protocol-version",
];

impl Endpoint {
    pub(in crate::client) fn new(url: &str, headers: &[(String, String)]) -> Result<Self, ClientError> {
        let settings = |text: String| ClientError::Settings(text);
        let url = Url::parse(url).map_err(|error| settings(format!("the URL cannot be read ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(settings("the URL must begin with http:// or https://".to_owned()));
        }
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let refused = |why: &str| settings(format!("the header `{name}` {why}"));
            let header = HeaderName::try_from(name).map_err(|_| refused("has no valid name"))?;
            if OWN.contains(&header.as_str()) {
                return Err(refused("belongs to the protocol and cannot be set"));
            }
            let mut value = HeaderValue::try_from(value).map_err(|_| refused("has no valid value"))?;
            value.set_sensitive(true);
            all.insert(header, value);
        }
        Ok(Self { url, headers: all })
    }

    pub(super) fn url(&self) -> Url {
        self.url.clone()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Scheme, host and port: what may be shown.
    pub(in crate::client) fn shown(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    pub(super) fn client(&self) -> Result<Client, ClientError> {
        let mut builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect would carry headers and arguments to another host.
            .redirect(redirect::Policy::none());
        if self.is_loopback() {
            builder = builder.no_proxy();
        }
        builder
            .build()
            .map_err(|_| ClientError::Settings("no HTTP client could be made".to_owned()))
    }

    fn is_loopback(&self) -> bool {
        self.url.host_str().is_some_and(|host| {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        })
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.shown())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str, headers: &[(&str, &str)]) -> String {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<_> = headers.iter().map(own).collect();
        match Endpoint::new(url, &headers) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused_before_anything_is() {
        assert_eq!(refusal("http://h/mcp", &[("Authorization", "Bearer x")]), "fine");
        for (url, headers) in [
            ("http//h", &[][..]),
            ("file:///etc/passwd", &[]),
            ("http://h", &[("a b", "secret")]),
            ("http://h", &[("a", "secret\n")]),
            ("http://h", &[("Mcp-Session-Id", "secret")]),
        ] {
            let text = refusal(url, headers);
            assert!(text.starts_with("the settings of the source"), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn neither_headers_nor_the_rest_of_the_url_are_shown() {
        let headers = [("Authorization".to_owned(), "Bearer secret".to_owned())];
        let endpoint = Endpoint::new("https://u:secret@h:1/secret?k=secret", &headers).expect("valid");
        assert_eq!(endpoint.shown(), "https://h:1");
        assert!(!format!("{endpoint:?}").contains("secret"));
    }
}
