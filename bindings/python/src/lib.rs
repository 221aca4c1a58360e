//! The native half of the Python package: what crosses is text (JSON), numbers, and the classes here. The Python half
//! (`python/toolmesh`) gives it the shape that Python programs expect; every rule is in Rust, below `toolmesh_embed`.

mod call;
mod fault;
mod formats;
mod node;
mod process;
mod streams;
mod threads;
mod waiting;

use pyo3::{prelude::*, wrap_pyfunction};

use crate::{
    call::{Call, CancelWatch},
    formats::{ToolCall, Toolset},
    node::{Endpoint, Node, Served},
    streams::{Changes, Events},
    threads::Running,
    waiting::Pending,
};

/// The native half; programs use the package `toolmesh`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // First of all: a class belongs for ever to the interpreter that made it.
    process::refuse_subinterpreter()?;
    module.add_class::<Call>()?;
    module.add_class::<CancelWatch>()?;
    module.add_class::<Changes>()?;
    module.add_class::<Endpoint>()?;
    module.add_class::<Events>()?;
    module.add_class::<Node>()?;
    module.add_class::<Pending>()?;
    module.add_class::<Running>()?;
    module.add_class::<Served>()?;
    module.add_class::<ToolCall>()?;
    module.add_class::<Toolset>()?;
    module.add_function(wrap_pyfunction!(formats::lower_call, module)?)?;
    module.add_function(wrap_pyfunction!(formats::to_tool, module)?)?;
    module.add_function(wrap_pyfunction!(threads::next_call, module)?)?;
    module.add_function(wrap_pyfunction!(threads::next_callbacks, module)?)?;
    module.add_function(wrap_pyfunction!(waiting::settle, module)?)
}
