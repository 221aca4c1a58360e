//! The client of one node.

use tokio::sync::OnceCell;
use toolmesh_json::Value;

use super::{
    Call, Discovered, NodeError, NodeSettings,
    discover::{discover, handoff},
    http::{Http, Reply, Request, Socket, Stream},
    rpc::{execute_request, output},
    session::Session,
};

/// A node. Nothing is asked before the first request: a node may start after its client.
#[derive(Debug)]
pub struct Node {
    settings: NodeSettings,
    connection: OnceCell<Connection>,
}

#[derive(Debug)]
struct Connection {
    found: Discovered,
    http: Http,
    session: Session,
}

impl Node {
    /// A node that is found by these settings when it is first asked.
    #[must_use]
    pub fn new(settings: NodeSettings) -> Self {
        Self {
            settings,
            connection: OnceCell::new(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &NodeSettings {
        &self.settings
    }

    /// Where the node is.
    ///
    /// # Errors
    /// [`NodeError`] when none is found; the next request looks again.
    pub async fn found(&self) -> Result<&Discovered, NodeError> {
        Ok(&self.connection().await?.found)
    }

    /// How it logs in: `handoff`, `token`, `credentials` or `none`.
    ///
    /// # Errors
    /// As [`Node::found`].
    pub async fn auth_mode(&self) -> Result<&'static str, NodeError> {
        Ok(self.connection().await?.session.mode())
    }

    async fn connection(&self) -> Result<&Connection, NodeError> {
        self.connection
            .get_or_try_init(|| async {
                let found = discover(&self.settings).await?;
                let http = Http::new(&found.url, self.settings.timeout)?;
                // What was handed over is for its own node alone.
                let handoff = handoff(&self.settings).filter(|handoff| handoff.url == found.url);
                let session = Session::new(&self.settings, handoff.as_ref(), &found.url);
                Ok(Connection { found, http, session })
            })
            .await
    }

    /// Executes a method in a context.
    ///
    /// # Errors
    /// [`NodeError`]: the application's own error, the node's, or that it cannot be reached.
    pub async fn execute(
        &self,
        context: &str,
        method: &str,
        arguments: &Value,
        traceparent: Option<&str>,
    ) -> Result<Value, NodeError> {
        let request = Request {
            traceparent: traceparent.map(str::to_owned),
            ..Request::post("/jsonrpc", &execute_request(context, method, arguments))
        };
        let reply = self.send(&request).await?;
        if !reply.is_success() {
            return Err(reply.failure());
        }
        output(&reply.json()?)
    }

    /// Makes one call of the administrative interface; what it gives back, out of its envelope.
    pub(crate) async fn ask(&self, call: Call, traceparent: Option<&str>) -> Result<Value, NodeError> {
        self.send(&call.into_request(traceparent)).await?.data()
    }

    /// The interface of an application, or of one of its services.
    ///
    /// # Errors
    /// [`NodeError::NoAbiEndpoint`] when the node is too old, else as every request.
    pub async fn abi(&self, application: &str, service: Option<&str>) -> Result<Value, NodeError> {
        let call = Call::get(&["applications", application, "abi"]).query("service_name", service);
        let reply = self.send(&call.into_request(None)).await?;
        // An unknown route is a 404 without a body; an unknown application has words.
        if reply.status == 404 && reply.body.is_empty() {
            return Err(NodeError::NoAbiEndpoint);
        }
        reply.data()
    }

    /// Opens a stream of events. A token that ended is renewed by ordinary requests, one of which comes before.
    pub(super) async fn open(&self, path: &str, last: Option<&str>) -> Result<Stream, NodeError> {
        let Connection { http, session, .. } = self.connection().await?;
        let token = session.bearer(http).await?;
        http.open(path, token.as_deref(), last).await
    }

    /// Opens a connection of messages, as [`Node::open`] one of events.
    pub(super) async fn open_socket(&self, path: &str) -> Result<(Socket, Http), NodeError> {
        let Connection { http, session, .. } = self.connection().await?;
        let token = session.bearer(http).await?;
        let socket = http.open_socket(path, token.as_deref()).await?;
        Ok((socket, http.clone()))
    }

    /// Sends a request with a token, which is renewed once when it ended.
    pub(super) async fn send(&self, request: &Request) -> Result<Reply, NodeError> {
        let Connection { http, session, .. } = self.connection().await?;
        let token = session.bearer(http).await?;
        let reply = http.send(request, token.as_deref()).await?;
        session.check(&reply).await?;
        let Some(used) = token.filter(|_| reply.status == 401) else {
            return unauthorized(reply);
        };
        let renewed = match reply.auth_error.as_deref() {
            Some("token_expired") => session.renew(http, &used).await?,
            _ => session.replace(http, &used).await?,
        };
        let Some(renewed) = renewed else {
            return unauthorized(reply);
        };
        let again = http.send(request, Some(&renewed)).await?;
        session.check(&again).await?;
        unauthorized(again)
    }
}

fn unauthorized(reply: Reply) -> Result<Reply, NodeError> {
    match (reply.status, reply.auth_error.as_deref()) {
        (401, _) => Err(NodeError::Unauthorized(
            "The node asks for a login; set CALIMERO_USERNAME and CALIMERO_PASSWORD, or CALIMERO_AUTH_TOKEN."
                .to_owned(),
        )),
        (403, Some("permission_denied")) => Err(NodeError::Unauthorized(
            "The node does not allow this to whoever is logged in.".to_owned(),
        )),
        _ => Ok(reply),
    }
}
