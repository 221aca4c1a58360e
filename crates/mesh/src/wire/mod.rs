//! Frames, headers and status codes: what one call is on the wire, whatever engine carries it.

pub(crate) mod bytes;
mod credit;
mod frame;
mod header;
mod part;
mod request;
mod status;

pub use credit::CREDIT_BYTES;
pub(crate) use credit::{cost, half};
pub use frame::{FrameError, MAX_BODY_BYTES, ReplyFrame, RequestChunk, StreamGrant};
pub(crate) use header::STEERING;
pub use header::{
    HeaderError, Headers, IDEMPOTENCY_KEY, MAX_HEADER_NAME_BYTES, MAX_HEADER_VALUE_BYTES, MAX_HEADERS,
    ON_BEHALF_OF, PART, REPLY_SHAPE, STREAM_WINDOW, STREAMING, VERSION,
};
pub use part::{MAX_ANSWER_BYTES, PART_BYTES};
pub(crate) use part::{Parts, Split};
pub use request::{MAX_SERVICE_BYTES, RequestFrame};
pub use status::{NRPC_TYPED_BAD_REQUEST, NRPC_TYPED_HANDLER_ERROR, Status};
