//! What a sealed state says of itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use toolmesh_json::{Limits, Value, View, canonical_text, parse_with};

/// The version of the plaintext.
const VERSION: u64 = 1;

/// What is sealed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plaintext {
    pub(super) binding: [u8; 32],
    pub(super) issued_at: SystemTime,
    pub(super) expires_at: SystemTime,
    pub(super) round: u32,
    /// The id of the request that was answered with it.
    pub(super) request_id: Option<Value>,
    /// A person confirmed the call in an earlier round.
    pub(super) confirmed: bool,
    pub(super) state: Option<String>,
}

impl Plaintext {
    /// The canonical JSON form.
    pub(super) fn to_text(&self) -> String {
        let object = Value::object()
            .put("version", VERSION)
            .put("bindingDigest", URL_SAFE_NO_PAD.encode(self.binding))
            .put("issuedAt", instant(self.issued_at))
            .put("expiresAt", instant(self.expires_at))
            .put("round", self.round)
            .put_opt("originatingRequestId", self.request_id.clone())
            .put_opt("confirmed", self.confirmed.then_some(true))
            .put_opt("state", self.state.as_deref())
            .build();
        canonical_text(object.view())
    }

    /// Reads the JSON form; `None` when it is none of ours.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let value = parse_with(text, &Limits::default()).ok()?;
        if value.get("version")?.as_u64()? != VERSION {
            return None;
        }
        let digest = value.get("bindingDigest")?.as_str()?;
        Some(Self {
            binding: URL_SAFE_NO_PAD.decode(digest).ok()?.try_into().ok()?,
            issued_at: read_instant(value.get("issuedAt")?)?,
            expires_at: read_instant(value.get("expiresAt")?)?,
            round: u32::try_from(value.get("round")?.as_u64()?).ok()?,
            request_id: value.get("originatingRequestId").map(View::to_value),
            confirmed: value.get("confirmed").and_then(View::as_bool) == Some(true),
            state: value.get("state").and_then(View::as_str).map(str::to_owned),
        })
    }
}

/// A point in time as seconds since 1970 and nanoseconds beyond.
fn instant(at: SystemTime) -> Value {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Value::object()
        .put("epochSecond", since.as_secs())
        .put("nanoAdjustment", since.subsec_nanos())
        .build()
}

fn read_instant(value: View<'_>) -> Option<SystemTime> {
    let nanos = u32::try_from(value.get("nanoAdjustment")?.as_u64()?).ok()?;
    let since = Duration::from_secs(value.get("epochSecond")?.as_u64()?);
    UNIX_EPOCH.checked_add(since.checked_add(Duration::from_nanos(nanos.into()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plaintext_is_canonical_and_comes_back() {
        let plaintext = Plaintext {
            binding: [0xfb; 32],
            issued_at: UNIX_EPOCH + Duration::new(5, 7),
            expires_at: UNIX_EPOCH + Duration::new(905, 7),
            round: 3,
            request_id: Some(Value::from("a")),
            confirmed: true,
            state: Some("s\u{0}".into()),
        };
        let text = plaintext.to_text();
        assert_eq!(
            text,
            concat!(
                r#"{"bindingDigest":"-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s","confirmed":true,"#,
                r#""expiresAt":{"epochSecond":905,"nanoAdjustment":7},"issuedAt":{"epochSecond":5,"nanoAdjustment":7},"#,
                r#""originatingRequestId":"a","round":3,"state":"s\u0000","version":1}"#
            )
        );
        assert_eq!(Plaintext::read(text.as_bytes()), Some(plaintext));
    }

    #[test]
    fn another_version_is_none_of_ours() {
        let text = r#"{"version":2,"bindingDigest":"","round":1}"#;
        assert_eq!(Plaintext::read(text.as_bytes()), None);
        assert_eq!(Plaintext::read(b"{"), None);
    }
}
