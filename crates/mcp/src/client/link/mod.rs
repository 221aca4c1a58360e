//! One connection to an upstream server.

mod command;
mod events;
mod http;
mod program;
mod spoken;
mod stdio;

use tokio_util::sync::WaitForCancellationFuture;
use toolmesh_json::{ObjectBuilder, Value};

pub(super) use command::Command;
pub(super) use http::{Endpoint, HttpLink};
pub use program::programs_ended;
pub(super) use spoken::{STATELESS, Spoken};
pub(super) use stdio::StdioLink;

use super::{calling::Calling, error::ClientError};

/// A connection, whatever carries it. Dropping it ends it.
pub(super) enum Link {
    Stdio(StdioLink),
    Http(HttpLink),
}

/// Whether a server may ask something because of a request (the 2025 revisions).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// It has no caller who could answer.
    Never,
    /// It may, for a prompt or a resource.
    Seldom,
    /// It may, for a tool.
    Often,
}

/// A request before it has an id.
pub(super) struct Outgoing {
    pub(super) method: &'static str,
    /// Its params, without `_meta`.
    pub(super) params: ObjectBuilder,
    /// Its `_meta`, without the progress token.
    pub(super) meta: ObjectBuilder,
    /// Whether progress is asked for.
    pub(super) progress: bool,
    /// Whether the server may ask something because of it.
    pub(super) asks: Asks,
    /// What it is about: the tool, prompt or resource (header `Mcp-Name`).
    pub(super) name: Option<String>,
    /// Arguments that are repeated in headers, by the suffix of `Mcp-Param-`.
    pub(super) mirrored: Vec<(String, String)>,
}

impl Outgoing {
    pub(super) fn new(method: &'static str, params: ObjectBuilder) -> Self {
        Self {
            method,
            params,
            meta: Value::object(),
            progress: false,
            asks: Asks::Never,
            name: None,
            mirrored: Vec::new(),
        }
    }

    /// The params under the request's id, which is its progress token as well.
    fn with_id(mut self, id: u64) -> Value {
        if self.progress {
            self.meta.insert("progressToken", id);
        }
        if !self.meta.is_empty() {
            self.params.insert("_meta", self.meta);
        }
        self.params.build()
    }
}

impl Link {
    /// Sends a request.
    pub(super) async fn begin(&self, request: Outgoing) -> Result<Calling, ClientError> {
        match self {
            Self::Stdio(link) => link.begin(request).await,
            Self::Http(link) => Ok(link.begin(request)),
        }
    }

    /// Sends a notification.
    pub(super) async fn notify(&self, method: &'static str) -> Result<(), ClientError> {
        match self {
            Self::Stdio(link) => link.notify(method).await,
            Self::Http(link) => link.notify(method).await,
        }
    }

    /// Takes note that a handshake follows, whatever was tried before.
    pub(super) fn begin_session(&self) {
        if let Self::Http(link) = self {
            link.begin_session();
        }
    }

    /// Takes note of what was agreed on.
    pub(super) fn speak(&self, spoken: Spoken) {
        if let Self::Http(link) = self {
            link.speak(spoken);
        }
    }

    /// Opens the stream on which a server tells what belongs to no request, where that is a stream of its own.
    pub(super) fn listen(&self) {
        if let Self::Http(link) = self {
            link.listen();
        }
    }

    /// Ends when the connection has.
    pub(super) fn closed(&self) -> WaitForCancellationFuture<'_> {
        match self {
            Self::Stdio(link) => link.closed(),
            Self::Http(link) => link.closed(),
        }
    }
}
