//! Reading and writing the parts of a frame.

use super::{FrameError, Headers, MAX_BODY_BYTES};

/// What is left to read of a frame.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, bytes: usize) -> Result<&'a [u8], FrameError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(FrameError::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        self.take(N)?.try_into().map_err(|_| FrameError::Short)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, FrameError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, FrameError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, FrameError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u32_big_endian(&mut self) -> Result<u32, FrameError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, FrameError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn text(&mut self, bytes: usize) -> Result<&'a str, FrameError> {
        std::str::from_utf8(self.take(bytes)?).map_err(|_| FrameError::Text)
    }

    pub(super) fn headers(&mut self) -> Result<Headers, FrameError> {
        let mut headers = Headers::new();
        for _ in 0..self.byte()? {
            let name_bytes = usize::from(self.byte()?);
            let name = self.text(name_bytes)?;
            let value_bytes = usize::from(self.u16()?);
            headers.add(name, self.text(value_bytes)?)?;
        }
        Ok(headers)
    }

    /// The body, which is the last part.
    pub(super) fn body(mut self) -> Result<Vec<u8>, FrameError> {
        let bytes = usize::try_from(self.u32()?).unwrap_or(usize::MAX);
        if bytes > MAX_BODY_BYTES {
            return Err(FrameError::TooLarge);
        }
        let body = self.take(bytes)?.to_vec();
        self.end()?;
        Ok(body)
    }

    pub(crate) fn end(self) -> Result<(), FrameError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(FrameError::Trailing)
        }
    }
}

pub(super) fn put_headers(out: &mut Vec<u8>, headers: &Headers) -> Result<(), FrameError> {
    out.push(length(headers.iter().len())?);
    for (name, value) in headers.iter() {
        out.push(length(name.len())?);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&length::<u16>(value.len())?.to_le_bytes());
        out.extend_from_slice(value.as_bytes());
    }
    Ok(())
}

pub(super) fn put_body(out: &mut Vec<u8>, body: &[u8]) -> Result<(), FrameError> {
    if body.len() > MAX_BODY_BYTES {
        return Err(FrameError::TooLarge);
    }
    out.extend_from_slice(&length::<u32>(body.len())?.to_le_bytes());
    out.extend_from_slice(body);
    Ok(())
}

pub(crate) fn length<T: TryFrom<usize>>(bytes: usize) -> Result<T, FrameError> {
    T::try_from(bytes).map_err(|_| FrameError::TooLarge)
}
