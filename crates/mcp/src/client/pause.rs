//! Waits that grow.

use std::time::Duration;

use super::limits::{FIRST_PAUSE, LONGEST_PAUSE};

/// The waits between tries: each is twice the one before, up to a bound.
#[derive(Debug)]
pub(super) struct Pause(Duration);

impl Pause {
    pub(super) fn new() -> Self {
        Self(FIRST_PAUSE)
    }

    pub(super) fn next(&mut self) -> Duration {
        let now = self.0;
        self.0 = (now * 2).min(LONGEST_PAUSE);
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_their_bound() {
        let mut pause = Pause::new();
        let waits: Vec<u128> = (0..8).map(|_| pause.next().as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    }
}
