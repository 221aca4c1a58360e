//! A file of tool descriptors as a source: listed and described, never called.

use std::sync::Arc;

use toolmesh_json::{View, parse};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, Mount, Outcome, Source, SourceError, Tool, ToolDescriptor,
    ToolHandler, json::Value, schema::Profile, semver::Version,
};

use super::{AssembleError, Location, read_location};

/// The most descriptors that one file may have.
const MAX_DESCRIPTORS: usize = 10_000;

/// Tools that are known by their descriptors alone.
pub(super) struct DescriptorSource {
    name: String,
    tools: Vec<Tool>,
}

impl DescriptorSource {
    pub(super) fn open(name: &str, location: &Location) -> Result<Self, AssembleError> {
        let tools = read_descriptors(location)?
            .into_iter()
            .map(|descriptor| tool(descriptor).map_err(|reason| invalid(location, reason)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name: name.to_owned(),
            tools,
        })
    }
}

impl Source for DescriptorSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move { Ok(mount.replace(self.tools.clone())?) })
    }
}

/// The descriptors of a file, in order.
pub(crate) fn read_descriptors(location: &Location) -> Result<Vec<ToolDescriptor>, AssembleError> {
    let bytes = read_location(location)?;
    let value = parse(&bytes).map_err(|error| {
        let (line, column) = error.locate(&bytes);
        invalid(
            location,
            format!("line {line}, column {column}: {}", error.kind()),
        )
    })?;
    let list = value
        .as_array()
        .ok_or_else(|| invalid(location, "not an array of tool descriptors"))?;
    if list.len() > MAX_DESCRIPTORS {
        return Err(invalid(
            location,
            format!("{} descriptors; at most {MAX_DESCRIPTORS} are taken", list.len()),
        ));
    }
    let read = |(index, item): (usize, View<'_>)| {
        ToolDescriptor::from_value(item).map_err(|error| invalid(location, format!("entry {index}: {error}")))
    };
    list.iter().enumerate().map(read).collect()
}

fn invalid(location: &Location, reason: impl Into<String>) -> AssembleError {
    AssembleError::Invalid {
        location: location.clone(),
        reason: reason.into(),
    }
}

/// A descriptor as a tool that refuses to be called.
fn tool(descriptor: ToolDescriptor) -> Result<Tool, String> {
    let name = &descriptor.tool_id;
    let schema = |what: &str, text: Option<&str>| match text {
        None => Ok(None),
        Some(text) => parse(text.as_bytes())
            .map(Some)
            .map_err(|_| format!("tool `{name}`: the {what} is not JSON")),
    };
    let input = schema("input schema", descriptor.input_schema.as_deref())?;
    let output = schema("output schema", descriptor.output_schema.as_deref())?;
    let version = Version::parse(&descriptor.version)
        .map_err(|_| format!("tool `{name}`: `version` is no semantic version such as 1.0.0"))?;
    let named = Tool::with_name(name);
    let mut shaped = match input {
        Some(document) => named.input_schema(document, Profile::Draft2020_12),
        None => named.json_object_arguments(),
    };
    if let Some(document) = output {
        shaped = shaped.output_schema(document, Profile::Draft2020_12);
    }
    let mut builder = shaped
        .dyn_handler(Arc::new(NotCallable))
        .version(version)
        .annotations(descriptor.annotations)
        .estimated_time_ms(descriptor.estimated_time_ms)
        .stateless(descriptor.stateless)
        .streaming(descriptor.streaming);
    if let Some(title) = descriptor.title {
        builder = builder.title(title);
    }
    if let Some(description) = descriptor.description {
        builder = builder.description(description);
    }
    builder = descriptor
        .tags
        .into_iter()
        .fold(builder, |builder, tag| builder.tag(tag));
    builder = descriptor
        .requires
        .into_iter()
        .fold(builder, |builder, what| builder.requires(what));
    builder.build().map_err(|error| error.to_string())
}

struct NotCallable;

impl ToolHandler for NotCallable {
    fn call<'a>(&'a self, _: CallContext, _: Value) -> BoxFuture<'a, Outcome> {
        let refusal = "this tool is known by its descriptor alone and cannot be called".to_owned();
        Box::pin(std::future::ready(Outcome::Failed(CallError::PolicyRefused(
            refusal,
        ))))
    }
}
