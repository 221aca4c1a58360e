//! The mesh's own services.

use toolmesh_json::View;
use toolmesh_tool::semver::{Version, VersionReq};

use super::reply::{frame, refusal};
use crate::{
    TOOL_METADATA_FETCH_SERVICE, ToolMetadataRequest, ToolMetadataResponse,
    engine::Identity,
    node::{NATIVE_SOURCE, Node},
    row::{SchemaDigest, ToolKey},
    wire::{Headers, NRPC_TYPED_BAD_REQUEST, RequestFrame, Status},
};

/// The service by which a host tells a schema by its digest: the request is `{"sha256": HEX}`, the answer the schema itself.
pub const TOOL_SCHEMA_FETCH_SERVICE: &str = "tool.schema.fetch";

/// Whether a name is that of one of the mesh's own services.
pub(crate) fn is_reserved(name: &str) -> bool {
    [TOOL_METADATA_FETCH_SERVICE, TOOL_SCHEMA_FETCH_SERVICE].contains(&name)
}

/// The answer of one of the mesh's own services; `None` when a tool is asked for.
pub(super) fn answer(node: &Node, from: &Identity, request: &RequestFrame) -> Option<Vec<u8>> {
    match request.service.as_str() {
        TOOL_METADATA_FETCH_SERVICE => Some(metadata(node, from, &request.body)),
        TOOL_SCHEMA_FETCH_SERVICE => Some(schema(node, from, &request.body)),
        _ => None,
    }
}

fn metadata(node: &Node, from: &Identity, body: &[u8]) -> Vec<u8> {
    let asked = toolmesh_json::parse(body)
        .ok()
        .and_then(|body| ToolMetadataRequest::from_value(body.view()).ok());
    let Some(ToolMetadataRequest { name }) = asked else {
        return bad_request();
    };
    let found = node
        .access
        .shows(from, &name)
        .then(|| highest(node, &name))
        .flatten();
    let response = match found {
        Some(descriptor) => ToolMetadataResponse::Found {
            descriptor: Box::new(descriptor),
        },
        None => ToolMetadataResponse::NotFound { name },
    };
    frame(
        Status::Ok,
        Headers::new(),
        response.to_value().to_text().into_bytes(),
    )
}

fn highest(node: &Node, tool_id: &str) -> Option<toolmesh_tool::ToolDescriptor> {
    let version: Version = {
        let catalogue = node.access.dispatcher.toolbox().snapshot();
        catalogue.tool(tool_id, None)?.tool().version().clone()
    };
    let key = ToolKey {
        tool_id: tool_id.to_owned(),
        version,
    };
    node.published()
        .tools
        .get(&key)
        .map(|announced| announced.descriptor.clone())
}

fn schema(node: &Node, from: &Identity, body: &[u8]) -> Vec<u8> {
    let asked = toolmesh_json::parse(body).ok();
    let digest = asked
        .as_ref()
        .and_then(|body| body.get("sha256"))
        .and_then(View::as_str)
        .and_then(SchemaDigest::parse);
    let Some(digest) = digest else {
        return bad_request();
    };
    let (text, users) = {
        let published = node.published();
        (published.schema(&digest), published.users(&digest))
    };
    let text = text.filter(|_| users.iter().any(|key| node.access.shows(from, &key.tool_id)));
    match text {
        Some(text) => frame(Status::Ok, Headers::new(), text.as_bytes().to_vec()),
        None => refusal(Status::NotFound, "This node has no such schema."),
    }
}

fn bad_request() -> Vec<u8> {
    refusal(
        Status::Application(NRPC_TYPED_BAD_REQUEST),
        "The request is not valid.",
    )
}

/// Whether the tool that a call reaches is one whose handler makes its own start event: then the dispatcher's waits for it.
pub(super) fn is_native_stream(node: &Node, tool_id: &str, version: Option<&VersionReq>) -> bool {
    let catalogue = node.access.dispatcher.toolbox().snapshot();
    let found = catalogue.tool(tool_id, version);
    found.is_some_and(|found| found.source() == NATIVE_SOURCE && found.tool().streaming())
}
