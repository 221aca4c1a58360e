//! The bounds of the client. An upstream server is a stranger: nothing of it is taken without one.

use std::time::Duration;

use toolmesh_json::Limits;

/// Most bytes of one message of an upstream server: 16 MiB, the ceiling of the JSON reader. One line on stdio, one
/// body or event on HTTP.
pub(super) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Most pages of one list: 1,000, so that a server whose cursors go round in a circle is left.
pub(super) const MAX_PAGES: usize = 1_000;

/// Most entries of one list: 100,000, as many as our own server is built for.
pub(super) const MAX_ENTRIES: usize = 100_000;

/// Most messages that wait to be written to a server: 64; then callers wait.
pub(super) const OUTGOING_QUEUE: usize = 64;

/// Most progress reports and questions of one call that wait to be passed on: 64; then reports are dropped, since a
/// later one says more, and questions are refused.
pub(super) const NOTE_QUEUE: usize = 64;

/// Most bytes of all pages of one list: 128 MiB, a kilobyte for each of the most entries and some more.
pub(super) const LIST_BYTES: usize = 128 * 1024 * 1024;

/// Most resources of one server that are followed at once: 256, what our own server lets one client watch.
pub(super) const MAX_FOLLOWED: usize = 256;

/// Most subscriptions that a server is asked for at once: 8, so that many come to an end soon and none floods it.
pub(super) const MAX_SUBSCRIBING: usize = 8;

/// Most messages without a result that are on their way to one HTTP server at once: 64; further ones are dropped, so that
/// a server that asks and never listens costs no more.
pub(super) const MAX_POSTING: usize = 64;

/// How long a server may still ask something for a call that was given up: 5 s, until it has read that and stopped. So long a
/// question that does not say its call is nobody's.
pub(super) const GIVEN_UP_ASKS: Duration = Duration::from_secs(5);

/// How many times as long as a look at the lists took nobody looks again: 9, so that a server whose lists change all the
/// time costs a tenth of it at most.
pub(super) const LOOK_REST: u32 = 9;

/// How many times the time for one page all lists together may take: 5.
pub(super) const LISTS_TIMES: u32 = 5;

/// Most entries of one look that the log tells of one by one: 20; of the others it tells how many they are.
pub(super) const MAX_TOLD: usize = 20;

/// Most calls that wait for a person's answer: 64 for each upstream server; they hold a place at both ends.
pub(super) const MAX_PARKED: usize = 64;

/// Longest time that a call waits for a person's answer: 5 min.
pub(super) const PARKED_FOR: Duration = Duration::from_secs(300);

/// Longest time for a server to start and to tell what it has: 60 s, because package runners download first.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Longest time for a server on stdio to say whether it knows the stateless revision: 5 s; one that does not answer
/// what it does not know is asked by a handshake then.
pub(super) const DISCOVER_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest time for a TCP and TLS connection: 10 s.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time for a message that needs no result (a notification, an answer, the end of a session): 10 s.
pub(super) const NOTICE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a program may take to end after its standard input was closed: 2 s; then it is killed.
pub(super) const EXIT_GRACE: Duration = Duration::from_secs(2);

/// The first wait before a lost server is started or reached again: 500 ms; it doubles each time.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest such wait: 30 s.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A connection that lasted this long was a good one, so that the waits begin anew: 60 s.
pub(super) const STEADY_AFTER: Duration = Duration::from_secs(60);

/// How long after a change the lists are asked for: 50 ms, so that a burst of changes is one look.
pub(super) const SETTLE: Duration = Duration::from_millis(50);

/// How often one answer is taken up again after its stream broke off: 16 times.
pub(super) const MAX_RESUMES: u32 = 16;

/// The wait before a stream is taken up again, unless the server names another: 1 s.
pub(super) const RESUME_PAUSE: Duration = Duration::from_secs(1);

/// The shortest wait before a stream is taken up again, whatever the server names: 10 ms.
pub(super) const SHORTEST_RESUME_PAUSE: Duration = Duration::from_millis(10);

/// The longest wait that a server may ask for: 30 s.
pub(super) const LONGEST_RESUME_PAUSE: Duration = Duration::from_secs(30);

/// Most bytes of an upstream server's own sentence that are passed on: 2 KiB.
pub(super) const MAX_FOREIGN_TEXT: usize = 2_048;

/// The bounds of a message's JSON: as many values and as long texts as the reader knows, since a server's whole catalogue, or
/// a picture, comes in one message.
pub(super) fn json() -> Limits {
    let usual = Limits::default();
    let limits = usual
        .with_bytes(MESSAGE_BYTES)
        .and_then(|limits| limits.with_nodes(Limits::MAX_NODES))
        .and_then(|limits| limits.with_string_units(Limits::MAX_STRING_UNITS))
        .and_then(|limits| limits.with_token_units(Limits::MAX_TOKEN_UNITS));
    limits.unwrap_or(usual)
}

/// The beginning of a stranger's text, at most [`MAX_FOREIGN_TEXT`] bytes.
pub(super) fn shortened(text: &str) -> &str {
    let mut end = text.len().min(MAX_FOREIGN_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_is_cut_at_its_bound_between_characters() {
        assert_eq!(shortened(&"a".repeat(MAX_FOREIGN_TEXT)).len(), MAX_FOREIGN_TEXT);
        assert_eq!(
            shortened(&"a".repeat(MAX_FOREIGN_TEXT + 1)).len(),
            MAX_FOREIGN_TEXT
        );
        let text = format!("{}é", "a".repeat(MAX_FOREIGN_TEXT - 1));
        assert_eq!(shortened(&text).len(), MAX_FOREIGN_TEXT - 1);
    }

    #[test]
    fn a_message_may_have_sixteen_mebibytes() {
        let limits = json();
        assert_eq!((limits.bytes(), limits.nodes()), (MESSAGE_BYTES, 1_000_000));
        assert_eq!((limits.string_units(), limits.token_units()), (4 << 20, 4 << 20));
    }
}
