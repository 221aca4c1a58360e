//! What a token says of itself, as far as it is not secret: when it was made and when it ends.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use toolmesh_json::{View, parse};

/// When a JSON Web Token was made and when it ends, in seconds of the epoch. The signature is the node's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) issued: Option<u64>,
    pub(super) expires: Option<u64>,
}

impl Claims {
    /// The claims of a token; none of a text that is no such token.
    pub(super) fn of(token: &str) -> Self {
        let payload = token
            .split('.')
            .nth(1)
            .and_then(|part| URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok())
            .and_then(|bytes| parse(&bytes).ok());
        let claim = |name| {
            payload
                .as_ref()
                .and_then(|payload| payload.get(name).and_then(View::as_u64))
        };
        Self {
            issued: claim("iat"),
            expires: claim("exp"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_and_what_is_no_token_has_none() {
        let payload = URL_SAFE_NO_PAD.encode(r#"{"iat":5,"exp":9}"#);
        let claims = Claims {
            issued: Some(5),
            expires: Some(9),
        };
        assert_eq!(Claims::of(&format!("h.{payload}.s")), claims);
        assert_eq!(Claims::of("opaque"), Claims::default());
    }
}
