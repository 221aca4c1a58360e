//! What a caller is told who is not known, or may not.

use ::http::{HeaderValue, Response, StatusCode, header};

use crate::server::http::{body::ResponseBody, refusal::plain};

/// The place of the metadata of protected resources (RFC 9728, 3.1).
pub(in crate::server::http) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// A refusal that tells how to be let in (RFC 6750, 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server::http) struct Challenge {
    pub(super) status: u16,
    pub(super) error: Option<&'static str>,
    pub(super) scopes: Vec<String>,
    pub(super) metadata: Option<String>,
}

impl Challenge {
    fn header(&self) -> String {
        let mut parameters = Vec::new();
        parameters.extend(self.error.map(|error| format!("error=\"{error}\"")));
        parameters.extend(
            self.metadata
                .as_ref()
                .map(|url| format!("resource_metadata=\"{url}\"")),
        );
        if !self.scopes.is_empty() {
            parameters.push(format!("scope=\"{}\"", self.scopes.join(" ")));
        }
        format!("Bearer {}", parameters.join(", ")).trim_end().to_owned()
    }

    pub(in crate::server::http) fn response(&self) -> Response<ResponseBody> {
        let text = if self.status == 403 {
            "The token lacks a scope\n"
        } else {
            "A valid token is needed\n"
        };
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::UNAUTHORIZED);
        let mut response = plain(status, text);
        if let Ok(value) = HeaderValue::try_from(self.header()) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
        }
        response
    }
}

/// Where the metadata of the resource at `url` is; `None` when that is no URL.
pub(super) fn metadata_url(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    Some(format!(
        "{scheme}://{authority}{METADATA_PATH}{}",
        path.trim_end_matches('/')
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_stands_before_the_path_of_the_resource() {
        for (url, metadata) in [
            (
                "https://h/mcp",
                Some("https://h/.well-known/oauth-protected-resource/mcp"),
            ),
            (
                "https://h:1/",
                Some("https://h:1/.well-known/oauth-protected-resource"),
            ),
            (
                "https://h",
                Some("https://h/.well-known/oauth-protected-resource"),
            ),
            ("my-audience", None),
        ] {
            assert_eq!(metadata_url(url).as_deref(), metadata);
        }
    }

    #[test]
    fn a_challenge_says_what_is_wrong_where_tokens_come_from_and_which_scopes_are_needed() {
        let challenge = Challenge {
            status: 403,
            error: Some("insufficient_scope"),
            scopes: vec!["a".into(), "b".into()],
            metadata: Some("https://h/m".into()),
        };
        assert_eq!(
            challenge.header(),
            "Bearer error=\"insufficient_scope\", resource_metadata=\"https://h/m\", scope=\"a b\""
        );
        let bare = Challenge {
            status: 401,
            error: None,
            scopes: Vec::new(),
            metadata: None,
        };
        assert_eq!(bare.header(), "Bearer");
    }
}
