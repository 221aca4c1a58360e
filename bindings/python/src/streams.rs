//! Events of a call, and changes of the list of tools.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::{
    fault::raised,
    waiting::{Pending, start, wait},
};

/// The events of a call.
#[pyclass(frozen)]
pub(crate) struct Events(pub(crate) Arc<toolmesh_embed::Events>);

#[pymethods]
impl Events {
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        wait(py, self.0.next())
    }

    /// Waits until there is something to take.
    fn start_ready(&self, done: Py<PyAny>) -> PyResult<Pending> {
        let events = Arc::clone(&self.0);
        let ready = async move {
            events.ready().await;
            Ok(())
        };
        start(ready, done)
    }

    /// What is there: an event, or nothing behind the last, in a tuple of one; nothing at all when another reader was faster.
    fn take(&self) -> PyResult<Option<(Option<String>,)>> {
        let taken = self.0.take().transpose().map_err(raised)?;
        Ok(taken.map(|event| (event,)))
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

/// The changes of the list of tools.
#[pyclass(frozen)]
pub(crate) struct Changes(pub(crate) Arc<toolmesh_embed::Changes>);

#[pymethods]
impl Changes {
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        wait(py, async { Ok(self.0.next().await) })
    }

    /// Waits until there is something to take.
    fn start_ready(&self, done: Py<PyAny>) -> PyResult<Pending> {
        let changes = Arc::clone(&self.0);
        let ready = async move {
            changes.ready().await;
            Ok(())
        };
        start(ready, done)
    }

    /// What is there: a change, or nothing behind the last, in a tuple of one; nothing at all when another reader was faster.
    fn take(&self) -> Option<(Option<String>,)> {
        self.0.take().map(|change| (change,))
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}
