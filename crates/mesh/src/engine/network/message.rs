//! What nodes of a network tell each other, once they have greeted.

use std::sync::Arc;

use crate::{
    engine::{Control, RowKey},
    wire::bytes::{Reader, length},
};

/// One thing that a node tells another. Several of them make one sealed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    /// A call begins.
    Request {
        /// Its number, of the caller's choice.
        call: u64,
        /// The request.
        frame: Vec<u8>,
    },
    /// A frame of the reply.
    Reply {
        /// The number of the call.
        call: u64,
        /// The frame.
        frame: Vec<u8>,
        /// Nothing follows.
        is_last: bool,
    },
    /// No reply follows any more.
    End {
        /// The number of the call.
        call: u64,
    },
    /// A word of the caller.
    Control {
        /// The number of the call.
        call: u64,
        /// The word.
        control: Control,
    },
    /// A row is there.
    Put {
        /// Which.
        key: RowKey,
        /// What it tells.
        row: Arc<[u8]>,
    },
    /// A row is gone.
    Gone {
        /// Which.
        key: RowKey,
    },
    /// All rows that there were when the nodes met have been told.
    Told,
}

/// Bytes are no messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotUnderstood;

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const LAST_REPLY: u8 = 3;
const END: u8 = 4;
const GRANT: u8 = 5;
const CANCEL: u8 = 6;
const PUT: u8 = 7;
const GONE: u8 = 8;
const TOLD: u8 = 9;

const NODE_ROW: u8 = 0;
const TOOL_ROW: u8 = 1;

impl Message {
    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        // Kind, number and lengths.
        const HEAD: usize = 32;
        let key = |key: &RowKey| match key {
            RowKey::Node => 0,
            RowKey::Tool { tool_id, version } => tool_id.len() + version.len(),
        };
        HEAD + match self {
            Self::Request { frame, .. } | Self::Reply { frame, .. } => frame.len(),
            Self::Put { key: of, row } => key(of) + row.len(),
            Self::Gone { key: of } => key(of),
            Self::End { .. } | Self::Control { .. } | Self::Told => 0,
        }
    }

    /// Appends its bytes; what is too large for the form appends nothing.
    pub(super) fn encode(&self, out: &mut Vec<u8>) -> Result<(), NotUnderstood> {
        let before = out.len();
        self.write(out).inspect_err(|_| out.truncate(before))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), NotUnderstood> {
        match self {
            Self::Request { call, frame } => put_frame(out, REQUEST, *call, frame),
            Self::Reply { call, frame, is_last } => {
                put_frame(out, if *is_last { LAST_REPLY } else { REPLY }, *call, frame)
            }
            Self::End { call } => {
                put_call(out, END, *call);
                Ok(())
            }
            Self::Control { call, control } => {
                match control {
                    Control::Cancel => put_call(out, CANCEL, *call),
                    Control::Grant(credits) => {
                        put_call(out, GRANT, *call);
                        out.extend_from_slice(&credits.to_le_bytes());
                    }
                }
                Ok(())
            }
            Self::Put { key, row } => {
                out.push(PUT);
                put_key(out, key)?;
                put_bytes(out, row)
            }
            Self::Gone { key } => {
                out.push(GONE);
                put_key(out, key)
            }
            Self::Told => {
                out.push(TOLD);
                Ok(())
            }
        }
    }

    /// Reads messages until nothing is left.
    pub(super) fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, NotUnderstood> {
        let mut reader = Reader(bytes);
        let mut messages = Vec::new();
        while !reader.0.is_empty() {
            messages.push(Self::decode(&mut reader)?);
        }
        Ok(messages)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, NotUnderstood> {
        Ok(match reader.byte()? {
            REQUEST => Self::Request {
                call: reader.u64()?,
                frame: bytes(reader)?.to_vec(),
            },
            kind @ (REPLY | LAST_REPLY) => Self::Reply {
                call: reader.u64()?,
                frame: bytes(reader)?.to_vec(),
                is_last: kind == LAST_REPLY,
            },
            END => Self::End { call: reader.u64()? },
            CANCEL => Self::Control {
                call: reader.u64()?,
                control: Control::Cancel,
            },
            GRANT => Self::Control {
                call: reader.u64()?,
                control: Control::Grant(reader.u32()?),
            },
            PUT => Self::Put {
                key: key(reader)?,
                row: Arc::from(bytes(reader)?),
            },
            GONE => Self::Gone { key: key(reader)? },
            TOLD => Self::Told,
            _ => return Err(NotUnderstood),
        })
    }
}

fn put_call(out: &mut Vec<u8>, kind: u8, call: u64) {
    out.push(kind);
    out.extend_from_slice(&call.to_le_bytes());
}

fn put_frame(out: &mut Vec<u8>, kind: u8, call: u64, frame: &[u8]) -> Result<(), NotUnderstood> {
    put_call(out, kind, call);
    put_bytes(out, frame)
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), NotUnderstood> {
    out.extend_from_slice(&length::<u32>(bytes.len())?.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

fn bytes<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], NotUnderstood> {
    let bytes = usize::try_from(reader.u32()?).map_err(|_| NotUnderstood)?;
    Ok(reader.take(bytes)?)
}

fn put_key(out: &mut Vec<u8>, key: &RowKey) -> Result<(), NotUnderstood> {
    match key {
        RowKey::Node => out.push(NODE_ROW),
        RowKey::Tool { tool_id, version } => {
            out.push(TOOL_ROW);
            put_bytes(out, tool_id.as_bytes())?;
            put_bytes(out, version.as_bytes())?;
        }
    }
    Ok(())
}

fn key(reader: &mut Reader<'_>) -> Result<RowKey, NotUnderstood> {
    let text = |reader: &mut Reader<'_>| {
        let text = std::str::from_utf8(bytes(reader)?).map_err(|_| NotUnderstood)?;
        Ok::<_, NotUnderstood>(text.to_owned())
    };
    match reader.byte()? {
        NODE_ROW => Ok(RowKey::Node),
        TOOL_ROW => Ok(RowKey::Tool {
            tool_id: text(reader)?,
            version: text(reader)?,
        }),
        _ => Err(NotUnderstood),
    }
}

impl From<crate::wire::FrameError> for NotUnderstood {
    fn from(_: crate::wire::FrameError) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all() -> Vec<Message> {
        let tool = RowKey::Tool {
            tool_id: "search".into(),
            version: "1.0.0".into(),
        };
        let frame = b"frame".to_vec();
        vec![
            Message::Request {
                call: 1,
                frame: frame.clone(),
            },
            Message::Reply {
                call: u64::MAX,
                frame: frame.clone(),
                is_last: false,
            },
            Message::Reply {
                call: 2,
                frame,
                is_last: true,
            },
            Message::End { call: 3 },
            Message::Control {
                call: 4,
                control: Control::Grant(32),
            },
            Message::Control {
                call: 5,
                control: Control::Cancel,
            },
            Message::Put {
                key: RowKey::Node,
                row: Arc::from(&b"{}"[..]),
            },
            Message::Put {
                key: tool.clone(),
                row: Arc::from(&b"{}"[..]),
            },
            Message::Gone { key: tool },
            Message::Told,
        ]
    }

    fn encode(messages: &[Message]) -> Vec<u8> {
        let mut out = Vec::new();
        for message in messages {
            let before = out.len();
            message.encode(&mut out).unwrap();
            assert!(out.len() - before <= message.size(), "{message:?}");
        }
        out
    }

    #[test]
    fn messages_come_back_as_they_went_many_in_one_text() {
        assert_eq!(Message::decode_all(&encode(&all())), Ok(all()));
    }

    #[test]
    fn messages_that_are_cut_off_are_refused() {
        for message in all() {
            let bytes = encode(&[message]);
            for end in 1..bytes.len() {
                assert_eq!(Message::decode_all(&bytes[..end]), Err(NotUnderstood));
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_are_messages(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(messages) = Message::decode_all(&bytes) {
                prop_assert_eq!(encode(&messages), bytes);
            }
        }
    }
}
