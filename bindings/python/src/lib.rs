//! The native half of the Python package: what crosses is text (JSON), numbers, and the classes here. The Python half
//! (`python/toolmesh`) gives it the shape that Python programs expect; every rule is in Rust, below `toolmesh_embed`.

mod call;
mod fault;
mod formats;
mod node;
mod streams;
mod waiting;

use pyo3::prelude::*;

/// The native half; programs use the package `toolmesh`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        call::{Call, CancelWatch},
        formats::{ToolCall, Toolset, lower_call, to_tool},
        node::{Endpoint, Node, Served},
        streams::{Changes, Events},
        waiting::{Pending, settle},
    };
}
