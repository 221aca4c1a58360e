//! The beginning of a call.

use super::{
    FrameError, Headers,
    bytes::{Reader, length, put_body, put_headers},
};

/// Longest name of a service in bytes.
pub const MAX_SERVICE_BYTES: usize = 255;

/// A request: service, time that is left in nanoseconds (64 bits, little-endian, 0 for the host's own), flags, headers,
/// body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFrame {
    /// The service: a tool's identifier, or one of the mesh's own.
    pub service: String,
    /// How much time is left, in nanoseconds; 0 leaves it to the host.
    pub deadline_ns: u64,
    /// [`RequestFrame::CLIENT_STREAMING`] when more pieces follow.
    pub flags: u16,
    /// Headers.
    pub headers: Headers,
    /// JSON.
    pub body: Vec<u8>,
}

impl RequestFrame {
    /// The flag of a request that is the first piece of a stream.
    pub const CLIENT_STREAMING: u16 = 0x0010;

    /// The bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        self.encode_within(self.deadline_ns)
    }

    /// The bytes, with another time that is left.
    pub(crate) fn encode_within(&self, deadline_ns: u64) -> Result<Vec<u8>, FrameError> {
        let mut out = Vec::with_capacity(self.body.len() + self.service.len() + 128);
        out.push(length(self.service.len())?);
        out.extend_from_slice(self.service.as_bytes());
        out.extend_from_slice(&deadline_ns.to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
        put_headers(&mut out, &self.headers)?;
        put_body(&mut out, &self.body)?;
        Ok(out)
    }

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`FrameError`] when they are no such frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader(bytes);
        let service_bytes = usize::from(reader.byte()?);
        Ok(Self {
            service: reader.text(service_bytes)?.to_owned(),
            deadline_ns: reader.u64()?,
            flags: reader.u16()?,
            headers: reader.headers()?,
            body: reader.body()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(service: &str) -> RequestFrame {
        RequestFrame {
            service: service.to_owned(),
            deadline_ns: 0,
            flags: 0,
            headers: Headers::new(),
            body: Vec::new(),
        }
    }

    #[test]
    fn a_service_has_a_bound() {
        assert!(request(&"s".repeat(MAX_SERVICE_BYTES)).encode().is_ok());
        let too_long = request(&"s".repeat(MAX_SERVICE_BYTES + 1));
        assert_eq!(too_long.encode(), Err(FrameError::TooLarge));
    }

    proptest! {
        #[test]
        fn a_request_comes_back_as_it_went(
            service in "[a-z._]{0,40}",
            deadline_ns in any::<u64>(),
            value in ".{0,40}",
            body in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut frame = RequestFrame { deadline_ns, body, ..request(&service) };
            frame.headers.add("name", &value).unwrap();
            prop_assert_eq!(RequestFrame::decode(&frame.encode().unwrap()).unwrap(), frame);
        }

        #[test]
        fn any_bytes_are_refused_or_are_one_request(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(frame) = RequestFrame::decode(&bytes) {
                prop_assert_eq!(frame.encode().unwrap(), bytes);
            }
        }
    }
}
