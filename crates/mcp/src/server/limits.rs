//! The bounds of the server, whatever the transport.

use std::time::Duration;

use toolmesh_json::{LimitError, Limits};

/// Most bytes of one incoming message: 10 MiB. One line on stdio, one body on HTTP.
pub const DEFAULT_MESSAGE_BYTES: usize = 10 * 1024 * 1024;

/// Most bytes of one answer: 4 MiB, so that a tool cannot flood its client.
pub const DEFAULT_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Most entries on one page of a list: more than usual catalogues have, since some clients read one page only.
pub const DEFAULT_PAGE_ENTRIES: usize = 1_000;

/// A page ends after the entry that passes this many bytes: 1 MiB, well under the bound of an answer.
pub const DEFAULT_PAGE_BYTES: usize = 1024 * 1024;

/// Most calls of one stdio connection that run at once: what the dispatcher runs by default.
pub const DEFAULT_RUNNING: usize = 32;

/// Most calls of one stdio connection that wait for one of those places; then the server stops reading.
pub const DEFAULT_WAITING: usize = 128;

/// Most subscriptions (`subscriptions/listen`) that last at once, over all connections: each holds a stream open and
/// watches the catalogue.
pub const MAX_LISTENING: usize = 1_024;

/// Most subscriptions of one caller that last at once: 64. A client needs one or two, a gateway perhaps one for each of its
/// users; fifteen others like it still have as many.
pub const MAX_LISTENING_EACH: usize = 64;

/// How long calls of a stdio connection may go on after the server was told to stop: 10 s, the patience of usual process
/// managers.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(10);

/// The bounds of the server. Every bound is checked before the memory is taken.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    pub(super) json: Limits,
    /// What one answer may be: as JSON it is no more than a reader with the usual limits takes.
    pub(super) answer: Limits,
    pub(super) page_entries: usize,
    pub(super) page_bytes: usize,
    pub(super) running: usize,
    pub(super) waiting: usize,
    pub(super) grace: Duration,
}

impl ServerLimits {
    /// Sets the most bytes of one incoming message.
    ///
    /// # Errors
    /// [`LimitError`] above the ceiling of the JSON reader (16 MiB).
    pub fn with_message_bytes(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.json = self.json.with_bytes(bytes)?;
        Ok(self)
    }

    /// Sets the most bytes of one answer, up to the ceiling of the JSON reader (16 MiB), above which nobody could read it.
    #[must_use]
    pub fn with_answer_bytes(mut self, bytes: usize) -> Self {
        self.answer = answer(bytes);
        self
    }

    /// Sets the most entries on one page of a list; at least 1.
    #[must_use]
    pub fn with_page_entries(mut self, entries: usize) -> Self {
        self.page_entries = entries.max(1);
        self
    }

    /// Sets after how many bytes a page of a list ends; a page has at least one entry.
    #[must_use]
    pub fn with_page_bytes(mut self, bytes: usize) -> Self {
        self.page_bytes = bytes;
        self
    }

    /// Sets how many calls of one stdio connection run (at least 1) and wait.
    #[must_use]
    pub fn with_calls(mut self, running: usize, waiting: usize) -> Self {
        self.running = running.max(1);
        self.waiting = waiting;
        self
    }

    /// Sets how long calls of a stdio connection may go on after the server was told to stop.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

impl Default for ServerLimits {
    fn default() -> Self {
        let json = Limits::default();
        Self {
            json: json.with_bytes(DEFAULT_MESSAGE_BYTES).unwrap_or(json),
            answer: answer(DEFAULT_ANSWER_BYTES),
            page_entries: DEFAULT_PAGE_ENTRIES,
            page_bytes: DEFAULT_PAGE_BYTES,
            running: DEFAULT_RUNNING,
            waiting: DEFAULT_WAITING,
            grace: DEFAULT_GRACE,
        }
    }
}

/// The limits of an answer of so many bytes. No answer has one byte, so that the least stands for none.
fn answer(bytes: usize) -> Limits {
    let usual = Limits::default();
    usual
        .with_bytes(bytes.clamp(1, Limits::MAX_BYTES))
        .unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_may_have_ten_mebibytes_by_default_and_sixteen_at_most() {
        assert_eq!(ServerLimits::default().json.bytes(), DEFAULT_MESSAGE_BYTES);
        assert!(
            ServerLimits::default()
                .with_message_bytes(16 * 1024 * 1024)
                .is_ok()
        );
        assert!(
            ServerLimits::default()
                .with_message_bytes(16 * 1024 * 1024 + 1)
                .is_err()
        );
    }
    #[test]
    fn an_answer_may_have_four_mebibytes_by_default_and_sixteen_at_most() {
        let most = |bytes| ServerLimits::default().with_answer_bytes(bytes).answer.bytes();
        assert_eq!(ServerLimits::default().answer.bytes(), DEFAULT_ANSWER_BYTES);
        assert_eq!(most(16 * 1024 * 1024), 16 * 1024 * 1024);
        assert_eq!(most(usize::MAX), 16 * 1024 * 1024);
        assert_eq!(most(0), 1);
    }
}
