//! Tokens that are known here.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::options::{AuthError, MIN_TOKEN_CHARS};

/// Names by the digests of their tokens. The tokens themselves are not kept, and looking one up takes no time that tells
/// how much of it is right.
pub(super) struct Tokens(HashMap<[u8; 32], String>);

impl Tokens {
    pub(super) fn new(tokens: Vec<(String, String)>) -> Result<Self, AuthError> {
        let mut known: HashMap<[u8; 32], String> = HashMap::new();
        for (name, token) in tokens {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
            if token.len() < MIN_TOKEN_CHARS || !token.bytes().all(is_token) {
                return Err(AuthError::Token(name));
            }
            if let Some(other) = known.insert(digest(&token), name.clone()) {
                return Err(AuthError::SameToken(other, name));
            }
        }
        Ok(Self(known))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether somebody of this name has a token.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.0.values().any(|known| known == name)
    }

    /// Whose token it is.
    pub(super) fn find(&self, token: &str) -> Option<&str> {
        self.0.get(&digest(token)).map(String::as_str)
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(pairs: &[(&str, &str)]) -> Result<Tokens, AuthError> {
        let own = pairs
            .iter()
            .map(|(name, token)| ((*name).to_owned(), (*token).to_owned()));
        Tokens::new(own.collect())
    }

    #[test]
    fn a_token_is_found_whole_or_not_at_all() {
        let known = tokens(&[("ada", "0123456789abcdef"), ("bob", "fedcba9876543210")]).unwrap();
        assert_eq!(known.find("0123456789abcdef"), Some("ada"));
        assert_eq!(known.find("0123456789abcde"), None);
        assert_eq!(known.find("0123456789ABCDEF"), None);
    }

    #[test]
    fn a_short_or_shared_token_is_refused_without_being_shown() {
        let short = tokens(&[("ada", "0123456789abcde")]).err().unwrap();
        assert!(short.to_string().contains("`ada`") && !short.to_string().contains("0123"));
        let shared = tokens(&[("ada", "0123456789abcdef"), ("bob", "0123456789abcdef")]).err();
        assert_eq!(shared, Some(AuthError::SameToken("ada".into(), "bob".into())));
    }
}
