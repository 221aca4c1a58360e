//! Rate limiters: a bucket of tokens that fills at an even rate.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::Limiter;
use crate::Caller;

/// Most buckets that a limiter keeps: a few bytes each. Callers beyond them share one bucket; half of them are for callers
/// who are known by their addresses alone, so that nobody who has many addresses takes the others' places.
pub const MAX_BUCKETS: usize = 65_536;

/// How many tokens there are, and how fast they come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    tokens: u32,
    per: Duration,
}

impl Rate {
    /// `tokens` in each span of time: so many may be taken at once, and so many come back evenly within `per`.
    /// At least one token, and a span of at least a microsecond a token.
    #[must_use]
    pub fn new(tokens: u32, per: Duration) -> Self {
        let tokens = tokens.max(1);
        Self {
            tokens,
            per: per.max(Duration::from_micros(1) * tokens),
        }
    }

    /// `tokens` a minute.
    #[must_use]
    pub fn per_minute(tokens: u32) -> Self {
        Self::new(tokens, Duration::from_secs(60))
    }

    /// `tokens` a second.
    #[must_use]
    pub fn per_second(tokens: u32) -> Self {
        Self::new(tokens, Duration::from_secs(1))
    }

    /// After how long one token comes back.
    fn interval(self) -> Duration {
        self.per / self.tokens
    }
}

/// Who has a bucket of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitBy {
    /// All calls share one.
    Server,
    /// Each caller, as [`Caller::party`] tells them apart.
    Caller,
    /// Each tool, for all callers together.
    Tool,
    /// Each caller for each tool.
    CallerAndTool,
}

/// A limiter of token buckets (the generic cell rate algorithm: a bucket is one moment, that at which it is full again).
/// Tokens once taken never come back but by time.
#[derive(Debug)]
pub struct RateLimiter {
    rate: Rate,
    by: LimitBy,
    max_buckets: usize,
    buckets: Mutex<Buckets>,
    /// Of callers who are known by their addresses alone.
    strangers: Mutex<Buckets>,
}

#[derive(Debug, Default)]
struct Buckets {
    by_key: HashMap<Box<str>, Instant>,
    /// Of those for whom there is no room.
    shared: Option<Instant>,
    /// When full buckets are looked for again.
    next_sweep: Option<Instant>,
}

impl RateLimiter {
    /// Limits by a rate.
    #[must_use]
    pub fn new(rate: Rate, by: LimitBy) -> Self {
        Self {
            rate,
            by,
            max_buckets: MAX_BUCKETS,
            buckets: Mutex::default(),
            strangers: Mutex::default(),
        }
    }

    /// Keeps fewer buckets than [`MAX_BUCKETS`].
    #[must_use]
    pub fn max_buckets(mut self, buckets: usize) -> Self {
        self.max_buckets = buckets.min(MAX_BUCKETS);
        self
    }

    fn key(&self, caller: &Caller, target: &str) -> String {
        match self.by {
            LimitBy::Server => String::new(),
            LimitBy::Caller => caller.party(),
            LimitBy::Tool => target.to_owned(),
            LimitBy::CallerAndTool => format!("{};{target}", caller.party()),
        }
    }
}

impl Limiter for RateLimiter {
    fn acquire(&self, caller: &Caller, target: &str) -> Result<(), Duration> {
        let now = Instant::now();
        let key = self.key(caller, target);
        let is_stranger = caller.known_by().is_some();
        let by_caller = matches!(self.by, LimitBy::Caller | LimitBy::CallerAndTool);
        let (buckets, most) = match is_stranger && by_caller {
            true => (&self.strangers, self.max_buckets / 2),
            false if by_caller => (&self.buckets, self.max_buckets.div_ceil(2)),
            false => (&self.buckets, self.max_buckets),
        };
        let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full_again) = buckets.by_key.get_mut(key.as_str()) {
            return take(self.rate, full_again, now);
        }
        if buckets.by_key.len() >= most {
            buckets.sweep(now, self.rate.interval());
        }
        if buckets.by_key.len() >= most {
            return take(self.rate, buckets.shared.get_or_insert(now), now);
        }
        take(
            self.rate,
            buckets.by_key.entry(key.into_boxed_str()).or_insert(now),
            now,
        )
    }
}

impl Buckets {
    /// Forgets full buckets, which are as good as new ones; at most once in the time of a token.
    fn sweep(&mut self, now: Instant, interval: Duration) {
        if self.next_sweep.is_none_or(|next| next <= now) {
            self.by_key.retain(|_, full_again| *full_again > now);
            self.next_sweep = Some(now + interval);
        }
    }
}

/// Takes a token, or tells when there is one.
fn take(rate: Rate, full_again: &mut Instant, now: Instant) -> Result<(), Duration> {
    let interval = rate.interval();
    let filled = (*full_again).max(now);
    // Full but for what was taken: with one token left, it is `per - interval` away from being full.
    let missing = filled.saturating_duration_since(now);
    let room = interval * (rate.tokens - 1);
    if missing > room {
        return Err(missing - room);
    }
    *full_again = filled + interval;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transport;

    fn caller(name: &str) -> Caller {
        Caller::authenticated(name, Transport::Http)
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_at_once_and_the_rest_as_tokens_come_back() {
        let limiter = RateLimiter::new(Rate::per_minute(3), LimitBy::Caller);
        for _ in 0..3 {
            assert_eq!(limiter.acquire(&caller("a"), ""), Ok(()));
        }
        assert_eq!(limiter.acquire(&caller("a"), ""), Err(Duration::from_secs(20)));
        tokio::time::advance(Duration::from_secs(19)).await;
        assert_eq!(limiter.acquire(&caller("a"), ""), Err(Duration::from_secs(1)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(limiter.acquire(&caller("a"), ""), Ok(()));
        assert!(limiter.acquire(&caller("a"), "").is_err());
        tokio::time::advance(Duration::from_secs(600)).await;
        let taken = (0..10).filter(|_| limiter.acquire(&caller("a"), "").is_ok());
        assert_eq!(taken.count(), 3, "a bucket never holds more than it is large");
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_a_bucket_of_its_own_is_said() {
        for (by, expected) in [
            (LimitBy::Server, [true, false, false, false]),
            (LimitBy::Caller, [true, false, true, false]),
            (LimitBy::Tool, [true, true, false, false]),
            (LimitBy::CallerAndTool, [true, true, true, true]),
        ] {
            let limiter = RateLimiter::new(Rate::per_minute(1), by);
            let passed = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
                .map(|(name, tool)| limiter.acquire(&caller(name), tool).is_ok());
            assert_eq!(passed, expected, "{by:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn callers_behind_different_gateways_are_different_ones() {
        let limiter = RateLimiter::new(Rate::per_minute(1), LimitBy::Caller);
        let through = |gateway: &str| Caller {
            on_behalf_of: vec![gateway.to_owned()],
            ..caller("a")
        };
        assert!(limiter.acquire(&through("one"), "").is_ok());
        assert!(limiter.acquire(&through("two"), "").is_ok());
        assert!(limiter.acquire(&through("one"), "").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn anonymous_callers_are_told_apart_by_their_addresses_and_take_no_place_of_others() {
        let limiter = RateLimiter::new(Rate::per_minute(1), LimitBy::Caller).max_buckets(4);
        let ask = |caller: &Caller| limiter.acquire(caller, "").is_ok();
        let stranger = |address: &str| Caller::anonymous(Transport::Http).at(Some(address.into()));
        let asked = ["1", "2", "1", "3", "4"].map(|address| ask(&stranger(address)));
        assert_eq!(
            asked,
            [true, true, false, true, false],
            "the third and fourth share a bucket"
        );
        // What an address says of somebody who is known changes nothing, and so does a name that looks like one.
        let known = |address: &str| caller("1").at(Some(address.into()));
        assert_eq!([known("1"), known("2")].map(|known| ask(&known)), [true, false]);
        assert!(ask(&caller("other")), "strangers took no place");
        let nowhere = Caller::anonymous(Transport::Http);
        assert_eq!([ask(&nowhere), ask(&nowhere)], [true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_n_buckets_and_one_for_everybody_else() {
        let limiter = RateLimiter::new(Rate::per_minute(1), LimitBy::Caller).max_buckets(4);
        let ask = |name: &str| limiter.acquire(&caller(name), "").is_ok();
        assert_eq!(["a", "b", "c", "d"].map(ask), [true, true, true, false]);
        assert_eq!(["a", "b"].map(ask), [false, false], "nobody lost its bucket");
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(
            ["e", "f", "g", "h"].map(ask),
            [true, true, true, false],
            "full buckets made room"
        );
    }
}
