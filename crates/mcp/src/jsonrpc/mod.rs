//! JSON-RPC 2.0 as MCP uses it: single objects only, ids that are strings or integers, params that are objects.

mod envelope;
mod id;
mod peek;
mod response;

pub(crate) use envelope::{EnvelopeError, Message, Notification, Request, Response, RpcError, read};
pub(crate) use id::RequestId;
pub(crate) use peek::peek_id;
pub(crate) use response::{UnreadableId, begin_result, end_result, write_error, write_notification};
