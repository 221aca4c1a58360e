//! Handles: what `select_app` gives and every call gives back where tools are targeted by handles.
//!
//! A handle is `base64url(payload).base64url(HMAC-SHA256(key, payload))`. The payload is JSON and no secret: the application
//! (`a` its id, `p` its package, `v` its version, `g` the beginning of its guide's hash) as it was installed when the
//! handle was made, the context `c` and its service `s`. A handle of an application that was upgraded since, or whose
//! guide changed, does not hold: whoever has it learns the application anew.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use toolmesh_json::{Value, View, parse};

use crate::model::Application;

/// The longest handle that is looked at, in bytes. A real one has a few hundred: two ids, a package and a version.
pub const MAX_HANDLE_BYTES: usize = 4_096;

/// Fewest bytes of a key: as many as the hash has.
const MIN_KEY_BYTES: usize = 32;

/// Most bytes of a key: more add nothing, and a file read by mistake is no key.
const MAX_KEY_BYTES: usize = 1_024;

/// How many hexadecimal digits of a guide's hash stand in a handle.
const GUIDE_DIGITS: usize = 16;

/// The key that handles are signed with. Servers that share it take each other's handles. Nothing prints it.
#[derive(Clone)]
pub struct HandleKey(Hmac<Sha256>);

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandleKeyError {
    /// Too few or too many bytes.
    #[error("a key for handles has {MIN_KEY_BYTES} to {MAX_KEY_BYTES} bytes, and this one {0}")]
    Length(usize),
    /// The operating system gives no random bytes.
    #[error("the operating system gives no random bytes for a key")]
    NoRandomness,
}

impl HandleKey {
    /// The key of these bytes, which are random ones.
    ///
    /// # Errors
    /// [`HandleKeyError::Length`] when there are fewer than 32 of them, or more than 1,024.
    pub fn new(bytes: &[u8]) -> Result<Self, HandleKeyError> {
        if !(MIN_KEY_BYTES..=MAX_KEY_BYTES).contains(&bytes.len()) {
            return Err(HandleKeyError::Length(bytes.len()));
        }
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(bytes);
        mac.map(Self).map_err(|_| HandleKeyError::Length(bytes.len()))
    }

    /// A key that lives as long as it is held.
    ///
    /// # Errors
    /// [`HandleKeyError::NoRandomness`] when the operating system gives no random bytes.
    pub fn random() -> Result<Self, HandleKeyError> {
        let mut bytes = [0; MIN_KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| HandleKeyError::NoRandomness)?;
        Self::new(&bytes)
    }

    fn signature(&self, payload: &[u8]) -> Vec<u8> {
        let signed = self.0.clone().chain_update(payload);
        signed.finalize().into_bytes().to_vec()
    }

    fn has_signed(&self, payload: &[u8], signature: &[u8]) -> bool {
        // In constant time.
        let signed = self.0.clone().chain_update(payload);
        signed.verify_slice(signature).is_ok()
    }
}

impl fmt::Debug for HandleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandleKey")
    }
}

/// What a handle stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// The application's id.
    pub(super) application: String,
    package: String,
    version: String,
    guide: String,
    /// The context; none in the handles of `describe_app`.
    pub(super) context: Option<String>,
    /// The service that runs in it.
    pub(super) service: Option<String>,
}

impl Bound {
    pub(super) fn new(application: &Application, context: Option<&str>, service: Option<&str>) -> Self {
        Self {
            application: application.id.clone().unwrap_or_default(),
            package: application.key().to_owned(),
            version: application.version.clone().unwrap_or_default(),
            guide: guide_mark(application),
            context: context.map(str::to_owned),
            service: service.map(str::to_owned),
        }
    }

    /// Whether the application is still the one that the handle was made for.
    pub(super) fn holds_for(&self, application: &Application) -> bool {
        *self == Self::new(application, self.context.as_deref(), self.service.as_deref())
    }

    /// The handle, signed.
    pub(super) fn sealed(&self, key: &HandleKey) -> String {
        let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
        let payload = Value::object()
            .put("a", self.application.as_str())
            .put("p", self.package.as_str())
            .put("v", self.version.as_str())
            .put("g", self.guide.as_str())
            .put("c", or_null(&self.context))
            .put("s", or_null(&self.service))
            .build()
            .to_text();
        let signature = key.signature(payload.as_bytes());
        format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(&payload),
            URL_SAFE_NO_PAD.encode(signature)
        )
    }

    /// What a handle stands for; nothing for a text that this key has not signed.
    pub(super) fn open(key: &HandleKey, handle: &str) -> Option<Self> {
        if handle.len() > MAX_HANDLE_BYTES {
            return None;
        }
        let (payload, signature) = handle.split_once('.')?;
        let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        if !key.has_signed(&payload, &signature) {
            return None;
        }
        let payload = parse(&payload).ok()?;
        let text = |name: &str| payload.get(name).and_then(View::as_str).map(str::to_owned);
        Some(Self {
            application: text("a")?,
            package: text("p")?,
            version: text("v")?,
            guide: text("g")?,
            context: text("c"),
            service: text("s"),
        })
    }
}

fn guide_mark(application: &Application) -> String {
    let digest = Sha256::digest(application.guide.as_deref().unwrap_or_default());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.chars().take(GUIDE_DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application() -> Application {
        Application {
            id: Some("1".to_owned()),
            package: Some("com.a.kv".to_owned()),
            version: Some("1.0.0".to_owned()),
            guide: Some("# Guide".to_owned()),
            ..Application::default()
        }
    }

    fn key(byte: u8) -> HandleKey {
        HandleKey::new(&[byte; MIN_KEY_BYTES]).unwrap()
    }

    #[test]
    fn a_handle_opens_to_what_was_sealed_and_only_by_its_own_key() {
        let bound = Bound::new(&application(), Some("c"), Some("game"));
        let handle = bound.sealed(&key(1));
        assert_eq!(Bound::open(&key(1), &handle), Some(bound));
        assert_eq!(Bound::open(&key(2), &handle), None);
        assert_eq!(format!("{:?}", key(1)), "HandleKey");
    }

    #[test]
    fn the_payload_and_the_signature_are_of_the_documented_form() {
        let handle = Bound::new(&application(), None, None).sealed(&key(0));
        let (payload, signature) = handle.split_once('.').unwrap();
        let payload = URL_SAFE_NO_PAD.decode(payload).unwrap();
        let guide = format!("{:x?}", &Sha256::digest("# Guide")[..8]).replace(['[', ']', ' '], "");
        let guide: String = guide.split(',').map(|byte| format!("{byte:0>2}")).collect();
        assert_eq!(
            String::from_utf8(payload.clone()).unwrap(),
            format!(r#"{{"a":"1","p":"com.a.kv","v":"1.0.0","g":"{guide}","c":null,"s":null}}"#)
        );
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&[0; 32]).unwrap();
        mac.update(&payload);
        assert_eq!(URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()), signature);
    }

    #[test]
    fn a_handle_with_any_character_changed_or_cut_off_is_none() {
        let handle = Bound::new(&application(), Some("c"), None).sealed(&key(1));
        for end in 0..handle.len() {
            assert_eq!(Bound::open(&key(1), &handle[..end]), None, "cut at {end}");
        }
        for place in 0..handle.len() {
            let mut bytes = handle.clone().into_bytes();
            bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(Bound::open(&key(1), &changed), None, "changed at {place}");
        }
    }

    #[test]
    fn a_handle_and_a_key_have_their_bounds() {
        let of_length = |length: usize| {
            let mut application = application();
            let bare = Bound::new(&application, None, None).sealed(&key(1)).len();
            // Three bytes of the payload are four of the handle.
            application.package = Some("p".repeat("com.a.kv".len() + (length - bare) / 4 * 3));
            Bound::new(&application, None, None).sealed(&key(1))
        };
        let bare = of_length(400).len() % 4;
        let fits = of_length(MAX_HANDLE_BYTES - (MAX_HANDLE_BYTES - bare) % 4);
        assert!(
            fits.len() <= MAX_HANDLE_BYTES && fits.len() + 4 > MAX_HANDLE_BYTES,
            "{}",
            fits.len()
        );
        assert!(Bound::open(&key(1), &fits).is_some());
        let long = of_length(MAX_HANDLE_BYTES + 8);
        assert!(long.len() > MAX_HANDLE_BYTES);
        assert_eq!(Bound::open(&key(1), &long), None);
        for (bytes, is_key) in [(31, false), (32, true), (1_024, true), (1_025, false)] {
            assert_eq!(HandleKey::new(&vec![7; bytes]).is_ok(), is_key, "{bytes}");
        }
    }

    #[test]
    fn a_handle_holds_for_the_application_as_it_was() {
        let bound = Bound::new(&application(), Some("c"), None);
        assert!(bound.holds_for(&application()));
        for change in [
            |one: &mut Application| one.id = Some("2".to_owned()),
            |one: &mut Application| one.package = Some("com.b.kv".to_owned()),
            |one: &mut Application| one.version = Some("1.0.1".to_owned()),
            |one: &mut Application| one.guide = None,
        ] {
            let mut changed = application();
            change(&mut changed);
            assert!(!bound.holds_for(&changed), "{changed:?}");
        }
    }
}
