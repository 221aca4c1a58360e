//! A call in the hands of a Python handler.

use std::sync::Arc;

use pyo3::{prelude::*, types::PyTuple};
use toolmesh_embed::HandlerFailure;

use crate::{
    fault::raised,
    process::running,
    threads::tell,
    waiting::{Pending, start, wait},
};

/// A call that a handler has begun.
#[pyclass(frozen)]
pub(crate) struct Call(pub(crate) Arc<toolmesh_embed::Call>);

/// A watch on the end of a call.
#[pyclass(frozen)]
pub(crate) struct CancelWatch {
    _watch: toolmesh_embed::CancelWatch,
}

#[pymethods]
impl Call {
    #[getter]
    fn arguments(&self) -> &str {
        self.0.arguments()
    }

    #[getter]
    fn caller(&self) -> String {
        self.0.caller()
    }

    #[getter]
    fn deadline_ms(&self) -> Option<u64> {
        self.0.deadline_ms()
    }

    #[getter]
    fn headers(&self) -> Vec<(String, String)> {
        self.0.headers().to_vec()
    }

    #[getter]
    fn idempotency_key(&self) -> &str {
        self.0.idempotency_key()
    }

    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Whether anything can be sent still.
    #[getter]
    fn is_open(&self) -> bool {
        self.0.check_open().is_ok()
    }

    /// Has `told()` called once when the caller gives up, for as long as the watch is kept.
    fn on_cancel(&self, told: Py<PyAny>) -> PyResult<CancelWatch> {
        let watch = self
            .0
            .on_cancel(move || tell(move |py| Ok((told, PyTuple::empty(py).unbind()))));
        Ok(CancelWatch {
            _watch: watch.map_err(raised)?,
        })
    }

    /// Sends an event; waits while the reader is behind.
    fn event(&self, py: Python<'_>, event: &str) -> PyResult<()> {
        wait(py, self.0.event(event))
    }

    fn start_event(&self, event: String, done: Py<PyAny>) -> PyResult<Pending> {
        let call = Arc::clone(&self.0);
        start(async move { call.event(&event).await }, done)
    }

    fn finish(&self, py: Python<'_>, result: &str) -> PyResult<()> {
        wait(py, self.0.finish(result))
    }

    fn start_finish(&self, result: String, done: Py<PyAny>) -> PyResult<Pending> {
        let call = Arc::clone(&self.0);
        start(async move { call.finish(&result).await }, done)
    }

    /// Lets the call go; nothing happens when it is over.
    fn release(&self) {
        self.0.release();
    }

    /// Ends the call with a failure, which waits for a reader that is behind; the caller of this does not.
    fn fail(&self, code: Option<String>, message: String) -> PyResult<()> {
        let call = Arc::clone(&self.0);
        running()?.spawn(async move {
            // There is nobody to tell whom nobody waits for any more.
            drop(call.fail(HandlerFailure { code, message }).await);
        });
        Ok(())
    }
}
