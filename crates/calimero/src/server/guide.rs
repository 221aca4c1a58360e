//! Guides: what an application's author says about using it, as resources.

use std::sync::{Arc, Weak};

use toolmesh_tool::{
    BoxFuture, CallContext, CallError, IndexMap, Resource, ResourceBody, ResourceContents, ResourceInfo,
    ResourceReader, ResourceTemplate, UriTemplate,
};

use super::Shared;
use crate::model::Application;

const MARKDOWN: &str = "text/markdown";

/// The URI of an application's guide.
#[must_use]
pub fn guide_uri(application: &Application) -> Option<String> {
    application.guide.as_ref()?;
    let plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    let (id, version) = (
        application.id.as_deref()?,
        application.version.as_deref().unwrap_or("0"),
    );
    (plain(id) && plain(version)).then(|| format!("calimero://apps/{id}/{version}/guide"))
}

/// The titles of the procedures that a guide describes: the headings of third order under the heading `Procedures`,
/// outside of fenced code.
#[must_use]
pub fn procedures(guide: &str) -> Vec<String> {
    let mut titles = Vec::new();
    let (mut inside, mut fenced) = (false, false);
    for line in guide.trim_start_matches('\u{feff}').lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        if line.starts_with("# ") || line.starts_with("## ") {
            inside = line.trim_end() == "## Procedures";
        } else if inside && let Some(title) = line.strip_prefix("### ") {
            titles.push(title.trim().to_owned());
        }
    }
    titles
}

/// A resource for each application that has a guide.
pub(super) fn resources(shared: &Arc<Shared>, applications: &[Application]) -> Vec<Resource> {
    let resource = |application: &Application| {
        let uri = guide_uri(application)?;
        let size = application
            .guide
            .as_ref()
            .and_then(|guide| u64::try_from(guide.len()).ok());
        Some(Resource {
            uri,
            info: ResourceInfo {
                name: format!("{} guide", application.label()),
                description: Some(format!("How to use {}, by its author.", application.label())),
                mime_type: Some(MARKDOWN.to_owned()),
                ..ResourceInfo::default()
            },
            size,
            reader: Arc::new(Guides(Arc::downgrade(shared))),
        })
    };
    applications.iter().filter_map(resource).collect()
}

/// The form of their URIs.
pub(super) fn template(shared: &Arc<Shared>) -> Option<ResourceTemplate> {
    let template = UriTemplate::parse("calimero://apps/{applicationId}/{version}/guide").ok()?;
    Some(ResourceTemplate {
        template,
        info: ResourceInfo {
            name: "application guide".to_owned(),
            description: Some("How to use an installed application, by its author.".to_owned()),
            mime_type: Some(MARKDOWN.to_owned()),
            ..ResourceInfo::default()
        },
        reader: Arc::new(Guides(Arc::downgrade(shared))),
    })
}

/// Reads guides out of what is installed. The toolbox holds it, and does not keep the source alive.
struct Guides(Weak<Shared>);

impl ResourceReader for Guides {
    fn read<'a>(
        &'a self,
        _context: CallContext,
        uri: &'a str,
        _variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move {
            let apps = self.0.upgrade().map(|shared| shared.apps()).unwrap_or_default();
            let asked = uri.rsplit_once("apps/").map(|(_, rest)| rest);
            let found = apps.iter().find(|application| {
                let own = guide_uri(application);
                own.as_deref()
                    .and_then(|own| own.split_once("apps/"))
                    .map(|(_, rest)| rest)
                    == asked
            });
            let guide = found.and_then(|application| application.guide.clone());
            let guide = guide.ok_or(CallError::NotFound("resource"))?;
            Ok(vec![ResourceContents {
                uri: uri.to_owned(),
                mime_type: Some(MARKDOWN.to_owned()),
                body: ResourceBody::Text(guide),
                meta: None,
            }])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_are_the_headings_below_their_own_and_not_those_in_code() {
        let guide = "\u{feff}# Shop\r\n## Procedures\r\n### Buy \r\ntext\r\n```\r\n### not one\r\n```\r\n### Return\r\n## Other\r\n### neither\r\n";
        assert_eq!(procedures(guide), ["Buy", "Return"]);
        assert_eq!(procedures("## Procedures of mine\n### x"), Vec::<String>::new());
    }
}
