//! When explorers that were asked too often are asked once more.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Explorer, Refusal};

/// How often explorers are asked again at most: somebody waits for the answer.
pub const MAX_ASKED_AGAIN: usize = 2;

/// The longest pause before that. An explorer that wants a longer one is told of instead.
pub const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The first pause, where the explorer does not say how long; it doubles. Explorers count calls by the second.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Waits for a time.
pub type Pause = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// A pause by the clock.
pub(super) fn by_the_clock() -> Pause {
    Arc::new(|time| Box::pin(tokio::time::sleep(time)))
}

/// Who is asked once more, and after what pause.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub(super) pause: Duration,
    pub(super) explorers: Vec<Explorer>,
}

impl Again {
    /// After these refusals, for the time with the number `again`, from 0; `None` when asking again does not help, or not
    /// soon. The shortest pause is made: one explorer that knows the contract is enough.
    pub(super) fn after(refusals: &[(Explorer, Refusal)], again: usize) -> Option<Self> {
        let backoff = FIRST_PAUSE * (1 << again.min(MAX_ASKED_AGAIN));
        let waits: Vec<(Explorer, Duration)> = refusals
            .iter()
            .filter_map(|(explorer, refusal)| match refusal {
                Refusal::RateLimited { retry_after } => {
                    Some((*explorer, retry_after.map_or(backoff, Duration::from_secs)))
                }
                _ => None,
            })
            .filter(|(_, wait)| *wait <= MAX_PAUSE)
            .collect();
        let pause = waits.iter().map(|(_, wait)| *wait).min()?;
        let due = waits.into_iter().filter(|(_, wait)| *wait <= pause);
        Some(Self {
            pause,
            explorers: due.map(|(explorer, _)| explorer).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(refusals: [Refusal; 3], again: usize) -> Option<(u64, Vec<Explorer>)> {
        let refusals: Vec<_> = Explorer::ALL.into_iter().zip(refusals).collect();
        Again::after(&refusals, again).map(|again| (again.pause.as_secs(), again.explorers))
    }

    fn limited(retry_after: Option<u64>) -> Refusal {
        Refusal::RateLimited { retry_after }
    }

    #[test]
    fn pauses_are_what_the_explorer_says_or_double() {
        let silent = || [limited(None), Refusal::NotVerified, Refusal::NoSuchChain];
        assert_eq!(after(silent(), 0), Some((1, vec![Explorer::Etherscan])));
        assert_eq!(after(silent(), 1), Some((2, vec![Explorer::Etherscan])));
        let says = [Refusal::NoKey, limited(Some(7)), Refusal::NotVerified];
        assert_eq!(after(says, 1), Some((7, vec![Explorer::Sourcify])));
        let both = [limited(Some(4)), limited(None), limited(None)];
        let due = vec![Explorer::Sourcify, Explorer::Blockscout];
        assert_eq!(after(both, 0), Some((1, due)));
    }

    #[test]
    fn a_pause_is_as_long_as_the_limit_and_not_a_second_longer() {
        let says = |seconds| [limited(Some(seconds)), Refusal::NotVerified, Refusal::NotVerified];
        assert_eq!(
            after(says(MAX_PAUSE.as_secs()), 0),
            Some((10, vec![Explorer::Etherscan]))
        );
        assert_eq!(after(says(MAX_PAUSE.as_secs() + 1), 0), None);
    }

    #[test]
    fn who_is_refused_for_another_reason_is_not_asked_again() {
        let unreachable = || Refusal::Unreachable("failed".to_owned());
        assert_eq!(
            after([unreachable(), Refusal::BadKey, Refusal::NotVerified], 0),
            None
        );
    }
}
