//! From `[server]` to the options of the HTTP endpoint: who is let in, from where, and over what.

use std::path::{Path, PathBuf};

use toolmesh_mcp::{
    HttpOptions, UnknownParameters,
    server::{
        NetworkError, TlsError, TlsIdentity,
        auth::{AuthError, AuthOptions, OAuthOptions},
    },
};

use crate::{
    config::{Environment, HTTP_TOKEN_VARIABLE, ServerConfig},
    read,
};

/// Most bytes of a file with tokens, a certificate chain or a key: 1 MiB.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The caller whose token stands in the environment.
const ENVIRONMENT_CALLER: &str = "token";

/// Why the endpoint cannot be set up so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// A file cannot be read.
    #[error("`{key}` in [server]: {} cannot be read: {reason}", file.display())]
    Unreadable {
        /// The key that names it.
        key: &'static str,
        /// The file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A line of the file of tokens is not of its form.
    #[error("`tokens_file` in [server]: line {line} of {} is not `NAME TOKEN`", file.display())]
    TokenLine {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// Of two keys that belong together one is missing.
    #[error("`{given}` in [server] needs `{missing}` beside it")]
    Half {
        /// The key that is there.
        given: &'static str,
        /// The one that is not.
        missing: &'static str,
    },
    /// A trusted proxy is no address and no network.
    #[error("`trusted_proxies` in [server]: `{text}` is neither; {reason}")]
    Proxy {
        /// What was written.
        text: String,
        /// What would be right.
        reason: NetworkError,
    },
    /// Callers cannot be known so.
    #[error("[server]: {0}")]
    Auth(#[from] AuthError),
    /// Certificate and key cannot be used.
    #[error("`tls_certificate` and `tls_key` in [server]: {0}")]
    Tls(#[from] TlsError),
}

/// The options that `[server]` and the secrets of the environment say.
///
/// # Errors
/// [`EndpointError`] names the key and what is wrong with it, never a secret.
pub fn http_options(
    settings: &ServerConfig,
    environment: &Environment,
) -> Result<HttpOptions, EndpointError> {
    let options = settings
        .hosts
        .iter()
        .fold(HttpOptions::default(), HttpOptions::allow_host);
    let mut options = settings.origins.iter().fold(options, HttpOptions::allow_origin);
    options = settings.sessions.into_iter().fold(options, HttpOptions::sessions);
    if settings.refuse_unknown_parameters {
        options = options.unknown_parameters(UnknownParameters::Refused);
    }
    if settings.anonymous {
        options = options.anonymous();
    }
    for text in &settings.trusted_proxies {
        let network = text.parse().map_err(|reason| EndpointError::Proxy {
            text: text.clone(),
            reason,
        })?;
        options = options.trust_proxy(network);
    }
    if let Some(identity) = identity(settings)? {
        options = options.tls(identity);
    }
    match callers(settings, environment)? {
        Some(auth) => Ok(options.auth(auth)?),
        None => Ok(options),
    }
}

/// How callers are known; `None` when nothing says it.
fn callers(settings: &ServerConfig, environment: &Environment) -> Result<Option<AuthOptions>, EndpointError> {
    let mut auth = AuthOptions::default();
    let mut is_said = false;
    if let Some(token) = environment.get(HTTP_TOKEN_VARIABLE) {
        auth = auth.token(ENVIRONMENT_CALLER, token);
        is_said = true;
    }
    if let Some(file) = &settings.tokens_file {
        for (name, token) in tokens(file)? {
            auth = auth.token(name, token);
        }
        is_said = true;
    }
    if let Some(oauth) = oauth(settings)? {
        auth = auth.oauth(oauth);
        is_said = true;
    }
    let auth = settings
        .tool_scopes
        .iter()
        .fold(auth, |auth, (pattern, scope)| auth.tool_scope(pattern, scope));
    Ok(is_said.then_some(auth))
}

fn oauth(settings: &ServerConfig) -> Result<Option<OAuthOptions>, EndpointError> {
    let (issuer, audience) = match (&settings.oauth_issuer, &settings.oauth_audience) {
        (None, None) => return Ok(None),
        (Some(issuer), Some(audience)) => (issuer, audience),
        (Some(_), None) => return Err(half("oauth_issuer", "oauth_audience")),
        (None, Some(_)) => return Err(half("oauth_audience", "oauth_issuer")),
    };
    let oauth = OAuthOptions::new(issuer, audience);
    let oauth = match &settings.oauth_keys {
        Some(url) => oauth.keys(url),
        None => oauth,
    };
    Ok(Some(
        settings.oauth_scopes.iter().fold(oauth, OAuthOptions::scope),
    ))
}

fn identity(settings: &ServerConfig) -> Result<Option<TlsIdentity>, EndpointError> {
    match (&settings.tls_certificate, &settings.tls_key) {
        (None, None) => Ok(None),
        (Some(chain), Some(key)) => {
            let chain = file("tls_certificate", chain)?;
            Ok(Some(TlsIdentity::from_pem(&chain, &file("tls_key", key)?)?))
        }
        (Some(_), None) => Err(half("tls_certificate", "tls_key")),
        (None, Some(_)) => Err(half("tls_key", "tls_certificate")),
    }
}

/// `NAME TOKEN` a line; empty lines and those that begin with `#` say nothing.
fn tokens(path: &Path) -> Result<Vec<(String, String)>, EndpointError> {
    let text = String::from_utf8_lossy(&file("tokens_file", path)?).into_owned();
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let read = |(index, line): (usize, &str)| {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(name), Some(token), None) => Ok((name.to_owned(), token.to_owned())),
            _ => Err(EndpointError::TokenLine {
                file: path.to_owned(),
                line: index + 1,
            }),
        }
    };
    lines.map(read).collect()
}

fn file(key: &'static str, path: &Path) -> Result<Vec<u8>, EndpointError> {
    read::file(path, MAX_FILE_BYTES).map_err(|error| EndpointError::Unreadable {
        key,
        file: path.to_owned(),
        reason: error.to_string(),
    })
}

fn half(given: &'static str, missing: &'static str) -> EndpointError {
    EndpointError::Half { given, missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut ServerConfig)) -> String {
        let mut settings = ServerConfig::default();
        change(&mut settings);
        match http_options(&settings, &Environment::default()) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn tokens_stand_in_a_file_a_line_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, "# who\nada 0123456789abcdef\n\nbob  fedcba9876543210\n").unwrap();
        assert_eq!(
            refusal(|settings| settings.tokens_file = Some(path.clone())),
            "fine"
        );
        std::fs::write(&path, "ada 0123456789abcdef\nsecret\n").unwrap();
        let text = refusal(|settings| settings.tokens_file = Some(path.clone()));
        assert!(text.contains("line 2") && !text.contains("secret"), "{text}");
        std::fs::write(&path, "ada secret\n").unwrap();
        let text = refusal(|settings| settings.tokens_file = Some(path.clone()));
        assert!(text.contains("`ada`") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn what_belongs_together_is_given_together() {
        assert_eq!(refusal(|_| {}), "fine");
        assert_eq!(
            refusal(|settings| settings.oauth_issuer = Some("https://i".to_owned())),
            "`oauth_issuer` in [server] needs `oauth_audience` beside it"
        );
        assert_eq!(
            refusal(|settings| settings.tls_key = Some("k".into())),
            "`tls_key` in [server] needs `tls_certificate` beside it"
        );
        assert_eq!(
            refusal(|settings| settings.trusted_proxies = vec!["10.0.0.0/8".to_owned(), "proxy".to_owned()]),
            "`trusted_proxies` in [server]: `proxy` is neither; write an address or a network, as 10.0.0.0/8 or ::1"
        );
        let text = refusal(|settings| {
            settings.oauth_issuer = Some("http://issuer.example".to_owned());
            settings.oauth_audience = Some("https://me/mcp".to_owned());
        });
        assert!(text.contains("https://"), "{text}");
    }
}
