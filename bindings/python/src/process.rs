//! The process and the interpreter that the package runs in: of each it knows one.

use std::sync::OnceLock;

use pyo3::{exceptions::PyImportError, ffi, prelude::*};
use tokio::runtime::Runtime;
use toolmesh_embed::{Fault, FaultKind, runtime};

use crate::fault::{no_runtime, raised};

/// The process that began to use the package. One that is forked off it has its memory and none of its threads, so that
/// whatever it waited for would never come.
static BEGUN_IN: OnceLock<u32> = OnceLock::new();

const FORKED: &str = "this process was forked off one that used toolmesh before, whose threads it does not have: start it in \
                      another way (`multiprocessing` with `spawn`), or make the first node after the fork";

/// Whether this process was forked off one that used the package.
pub(crate) fn is_forked() -> bool {
    BEGUN_IN.get().is_some_and(|begun| *begun != std::process::id())
}

/// Refuses a process that was forked off one that used the package.
pub(crate) fn refuse_fork() -> PyResult<()> {
    if is_forked() {
        return Err(raised(Fault::new(FaultKind::System, FORKED)));
    }
    Ok(())
}

/// What everything runs on.
pub(crate) fn running() -> PyResult<&'static Runtime> {
    refuse_fork()?;
    BEGUN_IN.get_or_init(std::process::id);
    runtime().map_err(|fault| no_runtime(&fault))
}

/// Refuses every interpreter but the main one: handlers and callbacks would run in the wrong one.
pub(crate) fn refuse_subinterpreter() -> PyResult<()> {
    // SAFETY: this runs while the module is imported, so the thread is attached to an interpreter that lives.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if interpreter != 0 {
        return Err(PyImportError::new_err(
            "toolmesh works in the main interpreter of a process alone, not in subinterpreters",
        ));
    }
    Ok(())
}
