//! The node as an MCP server.

use std::net::SocketAddr;

use tokio::task::JoinHandle;
use toolmesh::{
    assemble::{Assembly, http_options},
    config::{Environment, parse_listen},
    mcp::{McpServer, ServerInfo},
    tool::CancellationToken,
};

use crate::{Fault, FaultKind, Node, runtime};

/// An MCP server on a port. Dropping it stops it, as [`McpEndpoint::stop`] does, without waiting; so does closing its node.
#[derive(Debug)]
pub struct McpEndpoint {
    url: String,
    address: SocketAddr,
    stop: CancellationToken,
    serving: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl McpEndpoint {
    /// Where to point a client.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address, with the port that the system chose when none was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: calls in flight are finished, within the grace time. Stopping twice is no fault.
    pub async fn stop(&self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.lock().await.take() {
            // A task that panicked has stopped as well.
            drop(serving.await);
        }
    }
}

impl Drop for McpEndpoint {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Node {
    /// Serves all tools of this program, its own and those of its sources, over MCP at `/mcp`. The address is `HOST:PORT`,
    /// `:PORT`, or a port; 0 lets the system choose. Who may call is what `[server]` of the configuration says.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`] for the address, [`FaultKind::Configuration`] for what `[server]` says,
    /// [`FaultKind::System`] when the address is taken.
    pub async fn serve_mcp_http(&self, address: &str, info: ServerInfo) -> Result<McpEndpoint, Fault> {
        let address = parse_listen(address).map_err(|reason| Fault::because(FaultKind::Invalid, &reason))?;
        let assembly = self.assembly()?;
        let options = http_options(&assembly.config().server, &Environment::of_process())
            .map_err(|reason| Fault::because(FaultKind::Configuration, &reason))?;
        let bound = mcp_server(&assembly, info).bind_http(address, options).await?;
        let stop = self.closing.child_token();
        let (url, address) = (bound.url(), bound.local_addr());
        let shutdown = stop.clone().cancelled_owned();
        let serving = runtime()?.spawn(async move {
            // It has no way to fail.
            drop(bound.serve(shutdown).await);
            // The sources are there until the last call is finished.
            drop(assembly);
        });
        Ok(McpEndpoint {
            url,
            address,
            stop,
            serving: tokio::sync::Mutex::new(Some(serving)),
        })
    }

    /// Serves all tools of this program over MCP on standard input and output, until the input ends, the token is cancelled or
    /// the node is closed. Nothing else may write to standard output meanwhile.
    ///
    /// # Errors
    /// [`FaultKind::System`] when standard input or output fails.
    pub async fn serve_mcp_stdio(&self, info: ServerInfo, stop: CancellationToken) -> Result<(), Fault> {
        let closing = self.closing.clone();
        let ends = async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = closing.cancelled() => {}
            }
        };
        // The sources are there until the last call is finished.
        let assembly = self.assembly()?;
        mcp_server(&assembly, info)
            .serve_stdio_until(ends)
            .await
            .map_err(|reason| Fault::because(FaultKind::System, &reason))
    }
}

fn mcp_server(assembly: &Assembly, info: ServerInfo) -> McpServer {
    let server = McpServer::new(assembly.dispatcher().clone(), info);
    if assembly.config().server.compact {
        server.compact()
    } else {
        server
    }
}
