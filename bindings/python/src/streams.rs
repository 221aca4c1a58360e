//! Events of a call, and changes of the list of tools.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::waiting::{Pending, start, wait};

/// The events of a call.
#[pyclass(frozen)]
pub(crate) struct Events(pub(crate) Arc<toolmesh_embed::Events>);

#[pymethods]
impl Events {
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        wait(py, self.0.next())
    }

    fn start_next(&self, done: Py<PyAny>) -> PyResult<Pending> {
        let events = Arc::clone(&self.0);
        start(async move { events.next().await }, done)
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

    fn start_next(&self, done: Py<PyAny>) -> PyResult<Pending> {
        let changes = Arc::clone(&self.0);
        start(async move { Ok(changes.next().await) }, done)
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}
