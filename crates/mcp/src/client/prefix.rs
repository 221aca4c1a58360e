//! URIs between a server that chose them and callers who know them with the source's prefix.

use std::{
    collections::HashSet,
    sync::{PoisonError, RwLock},
};

use toolmesh_tool::{Entries, Prefix, UriTemplate};

/// Schemes of the open web: such a URI is the same for everybody, whoever names it, unless the server lists it.
const WEB: [&str; 2] = ["http://", "https://"];

/// What stands before the URIs of a source's entries.
#[derive(Debug)]
pub(super) struct Prefixed {
    prefix: Prefix,
    web: RwLock<Web>,
}

/// The URIs of the open web that the server lists: callers read those from it, so they know them as its own.
#[derive(Debug, Default)]
pub(super) struct Web {
    uris: HashSet<String>,
    templates: Vec<UriTemplate>,
}

impl Prefixed {
    pub(super) fn new(prefix: Prefix) -> Self {
        Self {
            prefix,
            web: RwLock::default(),
        }
    }

    /// Takes note of what the server lists from now on.
    pub(super) fn lists(&self, web: Web) {
        *self.web.write().unwrap_or_else(PoisonError::into_inner) = web;
    }

    /// The URI by which callers know the server's `uri`.
    pub(super) fn published(&self, uri: &str) -> String {
        if is_web(uri) && !self.is_listed(uri) {
            uri.to_owned()
        } else {
            self.prefix.put_before_uri(uri)
        }
    }

    /// The server's own URI for what callers know as `uri`.
    pub(super) fn original(&self, uri: &str) -> String {
        self.prefix.take_from_uri(uri).unwrap_or_else(|| uri.to_owned())
    }

    fn is_listed(&self, uri: &str) -> bool {
        let web = self.web.read().unwrap_or_else(PoisonError::into_inner);
        web.has(uri)
    }
}

impl Web {
    /// Those among what a server lists.
    pub(super) fn of(entries: &Entries) -> Self {
        let uris = entries.resources.iter().map(|resource| &resource.uri);
        let templates = entries.templates.iter().map(|listed| &listed.template);
        Self {
            uris: uris.filter(|uri| is_web(uri)).cloned().collect(),
            templates: templates
                .filter(|template| is_web(template.as_str()))
                .cloned()
                .collect(),
        }
    }

    fn has(&self, uri: &str) -> bool {
        let mut templates = self.templates.iter();
        self.uris.contains(uri) || templates.any(|template| template.matches(uri).is_some())
    }
}

fn is_web(uri: &str) -> bool {
    WEB.iter().any(|scheme| uri.starts_with(scheme))
}
