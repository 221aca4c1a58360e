//! Resources, one of which changes by itself.

use std::{sync::Arc, time::Duration};

use toolmesh_tool::{
    BoxFuture, CallContext, CallError, IndexMap, Mount, Resource, ResourceBody, ResourceContents,
    ResourceInfo, ResourceReader, ResourceTemplate, UriTemplate, UriTemplateError, json::Value,
};

use super::content::PNG;

const WATCHED: &str = "test://watched-resource";

/// How often the watched resource changes.
const CHANGES_EVERY: Duration = Duration::from_secs(3);

pub(crate) fn resources() -> Vec<Resource> {
    vec![
        resource("test://static-text", "static-text", "text/plain"),
        resource("test://static-binary", "static-binary", "image/png"),
        resource(WATCHED, "watched-resource", "text/plain"),
    ]
}

pub(crate) fn template() -> Result<ResourceTemplate, UriTemplateError> {
    Ok(ResourceTemplate {
        template: UriTemplate::parse("test://template/{id}/data")?,
        info: info("template", "application/json"),
        reader: Arc::new(Reader),
    })
}

/// Tells now and then that the watched resource changed; keeps the mount.
pub(crate) fn keep_changing(mount: Mount) {
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(CHANGES_EVERY);
        loop {
            clock.tick().await;
            mount.resource_updated(WATCHED);
        }
    });
}

fn resource(uri: &str, name: &str, mime_type: &str) -> Resource {
    Resource {
        uri: uri.to_owned(),
        info: info(name, mime_type),
        size: None,
        reader: Arc::new(Reader),
    }
}

fn info(name: &str, mime_type: &str) -> ResourceInfo {
    ResourceInfo {
        name: name.to_owned(),
        description: Some(format!("The {name} of the tests")),
        mime_type: Some(mime_type.to_owned()),
        ..ResourceInfo::default()
    }
}

struct Reader;

impl ResourceReader for Reader {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let (mime_type, body) = match (uri, variables.get("id")) {
            (_, Some(id)) => ("application/json", ResourceBody::Text(templated(id))),
            ("test://static-binary", _) => ("image/png", ResourceBody::Blob(PNG.to_vec())),
            (WATCHED, _) => (
                "text/plain",
                ResourceBody::Text("Watched resource content".to_owned()),
            ),
            _ => (
                "text/plain",
                ResourceBody::Text("This is the content of the static text resource.".to_owned()),
            ),
        };
        let contents = ResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(mime_type.to_owned()),
            body,
            meta: None,
        };
        Box::pin(std::future::ready(Ok(vec![contents])))
    }
}

fn templated(id: &str) -> String {
    Value::object()
        .put("id", id)
        .put("templateTest", true)
        .put("data", format!("Data for ID: {id}"))
        .build()
        .to_text()
}
