//! Answers that are too large for one frame go in parts.

use super::{FrameError, PART, ReplyFrame, Status};

/// Largest body of one reply frame, in bytes: each frame costs its caller's reader a credit, so that the window of a call
/// bounds what is under way in bytes too.
pub const PART_BYTES: usize = 1 << 20;

/// Largest answer, and largest event, in bytes, over all its parts: a large table or a film's frame fits, and one caller with
/// a few of them does not fill the memory of a machine.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;

const MORE: &str = "more";
const LAST: &str = "last";

/// The frames of a reply, none with a body of more than [`PART_BYTES`]; each is made when it is asked for. Every frame has the
/// status and the headers of the whole.
#[derive(Debug)]
pub(crate) struct Split {
    reply: ReplyFrame,
    /// Where the next part begins; `None` when all are made.
    at: Option<usize>,
}

impl Split {
    /// # Errors
    /// [`FrameError::TooLarge`] for more than [`MAX_ANSWER_BYTES`].
    pub(crate) fn new(reply: ReplyFrame) -> Result<Self, FrameError> {
        if reply.body.len() > MAX_ANSWER_BYTES {
            return Err(FrameError::TooLarge);
        }
        Ok(Self { reply, at: Some(0) })
    }
}

impl Iterator for Split {
    type Item = Result<Vec<u8>, FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        if self.reply.body.len() <= PART_BYTES {
            return Some(self.reply.encode());
        }
        let left = self.reply.body.get(at..).unwrap_or_default();
        let (part, rest) = left.split_at_checked(PART_BYTES).unwrap_or((left, &[]));
        let place = if rest.is_empty() { LAST } else { MORE };
        let mut headers = self.reply.headers.clone();
        if let Err(error) = headers.add(PART, place) {
            return Some(Err(error.into()));
        }
        let frame = ReplyFrame {
            status: self.reply.status,
            headers,
            body: part.to_vec(),
        };
        self.at = (!rest.is_empty()).then_some(at + PART_BYTES);
        Some(frame.encode())
    }
}

/// Puts parts together again.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    begun: Option<ReplyFrame>,
}

impl Parts {
    /// Takes the next frame; gives the reply when it is whole.
    ///
    /// # Errors
    /// [`FrameError`] when the frame is none, does not continue what was begun, or is too much.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Option<ReplyFrame>, FrameError> {
        let frame = ReplyFrame::decode(bytes)?;
        if frame.body.len() > PART_BYTES {
            return Err(FrameError::TooLarge);
        }
        let is_last = match frame.headers.get(PART) {
            None => return self.whole(frame),
            Some(MORE) => false,
            Some(LAST) => true,
            Some(_) => return Err(FrameError::Parts),
        };
        if frame.body.is_empty() {
            return Err(FrameError::Parts);
        }
        let joined = self.join(frame)?;
        if is_last {
            return Ok(Some(joined));
        }
        self.begun = Some(joined);
        Ok(None)
    }

    /// A frame that is a reply by itself. In the middle of another only a failure may come: the host gave up.
    fn whole(&mut self, frame: ReplyFrame) -> Result<Option<ReplyFrame>, FrameError> {
        if self.begun.take().is_some() && frame.status == Status::Ok {
            return Err(FrameError::Parts);
        }
        Ok(Some(frame))
    }

    fn join(&mut self, part: ReplyFrame) -> Result<ReplyFrame, FrameError> {
        let Some(mut begun) = self.begun.take() else {
            return Ok(part);
        };
        if begun.status != part.status {
            return Err(FrameError::Parts);
        }
        if begun.body.len() + part.body.len() > MAX_ANSWER_BYTES {
            return Err(FrameError::TooLarge);
        }
        begun.body.extend_from_slice(&part.body);
        begun.headers = part.headers;
        Ok(begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Headers;

    fn reply(bytes: usize) -> ReplyFrame {
        ReplyFrame {
            status: Status::Ok,
            headers: Headers::new(),
            body: (0..bytes).map(|at| u8::try_from(at % 251).unwrap()).collect(),
        }
    }

    fn part(place: &str, bytes: usize) -> Vec<u8> {
        let mut part = reply(bytes);
        part.headers.add(PART, place).unwrap();
        part.encode().unwrap()
    }

    #[test]
    fn a_reply_comes_together_as_it_was_split() {
        for (bytes, frames) in [(0, 1), (PART_BYTES, 1), (PART_BYTES + 1, 2), (3 * PART_BYTES, 3)] {
            let split: Vec<_> = Split::new(reply(bytes)).unwrap().map(Result::unwrap).collect();
            assert_eq!(split.len(), frames, "{bytes}");
            let mut parts = Parts::default();
            let (last, before) = split.split_last().unwrap();
            for frame in before {
                assert_eq!(parts.take(frame), Ok(None));
            }
            let whole = parts.take(last).unwrap().unwrap();
            assert!(whole.body == reply(bytes).body, "{bytes}");
        }
    }

    #[test]
    fn an_answer_has_a_bound_in_both_directions() {
        assert_eq!(Split::new(reply(MAX_ANSWER_BYTES)).unwrap().count(), 64);
        let too_large = Split::new(reply(MAX_ANSWER_BYTES + 1));
        assert_eq!(too_large.unwrap_err(), FrameError::TooLarge);
        let mut parts = Parts::default();
        for _ in 0..MAX_ANSWER_BYTES / PART_BYTES {
            assert_eq!(parts.take(&part("more", PART_BYTES)), Ok(None));
        }
        assert_eq!(parts.take(&part("last", 1)), Err(FrameError::TooLarge));
        let mut too_large = Parts::default();
        assert_eq!(too_large.take(&part("more", PART_BYTES)), Ok(None));
        let refused = too_large.take(&part("more", PART_BYTES + 1));
        assert_eq!(refused, Err(FrameError::TooLarge));
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let begun = || {
            let mut parts = Parts::default();
            assert_eq!(parts.take(&part("more", 1)), Ok(None));
            parts
        };
        // Another reply in the middle, an empty part, which costs nothing and never ends, and a place that is none.
        assert_eq!(begun().take(&reply(1).encode().unwrap()), Err(FrameError::Parts));
        assert_eq!(begun().take(&part("more", 0)), Err(FrameError::Parts));
        assert_eq!(begun().take(&part("first", 1)), Err(FrameError::Parts));
        let mut failed = reply(1);
        failed.status = Status::Internal;
        assert_eq!(begun().take(&failed.encode().unwrap()), Ok(Some(failed.clone())));
        failed.headers.add(PART, "last").unwrap();
        assert_eq!(begun().take(&failed.encode().unwrap()), Err(FrameError::Parts));
    }
}
