//! Faults as exceptions of the package.

use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyType},
};
use toolmesh_embed::{Fault, FormatError};

/// The module of the exceptions, and its classes by their kinds.
const ERRORS: &str = "toolmesh.errors";
const CLASSES: &str = "CLASSES";

/// The exception that tells a fault.
pub(crate) fn raised(fault: Fault) -> PyErr {
    Python::attach(|py| made(py, fault).map_or_else(|error| error, PyErr::from_value))
}

/// Makes it without running any Python, its `__init__` included: a thread that runs Python below frames of Rust could be
/// ended there when the program ends.
fn made(py: Python<'_>, fault: Fault) -> PyResult<Bound<'_, PyAny>> {
    static KINDS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let kinds = KINDS.get_or_try_init(py, || {
        let classes = py.import(ERRORS)?.getattr(CLASSES)?;
        Ok::<_, PyErr>(classes.cast_into::<PyDict>()?.unbind())
    })?;
    let class = kinds.bind(py).as_any().get_item(fault.kind.as_str())?;
    let class = class.cast_into::<PyType>()?;
    let exception = class.call_method1("__new__", (&class,))?;
    exception.setattr("args", (fault.message,))?;
    exception.setattr("status", fault.status)?;
    Ok(exception)
}

/// The exception for a reply that holds no tool call.
pub(crate) fn unreadable(error: FormatError) -> PyErr {
    match error {
        FormatError::Given(fault) => raised(fault),
        FormatError::Reply(reason) => Python::attach(|py| {
            let made = py
                .import(ERRORS)
                .and_then(|errors| errors.getattr("ToolCallParseError"))
                .and_then(|class| class.call1((reason.to_string(),)));
            made.map_or_else(|error| error, PyErr::from_value)
        }),
    }
}

/// The process has no threads to run on; nothing works then.
pub(crate) fn no_runtime(fault: &Fault) -> PyErr {
    PyRuntimeError::new_err(fault.message.clone())
}
