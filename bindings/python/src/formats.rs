//! Model providers' tool formats.

use pyo3::prelude::*;
use toolmesh_embed::ToolFormat;

use crate::fault::{raised, unreadable};

/// A tool in the plain form of a provider.
#[pyfunction]
pub(crate) fn to_tool(format: &str, descriptor: &str) -> PyResult<String> {
    let format = ToolFormat::named(format).map_err(raised)?;
    toolmesh_embed::to_tool(format, descriptor).map_err(raised)
}

/// A model's call of a tool: its name, its arguments as JSON, and the provider's id of the call.
#[pyclass(frozen, get_all)]
pub(crate) struct ToolCall {
    name: String,
    arguments_json: String,
    provider_call_id: Option<String>,
}

/// A model's call, from the plain form of a provider.
#[pyfunction]
pub(crate) fn lower_call(format: &str, reply: &str) -> PyResult<ToolCall> {
    let format = ToolFormat::named(format).map_err(raised)?;
    let call = toolmesh_embed::lower_call(format, reply).map_err(unreadable)?;
    Ok(ToolCall {
        name: call.name,
        arguments_json: call.arguments_json,
        provider_call_id: call.provider_call_id,
    })
}

/// Tools translated as a whole for one provider.
#[pyclass(frozen)]
pub(crate) struct Toolset(toolmesh_embed::Toolset);

#[pymethods]
impl Toolset {
    #[new]
    fn new(provider: &str, descriptors: &str) -> PyResult<Self> {
        let toolset = toolmesh_embed::Toolset::translate(provider, descriptors);
        toolset.map(Self).map_err(raised)
    }

    #[getter]
    fn tools(&self) -> String {
        self.0.tools()
    }

    #[getter]
    fn warnings(&self) -> String {
        self.0.warnings()
    }

    fn calls(&self, reply: &str) -> PyResult<String> {
        self.0.calls(reply).map_err(raised)
    }

    fn messages(&self, replies: &str) -> PyResult<String> {
        self.0.messages(replies).map_err(raised)
    }
}
