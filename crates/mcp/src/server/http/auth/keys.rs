//! The keys of an issuer: kept for a while, asked for anew when a token names one that is not there.
//!
//! Nobody waits whose token names a key that is kept, unless it was kept too long; and whoever asks the issuer does so for
//! all who wait. The asking goes on when its caller goes away, so that no stranger can begin it over and over.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{Jwk, JwkSet, PublicKeyUse},
};
use tokio::{sync::watch, time::Instant};

use super::{issuer::Issuer, jwt::Refused};

/// How long keys are kept: 10 min, so that a key that was taken back is not believed for long.
const KEEP: Duration = Duration::from_secs(600);

/// How long keys are kept while the issuer cannot be asked: 24 h, a long outage.
const KEEP_IN_NEED: Duration = Duration::from_secs(24 * 3_600);

/// How soon keys are asked for again because of a token: 30 s, so that strangers' tokens cannot make us ask all the time.
const ASK_AGAIN: Duration = Duration::from_secs(30);

/// How soon the issuer is asked again after that failed: 5 s.
const RETRY: Duration = Duration::from_secs(5);

/// The keys of one issuer.
pub(super) struct Keys {
    inner: Arc<Inner>,
}

struct Inner {
    issuer: Issuer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// Ends when the issuer that is being asked has answered.
    asking: Option<watch::Receiver<()>>,
    /// When the issuer was asked last, and whether it answered.
    asked: Option<(Instant, bool)>,
}

#[derive(Clone)]
struct Kept {
    keys: Arc<JwkSet>,
    at: Instant,
}

/// A key, or why there is none.
type Found = Option<Result<DecodingKey, jsonwebtoken::errors::Error>>;

impl Keys {
    pub(super) fn new(issuer: Issuer) -> Self {
        Self {
            inner: Arc::new(Inner {
                issuer,
                state: Mutex::default(),
            }),
        }
    }

    /// The key by which a token is checked.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<DecodingKey, Refused> {
        let kept = self.kept(KEEP);
        if let Some(found) = choose(kept.as_ref(), id, algorithm) {
            return Ok(found?);
        }
        // The keys are too old, or the issuer may have a new one.
        let failed_before = matches!(self.inner.state().asked, Some((_, false)));
        let asking = self.begin(kept.is_some());
        let in_need = self.kept(KEEP_IN_NEED);
        if failed_before && let Some(found) = choose(in_need.as_ref(), id, algorithm) {
            // Who is known already does not wait for an issuer that does not answer.
            return Ok(found?);
        }
        if let Some(mut asking) = asking {
            // An error means that the asking is over, which is what is waited for.
            let _ = asking.changed().await;
        }
        let kept = self.kept(KEEP_IN_NEED).ok_or(Refused::Keys)?;
        Ok(choose(Some(&kept), id, algorithm).ok_or(Refused::UnknownKey)??)
    }

    /// The keys, when they are younger than this.
    fn kept(&self, than: Duration) -> Option<Kept> {
        let kept = self.inner.state().kept.clone();
        kept.filter(|kept| kept.at.elapsed() < than)
    }

    /// Begins to ask the issuer, or joins those who wait; `None` when it was asked a moment ago.
    fn begin(&self, has_keys: bool) -> Option<watch::Receiver<()>> {
        let mut state = self.inner.state();
        if let Some(asking) = &state.asking {
            return Some(asking.clone());
        }
        let rest = match state.asked {
            Some((_, true)) if has_keys => ASK_AGAIN,
            Some((_, false)) => RETRY,
            _ => Duration::ZERO,
        };
        if state.asked.is_some_and(|(at, _)| at.elapsed() < rest) {
            return None;
        }
        let (over, asking) = watch::channel(());
        state.asking = Some(asking.clone());
        drop(state);
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            let asked = inner.issuer.keys().await;
            inner.answered(asked);
            drop(over);
        });
        Some(asking)
    }
}

impl Inner {
    fn answered(&self, asked: Result<JwkSet, super::issuer::NoKeys>) {
        let at = Instant::now();
        let mut state = self.state();
        state.asking = None;
        state.asked = Some((at, asked.is_ok()));
        match asked {
            Ok(keys) => {
                let keys = Arc::new(keys);
                state.kept = Some(Kept { keys, at });
            }
            Err(reason) => tracing::warn!(%reason, "the issuer's keys cannot be had"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing here panics while it holds the lock, and every state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of this id; without one in the token, the only key that fits its algorithm.
fn choose(kept: Option<&Kept>, id: Option<&str>, algorithm: Algorithm) -> Found {
    let signs = |key: &&Jwk| key.common.public_key_use != Some(PublicKeyUse::Encryption);
    let fits = |key: &&Jwk| {
        let declared = key.common.key_algorithm;
        declared.is_none_or(|declared| {
            declared
                .to_string()
                .parse()
                .is_ok_and(|declared: Algorithm| declared == algorithm)
        })
    };
    let keys = kept?.keys.keys.iter();
    let mut fitting = keys.filter(signs).filter(fits).filter(|key| match id {
        Some(id) => key.common.key_id.as_deref() == Some(id),
        None => true,
    });
    let first = fitting.next()?;
    fitting.next().is_none().then(|| DecodingKey::from_jwk(first))
}
