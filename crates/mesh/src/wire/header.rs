//! The headers of a frame.

/// Most headers of one frame.
pub const MAX_HEADERS: usize = 32;

/// Longest name of a header in bytes.
pub const MAX_HEADER_NAME_BYTES: usize = 64;

/// Longest value of a header in bytes.
pub const MAX_HEADER_VALUE_BYTES: usize = 4_096;

/// Of a request: how many frames the host may send before it is granted more.
pub const STREAM_WINDOW: &str = "nrpc-stream-window-initial";

/// Of a chunk: `continue`, or `end` for the last one.
pub const STREAMING: &str = "nrpc-streaming";

/// Of a frame that is part of an answer or event: `more`, or `last`.
pub const PART: &str = "toolmesh-part";

/// Of a request: `stream` when events are wanted, absent for one answer.
pub const REPLY_SHAPE: &str = "toolmesh-reply";

/// Of a request: the exact version of the tool.
pub const VERSION: &str = "toolmesh-version";

/// Of a request: the same for every retry of one logical call.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Of a request: for whom the node calls, when not for itself: `{"identity": TEXT, "partition": TEXT, "gateways": [TEXT..]}`,
/// without `identity` for a client that has none.
pub const ON_BEHALF_OF: &str = "toolmesh-on-behalf-of";

/// The headers that steer a call. The mesh alone writes them, and no handler sees them.
pub(crate) const STEERING: [&str; 5] = [REPLY_SHAPE, STREAM_WINDOW, VERSION, IDEMPOTENCY_KEY, ON_BEHALF_OF];

/// The headers of a frame: names in lower case, in order; of two with one name the first counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

/// Why a header does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// There are [`MAX_HEADERS`] already.
    #[error("a frame has at most {MAX_HEADERS} headers")]
    TooMany,
    /// The name is empty, too long, or not made of small letters, digits and `-`.
    #[error("a header's name is 1 to {MAX_HEADER_NAME_BYTES} of a-z, 0-9 and -")]
    Name,
    /// The value is too long.
    #[error("a header's value has at most {MAX_HEADER_VALUE_BYTES} bytes")]
    Value,
}

impl Headers {
    /// No headers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    ///
    /// # Errors
    /// [`HeaderError`] when it does not fit.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let is_name = |b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if self.0.len() >= MAX_HEADERS {
            return Err(HeaderError::TooMany);
        }
        if name.is_empty() || name.len() > MAX_HEADER_NAME_BYTES || !name.bytes().all(is_name) {
            return Err(HeaderError::Name);
        }
        if value.len() > MAX_HEADER_VALUE_BYTES {
            return Err(HeaderError::Value);
        }
        self.0.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The first of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// All of them, to hand on.
    #[must_use]
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_bounded_and_the_first_of_a_name_counts() {
        let mut headers = Headers::new();
        headers.add("a", "1").unwrap();
        headers.add("a", "2").unwrap();
        assert_eq!(headers.get("a"), Some("1"));
        headers.add(&"n".repeat(MAX_HEADER_NAME_BYTES), "").unwrap();
        headers.add("v", &"v".repeat(MAX_HEADER_VALUE_BYTES)).unwrap();
        for name in ["", "A", "a b", &"n".repeat(MAX_HEADER_NAME_BYTES + 1)] {
            assert_eq!(headers.add(name, ""), Err(HeaderError::Name), "{name}");
        }
        let long = "v".repeat(MAX_HEADER_VALUE_BYTES + 1);
        assert_eq!(headers.add("w", &long), Err(HeaderError::Value));
        let there = headers.iter().len();
        for _ in there..MAX_HEADERS {
            headers.add("x", "").unwrap();
        }
        assert_eq!(headers.add("x", ""), Err(HeaderError::TooMany));
    }
}
