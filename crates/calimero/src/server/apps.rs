//! The applications that a node has installed.

use std::sync::Arc;

use toolmesh_json::{ObjectBuilder, Value, View};

use super::{Shared, lock};
use crate::model::{Application, Manifest, Service};
use crate::node::{Call, NodeError};
use crate::read::{Metadata, manifest_value};

/// The most applications that are taken from one node.
const MAX_APPLICATIONS: usize = 1_000;

/// What the node tells of one application.
#[derive(Debug)]
struct Row {
    application: Application,
    blob: String,
    services: Vec<String>,
}

/// What was read of a node: the applications, and the mark by which the next reading is told from it.
pub(super) struct Read {
    pub(super) applications: Vec<Application>,
    /// The applications whose interface cannot be read, and why.
    pub(super) unreadable: Vec<(String, String)>,
    pub(super) mark: String,
}

impl Shared {
    /// Reads the installed applications with their interfaces. One whose interface cannot be read is there without
    /// services, and a warning says why.
    pub(super) async fn read_applications(&self) -> Result<Read, NodeError> {
        let answer = self.node.ask(Call::get(&["applications"]), None).await?;
        let rows = answer.get("apps").and_then(View::as_array);
        let rows =
            rows.ok_or_else(|| NodeError::Malformed("a list of applications without `apps`".to_owned()))?;
        let mut applications = Vec::new();
        let mut unreadable = Vec::new();
        let mut mark = String::new();
        for row in rows.iter().take(MAX_APPLICATIONS).filter_map(row) {
            let mut application = row.application;
            application.services = match self.services(&application, &row.blob, &row.services).await {
                Ok(services) => services,
                Err(error @ NodeError::Unreachable { .. }) => return Err(error),
                Err(error) => {
                    tracing::warn!(source = %self.name, application = application.key(), %error, "an application has no tools");
                    unreadable.push((application.key().to_owned(), error.to_string()));
                    Vec::new()
                }
            };
            mark.push_str(&format!("{application:?}"));
            applications.push(application);
        }
        Ok(Read {
            applications,
            unreadable,
            mark,
        })
    }

    async fn services(
        &self,
        application: &Application,
        blob: &str,
        names: &[String],
    ) -> Result<Vec<Service>, NodeError> {
        let names: Vec<Option<&str>> = if names.is_empty() {
            vec![None]
        } else {
            names.iter().map(|name| Some(name.as_str())).collect()
        };
        let mut services = Vec::new();
        for name in names {
            let id = application.id.as_deref().unwrap_or_default();
            services.push(Service {
                name: name.map(str::to_owned),
                manifest: self.interface(id, blob, name).await?,
            });
        }
        Ok(services)
    }

    /// An interface, read once for each blob; a failure is not remembered.
    async fn interface(
        &self,
        id: &str,
        blob: &str,
        service: Option<&str>,
    ) -> Result<Arc<Manifest>, NodeError> {
        let key = format!("{blob}:{}", service.unwrap_or_default());
        if let Some(known) = lock(&self.interfaces).get(&key) {
            return Ok(Arc::clone(known));
        }
        let document = self.node.abi(id, service).await?;
        let manifest =
            manifest_value(document.view()).map_err(|error| NodeError::Malformed(error.to_string()))?;
        let manifest = Arc::new(manifest);
        lock(&self.interfaces).insert(key, Arc::clone(&manifest));
        Ok(manifest)
    }
}

/// The application of one row, without its interface.
pub(super) fn application(row: View<'_>) -> Option<Application> {
    self::row(row).map(|row| row.application)
}

fn row(row: View<'_>) -> Option<Row> {
    let text = |key: &str| {
        let text = row.get(key).and_then(View::as_str)?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let (known, metadata) = row.get("metadata").map(metadata).unwrap_or_default();
    let services = row.get("services").and_then(View::as_object);
    let blob = row.pointer("/blob/bytecode").and_then(View::as_str);
    Some(Row {
        application: Application {
            package: text("package"),
            id: Some(text("id")?),
            version: text("version"),
            display_name: known.name,
            icon: known.icon,
            guide: known.guide,
            signer: text("signer_id"),
            metadata,
            services: Vec::new(),
        },
        blob: blob.unwrap_or_default().to_owned(),
        services: services
            .map(|services| services.keys().map(str::to_owned).collect())
            .unwrap_or_default(),
    })
}

/// What a package says of itself: the bytes of a JSON object, or of a text. What is no UTF-8 says nothing.
fn metadata(value: View<'_>) -> (Metadata, Option<Value>) {
    let byte = |byte: View<'_>| byte.as_u64().and_then(|byte| u8::try_from(byte).ok());
    let bytes: Option<Vec<u8>> = value
        .as_array()
        .and_then(|bytes| bytes.iter().map(byte).collect());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return (Metadata::default(), None);
    };
    let document = toolmesh_json::parse(text.as_bytes()).ok();
    match document.as_ref().and_then(Value::as_object) {
        None => (Metadata::default(), Some(Value::from(text))),
        Some(members) => {
            let shown = members.iter().filter(|(key, _)| *key != "guide");
            let shown: ObjectBuilder = shown.map(|(key, value)| (key, value.to_value())).collect();
            let known = document.as_ref().map(|document| Metadata::of(document.view()));
            (known.unwrap_or_default(), Some(shown.build()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_says_of_itself_is_an_object_a_text_or_nothing() {
        let of = |bytes: &[u8]| {
            let list: Value = bytes.iter().map(|byte| Value::from(u32::from(*byte))).collect();
            metadata(list.view())
        };
        let (known, shown) = of(br##"{"name":"Chat","guide":"# Use","author":"A"}"##);
        assert_eq!(
            (known.name.as_deref(), known.guide.as_deref()),
            (Some("Chat"), Some("# Use"))
        );
        assert_eq!(shown.unwrap().to_text(), r#"{"name":"Chat","author":"A"}"#);
        let (known, shown) = of(b"a chat");
        assert_eq!(
            (known, shown.unwrap().as_str()),
            (Metadata::default(), Some("a chat"))
        );
        for nothing in [&b""[..], b" ", &[0xff, 0xfe]] {
            assert_eq!(of(nothing), (Metadata::default(), None));
        }
        assert_eq!(metadata(Value::from("text").view()), (Metadata::default(), None));
    }
}
