//! When certificates end.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Longest sleep before the clock is looked at again: it may be set meanwhile, and goes on while a machine sleeps.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// When a certificate ends (`notAfter`, RFC 5280, 4.1.2.5); its `Display` is that moment in words, in UTC.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    at: SystemTime,
    words: String,
}

impl End {
    /// That of a certificate in DER; `None` when it is not understood.
    #[must_use]
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
        let until = certificate.validity().not_after;
        // What ended before 1970 has ended as well.
        let seconds = u64::try_from(until.timestamp()).unwrap_or_default();
        Some(Self {
            at: SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?,
            words: until.to_string(),
        })
    }

    /// The first of several; `None` when there are none, or one is not understood.
    #[must_use]
    pub fn first_of<C: AsRef<[u8]>>(certificates: &[C]) -> Option<Self> {
        Self::all_of(certificates)?.into_iter().min()
    }

    /// The last of several; `None` when there are none, or one is not understood.
    #[must_use]
    pub fn last_of<C: AsRef<[u8]>>(certificates: &[C]) -> Option<Self> {
        Self::all_of(certificates)?.into_iter().max()
    }

    fn all_of<C: AsRef<[u8]>>(certificates: &[C]) -> Option<Vec<Self>> {
        certificates.iter().map(|one| Self::of(one.as_ref())).collect()
    }

    /// The moment.
    #[must_use]
    pub fn at(&self) -> SystemTime {
        self.at
    }

    /// Whether it has come.
    #[must_use]
    pub fn has_come(&self) -> bool {
        left(self.at).is_none()
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

fn left(moment: SystemTime) -> Option<Duration> {
    let left = moment.duration_since(SystemTime::now()).ok();
    left.filter(|left| !left.is_zero())
}

/// Waits until the clock of the machine, by which certificates go, has reached a moment.
pub async fn come(moment: SystemTime) {
    while let Some(left) = left(moment) {
        tokio::time::sleep(left.min(LOOK_AGAIN)).await;
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn ending(year: i32) -> Vec<u8> {
        let mut params = CertificateParams::default();
        params.not_after = date_time_ymd(year, 1, 1);
        let own = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        own.der().to_vec()
    }

    #[test]
    fn the_first_and_the_last_of_several_are_told_in_words_and_none_when_one_is_not_understood() {
        let several = [ending(2200), ending(2021), ending(2100)];
        let (first, last) = (End::first_of(&several).unwrap(), End::last_of(&several).unwrap());
        assert_eq!(first.to_string(), "Jan  1 00:00:00 2021 +00:00");
        assert_eq!(last.to_string(), "Jan  1 00:00:00 2200 +00:00");
        assert_eq!((first.has_come(), last.has_come()), (true, false));
        assert!(first.at() < last.at());

        let with_another = [ending(2100), b"no certificate".to_vec()];
        assert_eq!(End::first_of(&with_another), None);
        assert_eq!(End::last_of(&with_another), None);
        assert_eq!(End::first_of::<Vec<u8>>(&[]), None);
    }

    #[tokio::test]
    async fn a_moment_that_has_passed_is_not_waited_for_and_one_to_come_is() {
        come(SystemTime::UNIX_EPOCH).await;
        let moment = SystemTime::now() + Duration::from_millis(30);
        come(moment).await;
        assert!(SystemTime::now() >= moment);
    }
}
