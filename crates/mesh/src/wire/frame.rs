//! What goes back and forth after a request.

use super::{
    HeaderError, Headers, Status,
    bytes::{Reader, put_body, put_headers},
};

/// Largest body of a frame in bytes: the largest JSON document that this library reads.
pub const MAX_BODY_BYTES: usize = toolmesh_json::Limits::MAX_BYTES;

/// Why bytes are no frame, or a frame has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes end before the frame does.
    #[error("the frame is cut off")]
    Short,
    /// Something follows the frame.
    #[error("something follows the frame")]
    Trailing,
    /// A name, a value or a service is not UTF-8.
    #[error("a text of the frame is not UTF-8")]
    Text,
    /// A part is larger than it may be.
    #[error("a part of the frame is too large; a body has at most {MAX_BODY_BYTES} bytes")]
    TooLarge,
    /// The parts of an answer do not belong together.
    #[error("the parts of the answer do not belong together")]
    Parts,
    /// A header does not fit.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// An answer, or one chunk of a stream: status (16 bits, little-endian), headers, body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyFrame {
    /// How the call ended, or that it goes on.
    pub status: Status,
    /// Headers.
    pub headers: Headers,
    /// JSON when the status is [`Status::Ok`], else a text for people.
    pub body: Vec<u8>,
}

impl ReplyFrame {
    /// The bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        let mut out = Vec::with_capacity(self.body.len() + 64);
        out.extend_from_slice(&self.status.code().to_le_bytes());
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
        Ok(Self {
            status: Status::from_code(reader.u16()?),
            headers: reader.headers()?,
            body: reader.body()?,
        })
    }
}

/// A further piece of a request that is a stream: call (64 bits, little-endian), flags, headers, body. Tools do not take
/// streams; the frame is here because its form is shared with other programs of the tool mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestChunk {
    /// The call.
    pub call: u64,
    /// [`RequestChunk::END`] on the last piece.
    pub flags: u16,
    /// Headers.
    pub headers: Headers,
    /// The piece.
    pub body: Vec<u8>,
}

impl RequestChunk {
    /// The flag of the last piece.
    pub const END: u16 = 0x0020;

    /// The bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        let mut out = self.call.to_le_bytes().to_vec();
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
        Ok(Self {
            call: reader.u64()?,
            flags: reader.u16()?,
            headers: reader.headers()?,
            body: reader.body()?,
        })
    }
}

/// Leave to send more chunks: call (64 bits, little-endian), credits (32 bits, big-endian).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamGrant {
    /// The call.
    pub call: u64,
    /// How many more chunks.
    pub credits: u32,
}

impl StreamGrant {
    /// The bytes.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let mut out = self.call.to_le_bytes().to_vec();
        out.extend_from_slice(&self.credits.to_be_bytes());
        out
    }

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`FrameError`] when they are no such frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader(bytes);
        let grant = Self {
            call: reader.u64()?,
            credits: reader.u32_big_endian()?,
        };
        reader.end()?;
        Ok(grant)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reply(body: Vec<u8>) -> ReplyFrame {
        let mut headers = Headers::new();
        headers.add("nrpc-streaming", "continue").unwrap();
        ReplyFrame {
            status: Status::Ok,
            headers,
            body,
        }
    }

    #[test]
    fn a_body_has_a_bound_in_both_directions() {
        let largest = reply(vec![b' '; MAX_BODY_BYTES]).encode().unwrap();
        assert!(ReplyFrame::decode(&largest).is_ok());
        let too_large = reply(vec![b' '; MAX_BODY_BYTES + 1]);
        assert_eq!(too_large.encode(), Err(FrameError::TooLarge));
        let mut claims_more = vec![0, 0, 0];
        claims_more.extend_from_slice(&u32::try_from(MAX_BODY_BYTES + 1).unwrap().to_le_bytes());
        assert_eq!(ReplyFrame::decode(&claims_more), Err(FrameError::TooLarge));
    }

    #[test]
    fn a_frame_that_is_cut_off_or_followed_by_something_is_refused() {
        let bytes = reply(b"{}".to_vec()).encode().unwrap();
        assert_eq!(
            ReplyFrame::decode(&bytes[..bytes.len() - 1]),
            Err(FrameError::Short)
        );
        assert_eq!(
            ReplyFrame::decode(&[bytes, vec![0]].concat()),
            Err(FrameError::Trailing)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_are_one_frame(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(frame) = ReplyFrame::decode(&bytes) {
                let again = frame.encode().unwrap();
                prop_assert_eq!(ReplyFrame::decode(&again).unwrap(), frame);
            }
            let _ = RequestChunk::decode(&bytes);
            let _ = StreamGrant::decode(&bytes);
        }
    }
}
