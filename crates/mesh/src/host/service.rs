//! The mesh's own services.

use toolmesh_json::View;
use toolmesh_tool::{dispatcher::Operation, semver::Version};

use super::{
    admit::{Refused, Wanted},
    reply::{status_of, told},
    watch,
    way::{Way, refusal},
};
use crate::{
    TOOL_METADATA_FETCH_SERVICE, TOOL_WATCH_SERVICE, ToolMetadataRequest, ToolMetadataResponse,
    access::Asker,
    node::{NATIVE_SOURCE, Node},
    row::{SchemaDigest, ToolKey},
    wire::{ReplyFrame, RequestFrame},
};

const NO_REQUEST: &str = "The request is not valid.";

/// The service by which a host tells a schema by its digest: the request is `{"sha256": HEX}`, the answer the schema itself.
pub const TOOL_SCHEMA_FETCH_SERVICE: &str = "tool.schema.fetch";

/// Whether a name is that of one of the mesh's own services.
pub(crate) fn is_reserved(name: &str) -> bool {
    [
        TOOL_METADATA_FETCH_SERVICE,
        TOOL_SCHEMA_FETCH_SERVICE,
        TOOL_WATCH_SERVICE,
    ]
    .contains(&name)
}

/// Answers a request for one of the mesh's own services. To the dispatcher each is one list of tools: its admission and its
/// request limiter hold for what is told of tools as for calls of them. A schema is a part of what was announced, and one of
/// hundreds that are fetched at once, so it is not counted.
pub(super) async fn answer(
    node: &Node,
    asker: &Asker<'_>,
    request: RequestFrame,
    way: Way<'_>,
) -> Result<(), Refused> {
    let dispatcher = &node.access.dispatcher;
    let (caller, operation) = (asker.caller(), Operation::ListTools);
    let admitted = if request.service == TOOL_SCHEMA_FETCH_SERVICE {
        dispatcher.admit(&caller, operation).await
    } else {
        dispatcher.list(&caller, operation, None).await.map(drop)
    };
    // What is told is decided below, for each tool and for both ends.
    if let Err(error) = admitted {
        way.answer(refusal(status_of(&error), &error.public_text())).await;
        return Ok(());
    }
    // The body ends where it is read: some of these last long.
    let RequestFrame { service, body, .. } = request;
    let answered = match service.as_str() {
        TOOL_WATCH_SERVICE => return watch::watch(node, asker, body, way).await,
        TOOL_SCHEMA_FETCH_SERVICE => schema(node, asker, body)?,
        _ => metadata(node, asker, body)?,
    };
    way.answer(answered).await;
    Ok(())
}

fn metadata(node: &Node, asker: &Asker<'_>, body: Vec<u8>) -> Result<ReplyFrame, Refused> {
    let asked = toolmesh_json::parse(&body)
        .ok()
        .and_then(|body| ToolMetadataRequest::from_value(body.view()).ok());
    let Some(ToolMetadataRequest { name }) = asked else {
        return Err(Refused::malformed(NO_REQUEST));
    };
    let found = node
        .access
        .shows(asker, &name)
        .then(|| highest(node, &name))
        .flatten();
    let response = match found {
        Some(descriptor) => ToolMetadataResponse::Found {
            descriptor: Box::new(descriptor),
        },
        None => ToolMetadataResponse::NotFound { name },
    };
    Ok(told(response.to_value().to_text()))
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

fn schema(node: &Node, asker: &Asker<'_>, body: Vec<u8>) -> Result<ReplyFrame, Refused> {
    let asked = toolmesh_json::parse(&body).ok();
    let digest = asked
        .as_ref()
        .and_then(|body| body.get("sha256"))
        .and_then(View::as_str)
        .and_then(SchemaDigest::parse);
    let Some(digest) = digest else {
        return Err(Refused::malformed(NO_REQUEST));
    };
    let (text, users) = {
        let published = node.published();
        (published.schema(&digest), published.users(&digest))
    };
    let text = text.filter(|_| users.iter().any(|key| node.access.shows(asker, &key.tool_id)));
    match text {
        Some(text) => Ok(told(text.to_string())),
        None => Err(Refused::no_schema()),
    }
}

/// Whether the tool that a call reaches is one whose handler makes its own start event: then the dispatcher's waits for it.
pub(super) fn is_native_stream(node: &Node, wanted: &Wanted) -> bool {
    let catalogue = node.access.dispatcher.toolbox().snapshot();
    let found = catalogue.tool(&wanted.tool_id, wanted.version.as_ref());
    found.is_some_and(|found| found.source() == NATIVE_SOURCE && found.tool().streaming())
}
