//! Telling the operator that a certificate ends, while there is time to have a new one made.

use std::time::Duration;

use super::Credentials;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// How much time is left when it is told, once for each: at two weeks there is time for somebody to come back from a holiday.
const TOLD_AT: [Duration; 5] = [
    Duration::from_secs(14 * 24 * 3_600),
    Duration::from_secs(7 * 24 * 3_600),
    DAY,
    HOUR,
    Duration::ZERO,
];

/// What to do; a running node keeps the certificate that it began with.
const ANEW: &str = "have a new one made and start again with it (`toolmesh mesh keys FOLDER --node NAME` makes one when the old \
                    certificate and its key are moved away)";

impl Credentials {
    /// A word to the operator about a certificate that ends within 14 days, before others refuse it.
    #[must_use]
    pub fn ends_soon(&self) -> Option<String> {
        let left = self.time_left();
        told_at(left)?;
        let name = &self.identity().name;
        let hours = left.as_secs() / HOUR.as_secs();
        let how = match hours {
            _ if left.is_zero() => "has ended, and nobody believes it any more".to_owned(),
            0 => "ends in less than an hour, and nobody believes it then".to_owned(),
            hours => format!("ends in {hours} hours, and nobody believes it then"),
        };
        Some(format!("the certificate of `{name}` {how}; {ANEW}"))
    }

    /// Logs [`Credentials::ends_soon`] 14 days, 7 days, a day and an hour before the end, and at the end, as long as the node
    /// or router is there.
    pub(in crate::engine) async fn tell_of_its_end(&self, is_there: impl Fn() -> bool + Send) {
        let mut told = None;
        while is_there() {
            let left = self.time_left();
            let now = told_at(left);
            if let Some(word) = self.ends_soon().filter(|_| now != told) {
                tracing::warn!("{word}");
            }
            if left.is_zero() {
                return;
            }
            told = now;
            tokio::time::sleep(pause(left)).await;
        }
    }
}

/// The last moment of [`TOLD_AT`] that has come.
fn told_at(left: Duration) -> Option<Duration> {
    TOLD_AT.into_iter().rev().find(|at| left <= *at)
}

/// How long until the next moment; an hour at most, since the clock that certificates go by may be set, and goes on while a
/// machine sleeps.
fn pause(left: Duration) -> Duration {
    let next = TOLD_AT.into_iter().find(|at| *at < left).unwrap_or_default();
    left.saturating_sub(next).clamp(Duration::from_secs(1), HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_moment_comes_once_and_in_order() {
        assert_eq!(told_at(TOLD_AT[0] + SECOND), None);
        for (n, at) in TOLD_AT.into_iter().enumerate() {
            assert_eq!(told_at(at), Some(at));
            let before = n.checked_sub(1).map(|n| TOLD_AT[n]);
            assert_eq!(told_at(at + SECOND), before);
        }
    }

    #[test]
    fn no_moment_is_slept_over() {
        let mut left = TOLD_AT[0] + DAY;
        let mut seen = vec![];
        while !left.is_zero() {
            let pause = pause(left);
            assert!((SECOND..=HOUR).contains(&pause), "{pause:?}");
            left = left.saturating_sub(pause);
            seen.extend(told_at(left).filter(|at| *at == left));
        }
        assert_eq!(seen, TOLD_AT);
    }
}
