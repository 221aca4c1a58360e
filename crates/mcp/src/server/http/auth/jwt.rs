//! Judging a token by the keys of its issuer.

use std::time::{Duration, SystemTime};

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde::Deserialize;

use super::{
    issuer::Issuer,
    keys::Keys,
    options::{AuthError, OAuthOptions},
};

/// Most bytes of a token: 16 KiB, what a header's value may have.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// How far the clocks of the issuer and this machine may differ: 60 s.
const LEEWAY_SECONDS: u64 = 60;

/// Signatures by public keys only: with a shared secret, whoever can check a token can make one.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Judges tokens of one issuer for one audience.
pub(super) struct Judge {
    issuer: String,
    audience: String,
    keys: Keys,
}

/// A token that is right.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) subject: String,
    pub(super) scopes: Vec<String>,
    /// When it ends, with the leeway; `None` beyond the times of this system.
    pub(super) until: Option<SystemTime>,
}

/// Why a token is refused; for the log alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("it has more than {MAX_TOKEN_BYTES} bytes")]
    TooLong,
    #[error("it is signed in a way that is not taken")]
    Algorithm,
    #[error("the issuer has no such key")]
    UnknownKey,
    #[error("it has no subject")]
    NoSubject,
    #[error("the issuer's keys cannot be had")]
    Keys,
    #[error("{0}")]
    Token(#[from] jsonwebtoken::errors::Error),
}

/// The claims that matter beyond those that are checked by name.
#[derive(Debug, Deserialize)]
struct Claims {
    exp: f64,
    sub: Option<String>,
    client_id: Option<String>,
    /// Scopes as RFC 8693 has them: one text.
    scope: Option<String>,
    /// Scopes as some issuers have them.
    scp: Option<Listed>,
}

/// Several texts, as a list or as one text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Listed {
    Text(String),
    List(Vec<String>),
}

impl Judge {
    pub(super) fn new(options: OAuthOptions) -> Result<Self, AuthError> {
        if options.audience.is_empty() {
            return Err(AuthError::Audience);
        }
        Ok(Self {
            keys: Keys::new(Issuer::new(&options.issuer, options.keys)?),
            issuer: options.issuer,
            audience: options.audience,
        })
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(super) fn audience(&self) -> &str {
        &self.audience
    }

    /// Judges signature, issuer, audience and time.
    pub(super) async fn judge(&self, token: &str) -> Result<Judged, Refused> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Refused::TooLong);
        }
        let head = decode_header(token)?;
        if !ALGORITHMS.contains(&head.alg) {
            return Err(Refused::Algorithm);
        }
        let key = self.keys.find(head.kid.as_deref(), head.alg).await?;
        let mut rules = Validation::new(head.alg);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&["exp", "iss", "aud"]);
        rules.validate_nbf = true;
        rules.leeway = LEEWAY_SECONDS;
        let claims = decode::<Claims>(token, &key, &rules)?.claims;
        let (scopes, until) = (claims.scopes(), claims.until());
        let subject = claims
            .sub
            .or(claims.client_id)
            .filter(|subject| !subject.is_empty());
        Ok(Judged {
            subject: subject.ok_or(Refused::NoSubject)?,
            scopes,
            until,
        })
    }
}

impl Claims {
    fn until(&self) -> Option<SystemTime> {
        let ends = Duration::try_from_secs_f64(self.exp).ok()?;
        SystemTime::UNIX_EPOCH
            .checked_add(ends)?
            .checked_add(Duration::from_secs(LEEWAY_SECONDS))
    }

    fn scopes(&self) -> Vec<String> {
        let words = |text: &str| {
            text.split(' ')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut scopes = self.scope.as_deref().map(words).unwrap_or_default();
        match &self.scp {
            Some(Listed::Text(text)) => scopes.extend(words(text)),
            Some(Listed::List(list)) => scopes.extend(list.iter().cloned()),
            None => {}
        }
        scopes
    }
}
