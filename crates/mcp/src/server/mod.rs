//! The server: one set of methods, reached over stdio or HTTP.
//!
//! A transport reads bytes into a checked envelope, selects the revision, and makes an `exchange::Exchange`; the
//! exchange answers by the revision's table. Everything after the envelope is the same for every transport.

pub mod limits;

mod asking;
mod capabilities;
mod changes;
mod client_facts;
mod exchange;
mod expiry;
mod fault;
mod http;
mod info;
mod listening;
mod method;
mod mirror;
mod outgoing;
mod page;
mod peer;
mod progress;
mod stdio;
mod telling;

use std::{future::Future, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};
use toolmesh_json::Value;
use toolmesh_tool::Dispatcher;

pub use http::{
    BindError, BoundServer, HttpOptions, HttpService, MCP_PATH, Network, NetworkError, PeerAddress,
    ResponseBody, TlsError, TlsIdentity, UnknownParameters, auth,
};
pub use info::ServerInfo;
pub use limits::ServerLimits;
pub use stdio::ServeError;

use crate::{revision::ServerForm, wire::write_server};
use listening::Listening;
use method::compact::{CALL, Compact};

/// An MCP server over a dispatcher. Cheap to clone; clones are one server.
#[derive(Clone)]
pub struct McpServer {
    inner: Arc<Inner>,
}

struct Inner {
    dispatcher: Dispatcher,
    info: ServerInfo,
    limits: ServerLimits,
    /// The server's description as JSON, in the short and in the full form.
    described: (Vec<u8>, Vec<u8>),
    /// Places of subscriptions that last.
    listening: Listening,
    /// The tools that stand for the catalogue, when it is not listed itself.
    compact: Option<Arc<Compact>>,
}

impl McpServer {
    /// A server that offers what `dispatcher` lets its callers see, with the default limits.
    #[must_use]
    pub fn new(dispatcher: Dispatcher, info: ServerInfo) -> Self {
        Self::with_limits(dispatcher, info, ServerLimits::default())
    }

    /// A server with its own limits.
    #[must_use]
    pub fn with_limits(dispatcher: Dispatcher, info: ServerInfo, limits: ServerLimits) -> Self {
        let describe = |form| {
            let mut out = Vec::new();
            write_server(&mut out, &info, form);
            out
        };
        let described = (describe(ServerForm::Short), describe(ServerForm::Full));
        Self {
            inner: Arc::new(Inner {
                dispatcher,
                info,
                limits,
                described,
                listening: Listening::default(),
                compact: None,
            }),
        }
    }

    /// The same server with `search_tools`, `describe_tool` and `call_tool` in place of the list of tools, so that a
    /// catalogue of hundreds does not fill a model's context. A tool may still be called by its own name.
    ///
    /// To be said before the server serves: clones that serve already stay as they are.
    #[must_use]
    pub fn compact(self) -> Self {
        let Inner {
            dispatcher,
            info,
            limits,
            described,
            listening,
            ..
        } = &*self.inner;
        Self {
            inner: Arc::new(Inner {
                dispatcher: dispatcher.clone(),
                info: info.clone(),
                limits: *limits,
                described: described.clone(),
                listening: listening.clone(),
                compact: Compact::new().map(Arc::new),
            }),
        }
    }

    /// Serves this process's standard input and output until the input ends; running calls are finished first.
    ///
    /// Nothing else may write to standard output meanwhile.
    ///
    /// # Errors
    /// [`ServeError`] when reading or writing fails. A client that closes its end is no failure.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve_stdio_until(std::future::pending()).await
    }

    /// As [`Self::serve_stdio`], until the input ends or `stop` does: then no message is read any more, calls under way
    /// are finished, and those that are not within the grace time ([`ServerLimits::with_grace`]) are answered with an
    /// error.
    ///
    /// It is served in a task of its own: a thread of the runtime that waits for input then goes on with it, and does not
    /// hand it over to the thread that waits for this. Dropping the future ends the task.
    ///
    /// # Errors
    /// As [`Self::serve_stdio`].
    pub async fn serve_stdio_until(
        &self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let server = self.clone();
        let (reader, writer, awake) = stdio::open();
        let mut serving = JoinSet::new();
        serving.spawn(async move { stdio::serve(&server, reader, writer, awake, stop).await });
        match serving.join_next().await {
            Some(Ok(served)) => served,
            Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime ends.
            Some(Err(_)) | None => Ok(()),
        }
    }

    /// Serves one connection, one message a line, until `reader` ends; running calls are finished first.
    ///
    /// # Errors
    /// As [`Self::serve_stdio`].
    pub async fn serve_io(
        &self,
        reader: impl AsyncRead + Unpin + Send,
        writer: impl AsyncWrite + Unpin + Send,
    ) -> Result<(), ServeError> {
        self.serve_io_until(reader, writer, std::future::pending()).await
    }

    /// As [`Self::serve_io`], until the input ends or `stop` does; see [`Self::serve_stdio_until`].
    ///
    /// # Errors
    /// As [`Self::serve_stdio`].
    pub async fn serve_io_until(
        &self,
        reader: impl AsyncRead + Unpin + Send,
        writer: impl AsyncWrite + Unpin + Send,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        stdio::serve(self, reader, writer, stdio::Awake::default(), stop).await
    }

    /// The Streamable HTTP endpoint as a [`tower::Service`], to be mounted in a router of one's own.
    ///
    /// Without a listener of its own it takes the loopback names as hosts unless the options name others.
    #[must_use]
    pub fn http_service(&self, options: HttpOptions) -> HttpService {
        HttpService::new(self.clone(), options, None)
    }

    /// Binds `address` and prepares to serve Streamable HTTP there.
    ///
    /// # Errors
    /// [`BindError`] when the address cannot be bound, or is not a loopback address and no allowed hosts are given.
    pub async fn bind_http(
        &self,
        address: SocketAddr,
        options: HttpOptions,
    ) -> Result<BoundServer, BindError> {
        BoundServer::bind(self.clone(), address, options).await
    }

    /// The dispatcher behind this server.
    #[must_use]
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.inner.dispatcher
    }

    /// What the server says of itself.
    #[must_use]
    pub fn info(&self) -> &ServerInfo {
        &self.inner.info
    }

    fn listening(&self) -> &Listening {
        &self.inner.listening
    }

    fn compact_form(&self) -> Option<&Arc<Compact>> {
        self.inner.compact.as_ref()
    }

    /// The name of the tool that the params of a `tools/call` call in the end.
    fn called<'a>(&self, params: Option<&'a Value>) -> Option<&'a str> {
        let name = params?.get("name")?.as_str()?;
        match self.compact_form() {
            Some(_) if name == CALL => params?.pointer("/arguments/name")?.as_str(),
            _ => Some(name),
        }
    }

    fn limits(&self) -> &ServerLimits {
        &self.inner.limits
    }

    fn described(&self, form: ServerForm) -> &[u8] {
        match form {
            ServerForm::Short => &self.inner.described.0,
            ServerForm::Full => &self.inner.described.1,
        }
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServer")
            .field("info", &self.inner.info)
            .finish_non_exhaustive()
    }
}
