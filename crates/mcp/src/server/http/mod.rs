//! Streamable HTTP: one endpoint, POST only, stateless on every revision.
//!
//! A request passes, in this order: [`gate`] (host, origin, method, media types), [`body`] (bytes within the limit),
//! the envelope, [`select`] (headers, revision, `_meta`), and then the exchange that all transports share. What fails
//! before the envelope is told by [`refusal`], everything after it by the revision's table.

mod body;
mod bound;
mod gate;
mod headers;
mod hosts;
mod options;
mod refusal;
mod respond;
mod select;
mod service;
mod stream;

pub use body::ResponseBody;
pub use bound::{BindError, BoundServer};
pub use options::{HttpOptions, MCP_PATH};
pub use service::HttpService;
