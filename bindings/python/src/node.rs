//! A node, as the package holds it.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use toolmesh_embed::{CallOptions, CancellationToken, McpEndpoint, NodeOptions, ServerInfo};

use crate::{
    call::Call,
    fault::raised,
    process::{is_forked, refuse_fork},
    streams::{Changes, Events},
    threads::hand_over,
    waiting::{Pending, start, wait},
};

/// A whole Toolmesh program.
#[pyclass(frozen)]
pub(crate) struct Node(Arc<toolmesh_embed::Node>);

/// A tool that is served.
#[pyclass(frozen)]
pub(crate) struct Served(Mutex<Option<toolmesh_embed::Served>>);

/// An MCP server on a port.
#[pyclass(frozen)]
pub(crate) struct Endpoint(McpEndpoint);

#[pymethods]
impl Node {
    #[staticmethod]
    fn start(py: Python<'_>, options: &str) -> PyResult<Self> {
        let options = NodeOptions::from_json(options).map_err(raised)?;
        let node = wait(py, toolmesh_embed::Node::start(options))?;
        Ok(Self(Arc::new(node)))
    }

    #[getter]
    fn id(&self) -> PyResult<u64> {
        self.0.id().map_err(raised)
    }

    #[getter]
    fn listens_at(&self) -> PyResult<Vec<String>> {
        self.0.listens_at().map_err(raised)
    }

    /// Serves a tool; `begin(call)` runs on a thread of its own for each call.
    fn serve(&self, descriptor: &str, begin: Py<PyAny>) -> PyResult<Served> {
        refuse_fork()?;
        let begin = Arc::new(begin);
        let handler = move |call| hand_over(Arc::clone(&begin), Call(Arc::new(call)));
        let served = self.0.serve(descriptor, Arc::new(handler)).map_err(raised)?;
        Ok(Served(Mutex::new(Some(served))))
    }

    fn call(&self, py: Python<'_>, tool: &str, arguments: &str, options: &str) -> PyResult<String> {
        let options = read(options)?;
        wait(
            py,
            self.0.call(tool, arguments, &options, CancellationToken::new()),
        )
    }

    fn start_call(
        &self,
        tool: String,
        arguments: String,
        options: &str,
        done: Py<PyAny>,
    ) -> PyResult<Pending> {
        let options = read(options)?;
        let node = Arc::clone(&self.0);
        let call = async move {
            node.call(&tool, &arguments, &options, CancellationToken::new())
                .await
        };
        start(call, done)
    }

    fn call_streaming(&self, py: Python<'_>, tool: &str, arguments: &str, options: &str) -> PyResult<Events> {
        let options = read(options)?;
        let opening = self
            .0
            .call_streaming(tool, arguments, &options, CancellationToken::new());
        Ok(Events(Arc::new(wait(py, opening)?)))
    }

    fn start_call_streaming(
        &self,
        tool: String,
        arguments: String,
        options: &str,
        done: Py<PyAny>,
    ) -> PyResult<Pending> {
        let options = read(options)?;
        let node = Arc::clone(&self.0);
        let opening = async move {
            let token = CancellationToken::new();
            let events = node.call_streaming(&tool, &arguments, &options, token).await?;
            Ok(Events(Arc::new(events)))
        };
        start(opening, done)
    }

    fn list(&self, matcher: Option<&str>) -> PyResult<String> {
        refuse_fork()?;
        self.0.list(matcher).map_err(raised)
    }

    fn watch(&self, matcher: Option<&str>, interval_ms: Option<u64>) -> PyResult<Changes> {
        refuse_fork()?;
        let changes = self.0.watch(matcher, interval_ms).map_err(raised)?;
        Ok(Changes(Arc::new(changes)))
    }

    fn describe(&self, py: Python<'_>, tool: &str, options: &str) -> PyResult<String> {
        let options = read(options)?;
        wait(py, self.0.describe(tool, &options))
    }

    fn fetch_metadata(&self, py: Python<'_>, node: u64, tool: &str) -> PyResult<String> {
        wait(py, self.0.fetch_metadata(node, tool))
    }

    fn start_fetch_metadata(&self, node: u64, tool: String, done: Py<PyAny>) -> PyResult<Pending> {
        let asks = Arc::clone(&self.0);
        start(async move { asks.fetch_metadata(node, &tool).await }, done)
    }

    fn hosts(&self, tool: &str, options: &str) -> PyResult<Vec<u64>> {
        refuse_fork()?;
        let options = read(options)?;
        self.0.hosts(tool, &options).map_err(raised)
    }

    fn serve_mcp_http(&self, py: Python<'_>, address: &str, name: &str, version: &str) -> PyResult<Endpoint> {
        let info = ServerInfo::new(name, version);
        Ok(Endpoint(wait(py, self.0.serve_mcp_http(address, info))?))
    }

    /// Serves standard input and output until the input ends, or Ctrl-C.
    fn serve_mcp_stdio(&self, py: Python<'_>, name: &str, version: &str) -> PyResult<()> {
        let info = ServerInfo::new(name, version);
        wait(py, self.0.serve_mcp_stdio(info, CancellationToken::new()))
    }

    /// A process that was forked off leaves the node to the one that started it.
    fn close(&self, py: Python<'_>) {
        if !is_forked() {
            py.detach(|| self.0.close());
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if is_forked() {
            // One that is never dropped keeps the node, whose end would wait for threads that are not there.
            std::mem::forget(Arc::clone(&self.0));
        }
    }
}

/// The options of a call, from their JSON.
fn read(options: &str) -> PyResult<CallOptions> {
    CallOptions::from_json(options).map_err(raised)
}

#[pymethods]
impl Served {
    /// Withdraws the tool. Closing twice is no fault.
    fn close(&self, py: Python<'_>) {
        if is_forked() {
            return;
        }
        py.detach(|| drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

#[pymethods]
impl Endpoint {
    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    /// Stops: calls in flight are finished.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if is_forked() {
            return Ok(());
        }
        wait(py, async {
            self.0.stop().await;
            Ok(())
        })
    }
}
