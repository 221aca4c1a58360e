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

/// What to do when the authority ends: its certificates end for all nodes.
const ALL_ANEW: &str = "have a new authority made, give every node a certificate of it, and start them again (`toolmesh mesh \
                        keys FOLDER --node NAME` makes both in a new folder)";

/// What to do; a running node keeps the certificate that it began with.
const ANEW: &str = "have a new one made and start again with it (`toolmesh mesh keys FOLDER --node NAME` makes one when the old \
                    certificate and its key are moved away)";

impl Credentials {
    /// A word to the operator about a certificate that ends within 14 days, or its authority, before others refuse it.
    #[must_use]
    pub fn ends_soon(&self) -> Option<String> {
        let left = self.time_left();
        told_at(left)?;
        let name = &self.identity().name;
        let hours = left.as_secs() / HOUR.as_secs();
        let (ends, then) = match hours {
            _ if left.is_zero() => ("has ended".to_owned(), "any more"),
            0 => ("ends in less than an hour".to_owned(), "then"),
            hours => (format!("ends in {hours} hours"), "then"),
        };
        Some(if self.ends_with_its_authority() {
            format!(
                "the authority of the certificate of `{name}` {ends}, and no node starts with a certificate of it {then}; \
                 {ALL_ANEW}"
            )
        } else {
            format!("the certificate of `{name}` {ends}, and nobody believes it {then}; {ANEW}")
        })
    }

    /// Logs [`Credentials::ends_soon`], unless it was told since the last of the moments at which it is; gives that moment.
    pub(in crate::engine) fn tell_of_its_end(&self, told: Option<Duration>) -> Option<Duration> {
        let now = told_at(self.time_left());
        if let Some(word) = self.ends_soon().filter(|_| now != told) {
            tracing::warn!("{word}");
        }
        now
    }

    /// Logs it 14 days, 7 days, a day and an hour before the end, and at the end, as long as the node or router is there.
    pub(in crate::engine) async fn go_on_telling_of_its_end(
        &self,
        mut told: Option<Duration>,
        is_there: impl Fn() -> bool + Send,
    ) {
        while is_there() {
            let left = self.time_left();
            told = self.tell_of_its_end(told);
            if left.is_zero() {
                return;
            }
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
    use std::time::SystemTime;

    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;
    use crate::engine::network::certificate::samples::{authority_with, read};

    const SECOND: Duration = Duration::from_secs(1);

    /// Of a node whose certificate and whose authority's end in so long.
    fn ending(own: Duration, authority: Duration) -> Credentials {
        let (now, key) = (SystemTime::now(), KeyPair::generate().unwrap());
        let issuer = authority_with(|params| params.not_after = (now + authority).into());
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "node");
        params.not_after = (now + own).into();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        read(issuer.pem(), &certificate, &key).unwrap()
    }

    #[test]
    fn what_ends_first_is_told_be_it_the_certificate_or_its_authority() {
        let (soon, late) = (2 * DAY, 60 * DAY);
        assert_eq!(ending(late, late).ends_soon(), None);
        let own = ending(soon, late).ends_soon().unwrap();
        assert!(
            own.starts_with("the certificate of `node` ends in 47 hours, and nobody"),
            "{own}"
        );
        // A certificate that ends with its authority is not helped by another of it.
        for own in [late, soon] {
            let credentials = ending(own, soon);
            assert!(credentials.time_left() <= soon, "{credentials:?}");
            let said = credentials.ends_soon().unwrap();
            let of_authority =
                "the authority of the certificate of `node` ends in 47 hours, and no node starts";
            assert!(said.starts_with(of_authority), "{said}");
        }
    }

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
