//! Model providers' tool formats.

use napi::Status;
use napi_derive::napi;
use toolmesh_embed::{FormatError, ToolFormat};

use crate::telling::thrown;

/// A tool in the plain form of a provider.
#[napi]
pub(crate) fn to_tool(format: String, descriptor: String) -> napi::Result<String> {
    let told = ToolFormat::named(&format).and_then(|format| toolmesh_embed::to_tool(format, &descriptor));
    told.map_err(|fault| thrown(&fault))
}

/// A model's call of a tool.
#[napi(object)]
pub(crate) struct LoweredCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON.
    pub arguments_json: String,
    /// The provider's id of the call.
    pub provider_call_id: Option<String>,
}

/// A model's call, from the plain form of a provider. A reply that holds none throws an error whose code is `InvalidArg`.
#[napi]
pub(crate) fn lower_call(format: String, reply: String) -> napi::Result<LoweredCall> {
    let format = ToolFormat::named(&format).map_err(|fault| thrown(&fault))?;
    let call = toolmesh_embed::lower_call(format, &reply).map_err(|error| match error {
        FormatError::Given(fault) => thrown(&fault),
        FormatError::Reply(reason) => napi::Error::new(Status::InvalidArg, reason.to_string()),
    })?;
    Ok(LoweredCall {
        name: call.name,
        arguments_json: call.arguments_json,
        provider_call_id: call.provider_call_id,
    })
}

/// Tools translated as a whole for one provider.
#[napi]
pub struct Toolset(toolmesh_embed::Toolset);

#[napi]
impl Toolset {
    /// Translates descriptors.
    #[napi(constructor)]
    pub fn new(provider: String, descriptors: String) -> napi::Result<Self> {
        let toolset = toolmesh_embed::Toolset::translate(&provider, &descriptors);
        toolset.map(Self).map_err(|fault| thrown(&fault))
    }

    /// What to send.
    #[napi(getter)]
    pub fn tools(&self) -> String {
        self.0.tools()
    }

    /// What could not be carried over.
    #[napi(getter)]
    pub fn warnings(&self) -> String {
        self.0.warnings()
    }

    /// The calls in a reply.
    #[napi]
    pub fn calls(&self, reply: String) -> napi::Result<String> {
        self.0.calls(&reply).map_err(|fault| thrown(&fault))
    }

    /// Results as messages.
    #[napi]
    pub fn messages(&self, replies: String) -> napi::Result<String> {
        self.0.messages(&replies).map_err(|fault| thrown(&fault))
    }
}
