//! Resources, templates and contents.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{Resource, ResourceContents, ResourceReader, ResourceTemplate, UriTemplate};

use super::{content::resource_contents, info::resource_info};
use crate::client::{error::ClientError, peer::text, prefix::Prefixed};

/// Reads a resource's entry.
pub(in crate::client) fn read_resource(
    entry: View<'_>,
    reader: &Arc<dyn ResourceReader>,
) -> Result<Resource, String> {
    Ok(Resource {
        uri: text(entry, "uri").ok_or("it has no `uri`")?,
        info: resource_info(entry),
        size: entry.get("size").and_then(View::as_u64),
        reader: Arc::clone(reader),
    })
}

/// Reads a template's entry; `reader` is made of its text.
pub(in crate::client) fn read_template(
    entry: View<'_>,
    reader: impl FnOnce(&str) -> Arc<dyn ResourceReader>,
) -> Result<ResourceTemplate, String> {
    let template = text(entry, "uriTemplate").ok_or("it has no `uriTemplate`")?;
    Ok(ResourceTemplate {
        template: UriTemplate::parse(&template).map_err(|error| error.to_string())?,
        info: resource_info(entry),
        reader: reader(&template),
    })
}

/// Reads the result of `resources/read`.
pub(in crate::client) fn contents(
    result: &Value,
    prefixed: &Prefixed,
) -> Result<Vec<ResourceContents>, ClientError> {
    let contents = result.get("contents").and_then(View::as_array);
    let contents = contents.ok_or(ClientError::Protocol("a resource was read without contents"))?;
    contents
        .iter()
        .map(|item| resource_contents(item, prefixed))
        .collect()
}
