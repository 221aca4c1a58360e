//! Reading server-sent events from the chunks in which they arrive, bounded.

use std::time::Duration;

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its data; lines are joined by line feeds.
    pub(super) data: Vec<u8>,
}

/// A stream has an event that is larger than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Takes a stream of events apart (HTML Living Standard, 9.2.6).
#[derive(Debug)]
pub(super) struct Events {
    line: Vec<u8>,
    /// The last byte was a carriage return, so that a line feed belongs to it.
    after_return: bool,
    /// Nothing has come yet, so that a byte order mark may.
    at_start: bool,
    event: Event,
    has_data: bool,
    id: Option<String>,
    last_id: Option<String>,
    retry: Option<Duration>,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Events {
    /// Events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            after_return: false,
            at_start: true,
            event: Event::default(),
            has_data: false,
            id: None,
            last_id: None,
            retry: None,
            limit,
        }
    }

    /// Takes a chunk, and gives every event that it ends.
    ///
    /// # Errors
    /// [`TooLarge`] when a line or an event passes the limit.
    pub(super) fn push(&mut self, chunk: &[u8], mut give: impl FnMut(Event)) -> Result<(), TooLarge> {
        let mut rest = chunk;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return)
                && let Some(after) = rest.strip_prefix(b"\n")
            {
                rest = after;
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + part.len() + self.event.data.len() > self.limit {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(part);
            let Some((last, after)) = after.split_first() else {
                break;
            };
            self.after_return = *last == b'\r';
            rest = after;
            if let Some(event) = self.end_line() {
                give(event);
            }
        }
        Ok(())
    }

    /// The id of the last event that had one.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long the server wants its client to wait before it comes again.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut text = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        }
        if text.is_empty() {
            return self.end_event();
        }
        let colon = text.iter().position(|byte| *byte == b':').unwrap_or(text.len());
        let (name, value) = text.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        self.field(name, value.strip_prefix(b" ").unwrap_or(value));
        None
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => self.id = String::from_utf8(value.to_vec()).ok(),
            b"retry" => {
                let milliseconds = str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            _ => {}
        }
    }

    fn end_event(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        if let Some(id) = self.id.take() {
            self.last_id = Some(id).filter(|id| !id.is_empty());
        }
        // An event without data only sets the id.
        (std::mem::take(&mut self.has_data) && !event.data.is_empty()).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(limit: usize, chunks: &[&[u8]]) -> Result<(Vec<String>, Events), TooLarge> {
        let mut events = Events::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            events.push(chunk, |event| {
                found.push(String::from_utf8_lossy(&event.data).into_owned());
            })?;
        }
        Ok((found, events))
    }

    const STREAM: &[u8] =
        "\u{feff}: note\r\nid: 1\r\ndata:\r\n\r\nevent: message\rdata: {\"a\":\rdata:1}\r\rretry: 250\nid:2\ndata: é\n\ndata: lost"
            .as_bytes();

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        let (found, events) = read(100, &[STREAM]).expect("within the limit");
        assert_eq!(found, ["{\"a\":\n1}", "é"]);
        assert_eq!(events.last_id(), Some("2"));
        assert_eq!(events.retry(), Some(Duration::from_millis(250)));
    }

    #[test]
    fn events_come_out_alike_however_they_arrive() {
        let whole = read(100, &[STREAM]).expect("within the limit").0;
        for at in 0..=STREAM.len() {
            let (one, two) = STREAM.split_at(at);
            assert_eq!(read(100, &[one, two]).expect("within the limit").0, whole, "{at}");
        }
        let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(read(100, &bytes).expect("within the limit").0, whole);
    }

    #[test]
    fn an_event_at_the_limit_passes_and_one_byte_more_does_not() {
        // `data:` counts while its line is read.
        assert_eq!(read(8, &[b"data:abc\n\n"]).expect("within").0, ["abc"]);
        assert!(read(8, &[b"data:abcd\n\n"]).is_err());
        assert!(read(12, &[b"data:abc\ndata:de\n\n"]).is_ok());
        assert!(read(9, &[b"data:abc\ndata:de\n\n"]).is_err());
    }

    #[test]
    fn an_event_that_did_not_end_sets_no_id() {
        let (found, events) = read(100, &[b"id: 1\ndata: a\n\nid: 2\ndata: b\n"]).expect("within");
        assert_eq!(found, ["a"]);
        assert_eq!(events.last_id(), Some("1"));
    }
}
