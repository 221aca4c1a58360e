//! Streamable HTTP: one endpoint. The stateless revision has POST alone; the revisions with a handshake may have sessions
//! ([`session`]) with streams to open (GET) and an end (DELETE).
//!
//! A request passes, in this order: [`head`] (sizes), [`gate`] (host, origin, method, media types), [`auth`] (who asks),
//! [`body`] (bytes within the limit), the envelope, [`select`] (headers, revision, `_meta`), and then the exchange that all transports share. What fails
//! before the envelope is told by [`refusal`], everything after it by the revision's table.

mod address;
mod alarm;
pub mod auth;
mod body;
mod bound;
mod cors;
mod gate;
mod half_closed;
mod head;
mod headers;
mod hosts;
mod keep_alive;
mod options;
mod parameters;
mod patience;
mod refusal;
mod respond;
mod select;
mod service;
mod session;
mod stream;
mod tls;

pub use address::{Network, NetworkError, PeerAddress};
pub use body::ResponseBody;
pub use bound::{BindError, BoundServer};
pub use options::{HttpOptions, MCP_PATH};
pub(super) use parameters::ParameterHeaders;
pub use parameters::UnknownParameters;
pub use service::HttpService;
pub use tls::{TlsError, TlsIdentity};
