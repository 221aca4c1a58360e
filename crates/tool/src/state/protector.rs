//! Sealing and opening the state of calls.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use toolmesh_json::{Value, canonical_text};

use super::{KeyRing, MasterKey, StateBinding, key::fill_random, plaintext::Plaintext, seal};

/// How long after its first round a call may go on: time for a person to answer.
pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Most rounds of one call; more is a loop, not a conversation.
pub const MAX_ROUNDS: u32 = 10;

/// Most bytes of a sealed state as the client sees it; the bytes below it are at most 49,152.
pub const MAX_SEALED_BYTES: usize = 65_536;

/// Seals and opens the state of calls. One serves a whole process; several servers behind one address share its keys.
pub struct StateProtector {
    ring: KeyRing,
    lifetime: Duration,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

/// A state that was opened: it is ours, unchanged, in time, and belongs to this very call.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedState {
    /// What the handler gave, if it gave anything.
    pub state: Option<String>,
    /// The round that asked: 1 for the first.
    pub round: u32,
    /// A person confirmed the call in an earlier round.
    pub confirmed: bool,
    expires_at: SystemTime,
}

/// A state that is not accepted. It never says why: whoever changes a state should learn nothing from the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request state is not valid")]
pub struct RefusedState;

/// Why a state cannot be sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It would be longer than [`MAX_SEALED_BYTES`].
    #[error("the sealed state would have more than {MAX_SEALED_BYTES} bytes")]
    TooLarge,
    /// The call went on for [`MAX_ROUNDS`] rounds.
    #[error("the call asked for input in {MAX_ROUNDS} rounds already")]
    TooManyRounds,
    /// The call went on for longer than its lifetime.
    #[error("the time in which the call may ask for input is over")]
    Expired,
    /// The operating system gave no random bytes.
    #[error("no random bytes can be had to seal the state")]
    NoRandomness,
}

impl StateProtector {
    /// Seals with the active key of `ring`.
    #[must_use]
    pub fn new(ring: KeyRing) -> Self {
        Self {
            ring,
            lifetime: DEFAULT_LIFETIME,
            clock: Arc::new(SystemTime::now),
        }
    }

    /// Seals with a random key that nobody else has: states do not survive the process.
    ///
    /// # Errors
    /// [`SealError::NoRandomness`].
    pub fn ephemeral() -> Result<Self, SealError> {
        let mut key = zeroize::Zeroizing::new([0; super::MIN_KEY_BYTES]);
        fill_random(&mut *key).map_err(|_| SealError::NoRandomness)?;
        let key = MasterKey::new("ephemeral", &*key).map_err(|_| SealError::NoRandomness)?;
        Ok(Self::new(KeyRing::new(key)))
    }

    /// Sets how long after its first round a call may go on.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Takes the time from `clock`.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The keys, for a rotation.
    #[must_use]
    pub fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// Seals the state of the round after `before` (`None` for the first), to be sent in the answer to `request_id`.
    ///
    /// # Errors
    /// [`SealError`].
    pub fn seal(
        &self,
        binding: &StateBinding<'_>,
        before: Option<&OpenedState>,
        request_id: Option<&Value>,
        state: Option<String>,
        confirmed: bool,
    ) -> Result<String, SealError> {
        let now = (self.clock)();
        let round = before.map_or(1, |before| before.round.saturating_add(1));
        if round > MAX_ROUNDS {
            return Err(SealError::TooManyRounds);
        }
        let expires_at = before.map_or_else(|| now + self.lifetime, |before| before.expires_at);
        if now >= expires_at {
            return Err(SealError::Expired);
        }
        let binding = binding.digest();
        let plaintext = Plaintext {
            binding,
            issued_at: now,
            expires_at,
            round,
            request_id: request_id.cloned(),
            confirmed,
            state,
        };
        let sealed = seal::seal(&self.ring, &binding, plaintext.to_text().as_bytes())
            .map_err(|_| SealError::NoRandomness)?;
        if sealed.len() > MAX_SEALED_BYTES {
            return Err(SealError::TooLarge);
        }
        Ok(sealed)
    }

    /// Opens a state that came with the request `request_id`, which must be another one than the request that was
    /// answered with it (compared with its type: `1` is not `"1"`).
    ///
    /// # Errors
    /// [`RefusedState`], whatever is wrong.
    pub fn open(
        &self,
        binding: &StateBinding<'_>,
        request_id: Option<&Value>,
        text: &str,
    ) -> Result<OpenedState, RefusedState> {
        let digest = binding.digest();
        let opened = seal::open(&self.ring, &digest, text, MAX_SEALED_BYTES).ok_or(RefusedState)?;
        let plaintext = Plaintext::read(&opened).ok_or(RefusedState)?;
        let now = (self.clock)();
        let repeated = match (&plaintext.request_id, request_id) {
            (Some(before), Some(now)) => canonical_text(before.view()) == canonical_text(now.view()),
            _ => false,
        };
        let sound = plaintext.binding == digest
            && now < plaintext.expires_at
            && (1..=MAX_ROUNDS).contains(&plaintext.round)
            && !repeated;
        if !sound {
            return Err(RefusedState);
        }
        Ok(OpenedState {
            state: plaintext.state,
            round: plaintext.round,
            confirmed: plaintext.confirmed,
            expires_at: plaintext.expires_at,
        })
    }
}

impl fmt::Debug for StateProtector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateProtector")
            .field("ring", &self.ring)
            .field("lifetime", &self.lifetime)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        time::UNIX_EPOCH,
    };

    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    fn key(id: &str, byte: u8) -> MasterKey {
        MasterKey::new(id, &[byte; 32]).unwrap()
    }

    /// A protector whose clock stands until it is moved, in seconds.
    fn protector() -> (StateProtector, Arc<AtomicU64>) {
        let time = Arc::new(AtomicU64::new(1_000));
        let hand = Arc::clone(&time);
        let clock = move || UNIX_EPOCH + Duration::from_secs(hand.load(Ordering::Relaxed));
        (StateProtector::new(KeyRing::new(key("a", 1))).clock(clock), time)
    }

    fn binding(parameters: &Value) -> StateBinding<'_> {
        StateBinding {
            endpoint: "e",
            revision: "2026-07-28",
            method: "tools/call",
            authenticated: true,
            partition: "p",
            parameters,
        }
    }

    fn seal(
        protector: &StateProtector,
        before: Option<&OpenedState>,
        state: &str,
    ) -> Result<String, SealError> {
        let parameters = Value::object().build();
        protector.seal(
            &binding(&parameters),
            before,
            Some(&Value::from(1)),
            Some(state.to_owned()),
            false,
        )
    }

    fn open(protector: &StateProtector, id: &Value, text: &str) -> Result<OpenedState, RefusedState> {
        protector.open(&binding(&Value::object().build()), Some(id), text)
    }

    #[test]
    fn a_state_comes_back_as_it_was_given() {
        let (protector, _) = protector();
        let sealed = seal(&protector, None, "s").unwrap();
        let opened = open(&protector, &Value::from(2), &sealed).unwrap();
        assert_eq!((opened.state.as_deref(), opened.round), (Some("s"), 1));
        assert_ne!(seal(&protector, None, "s").unwrap(), sealed);
    }

    #[test]
    fn nothing_of_it_is_readable() {
        // Long enough that chance does not make it: the sealed bytes are random.
        let state = "what only the server may read";
        let (protector, _) = protector();
        let sealed = seal(&protector, None, state).unwrap();
        let bytes = URL_SAFE_NO_PAD
            .decode(sealed.rsplit('.').next().unwrap())
            .unwrap();
        for plain in [state, "2026-07-28", "tools/call"] {
            let readable = |bytes: &[u8]| bytes.windows(plain.len()).any(|seen| seen == plain.as_bytes());
            assert!(
                !readable(&bytes) && !readable(sealed.as_bytes()),
                "{plain}: {sealed}"
            );
        }
    }

    #[test]
    fn it_opens_in_its_own_call_only() {
        let (protector, _) = protector();
        let sealed = seal(&protector, None, "s").unwrap();
        let other = Value::object().put("name", "other").build();
        let refused = protector.open(&binding(&other), Some(&Value::from(2)), &sealed);
        assert_eq!(refused, Err(RefusedState));
        let empty = Value::object().build();
        let elsewhere = StateBinding {
            partition: "q",
            ..binding(&empty)
        };
        assert_eq!(protector.open(&elsewhere, None, &sealed), Err(RefusedState));
    }

    #[test]
    fn the_request_that_brings_it_back_has_another_id() {
        let (protector, _) = protector();
        let sealed = seal(&protector, None, "s").unwrap();
        assert_eq!(open(&protector, &Value::from(1), &sealed), Err(RefusedState));
        assert!(open(&protector, &Value::from("1"), &sealed).is_ok());
        assert!(open(&protector, &Value::from(2), &sealed).is_ok());
    }

    #[test]
    fn it_lives_for_fifteen_minutes_and_no_longer_however_often_it_is_renewed() {
        let (protector, time) = protector();
        let sealed = seal(&protector, None, "s").unwrap();
        time.store(1_000 + 899, Ordering::Relaxed);
        let opened = open(&protector, &Value::from(2), &sealed).unwrap();
        let again = seal(&protector, Some(&opened), "t").unwrap();
        time.store(1_000 + 900, Ordering::Relaxed);
        for text in [&sealed, &again] {
            assert_eq!(open(&protector, &Value::from(2), text), Err(RefusedState));
        }
        assert_eq!(seal(&protector, Some(&opened), "t"), Err(SealError::Expired));
    }

    #[test]
    fn a_call_has_ten_rounds() {
        let (protector, _) = protector();
        let mut opened = None;
        for round in 1..=MAX_ROUNDS {
            let sealed = seal(&protector, opened.as_ref(), "s").unwrap();
            let now = open(&protector, &Value::from(2), &sealed).unwrap();
            assert_eq!(now.round, round);
            opened = Some(now);
        }
        assert_eq!(
            seal(&protector, opened.as_ref(), "s"),
            Err(SealError::TooManyRounds)
        );
    }

    #[test]
    fn a_sealed_state_has_a_bound_on_its_bytes() {
        let (protector, _) = protector();
        let spent = seal(&protector, None, "").unwrap().len();
        // Four letters carry three bytes.
        let mut fits = (MAX_SEALED_BYTES - spent) / 4 * 3;
        while seal(&protector, None, &"x".repeat(fits + 1)).is_ok() {
            fits += 1;
        }
        let largest = seal(&protector, None, &"x".repeat(fits)).unwrap();
        assert!((MAX_SEALED_BYTES - 1..=MAX_SEALED_BYTES).contains(&largest.len()));
        assert!(open(&protector, &Value::from(2), &largest).is_ok());
        assert_eq!(
            seal(&protector, None, &"x".repeat(fits + 1)),
            Err(SealError::TooLarge)
        );
    }

    #[test]
    fn keys_are_rotated_without_refusing_what_is_under_way() {
        let (protector, _) = protector();
        let before = seal(&protector, None, "s").unwrap();
        protector.ring().stage(key("b", 2)).unwrap();
        protector.ring().activate("b").unwrap();
        let after = seal(&protector, None, "s").unwrap();
        assert!(open(&protector, &Value::from(2), &before).is_ok());
        assert!(open(&protector, &Value::from(2), &after).is_ok());
        protector.ring().remove("a").unwrap();
        assert_eq!(open(&protector, &Value::from(2), &before), Err(RefusedState));
        assert!(open(&protector, &Value::from(2), &after).is_ok());
    }

    #[test]
    fn nobody_else_opens_what_an_ephemeral_key_sealed() {
        let sealed = seal(&StateProtector::ephemeral().unwrap(), None, "s").unwrap();
        let other = StateProtector::ephemeral().unwrap();
        assert_eq!(open(&other, &Value::from(2), &sealed), Err(RefusedState));
    }
}
