//! A source over a server, mounted behind a dispatcher.

use std::{net::SocketAddr, time::Duration};

use tokio::{sync::oneshot, task::JoinHandle};
use toolmesh_json::Value;
use toolmesh_mcp::{HttpOptions, McpServer, ServeError, Upstream, UpstreamOptions, UpstreamSource};
use toolmesh_tool::{
    CallRequest, Caller, Dispatcher, FrontInfo, Outcome, Prefix, Source as _, SourceError, Toolbox, Transport,
};

/// Every revision that is spoken with an upstream server.
pub(super) const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// A source that runs, and the dispatcher over it.
pub(super) struct Gateway {
    pub(super) source: UpstreamSource,
    pub(super) dispatcher: Dispatcher,
}

impl Gateway {
    /// A gateway to the server at `url`.
    pub(super) async fn to(url: &str, options: UpstreamOptions, prefix: Prefix) -> Result<Self, SourceError> {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("up", prefix)?;
        let source = UpstreamSource::new("up", Upstream::Url(url.to_owned()), options);
        source.start(mount).await?;
        Ok(Self {
            source,
            dispatcher: Dispatcher::builder(toolbox).build(),
        })
    }

    pub(super) async fn call(&self, tool: &str, arguments: &str) -> Outcome {
        self.dispatcher.call(self.request(tool, arguments)).await
    }

    pub(super) fn request(&self, tool: &str, arguments: &str) -> CallRequest {
        CallRequest::new(tool, json(arguments), caller())
    }
}

/// Our own server on a port of its own.
pub(super) struct Running {
    pub(super) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Running {
    pub(super) async fn start(server: &McpServer) -> Self {
        Self::start_at(server, ([127, 0, 0, 1], 0).into()).await
    }

    pub(super) async fn start_at(server: &McpServer, address: SocketAddr) -> Self {
        let options = HttpOptions::default().grace(Duration::from_millis(200));
        let bound = server.bind_http(address, options).await.expect("a free port");
        let address = bound.local_addr();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(bound.serve(async move { drop(stopped.await) }));
        Self { address, stop, task }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(super) async fn stop(self) {
        self.stop.send(()).expect("it runs");
        self.task.await.expect("no panic").expect("a clean end");
    }
}

pub(super) fn caller() -> Caller {
    Caller::anonymous(Transport::InProcess)
}

/// A front whose client can fill in forms.
pub(super) fn form_front() -> FrontInfo {
    let mut front = FrontInfo::default();
    front.capabilities.elicitation_form = true;
    front
}

pub(super) fn json(text: &str) -> Value {
    toolmesh_json::parse(text.as_bytes()).expect("JSON")
}
