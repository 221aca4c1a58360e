//! Faults as exceptions of the package.

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use toolmesh_embed::{Fault, FormatError};

/// The module whose `of_kind` makes the exception of a kind.
const ERRORS: &str = "toolmesh.errors";

/// The exception that tells a fault.
pub(crate) fn raised(fault: Fault) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import(ERRORS)
            .and_then(|errors| errors.getattr("of_kind"))
            .and_then(|of_kind| of_kind.call1((fault.kind.as_str(), &fault.message, fault.status)));
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
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
