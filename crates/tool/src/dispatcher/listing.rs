//! The catalogue through one caller's eyes.

use std::sync::Arc;

use super::Visibility;
use crate::{Caller, Catalogue, CatalogueTool, Prompt, Resource, ResourceTemplate, SearchHit};

/// A snapshot of the catalogue, less what its caller may not see; the source of every list that a front gives.
pub struct VisibleCatalogue {
    snapshot: Arc<Catalogue>,
    visibility: Option<Arc<dyn Visibility>>,
    caller: Caller,
}

impl VisibleCatalogue {
    pub(super) fn new(
        snapshot: Arc<Catalogue>,
        visibility: Option<Arc<dyn Visibility>>,
        caller: Caller,
    ) -> Self {
        Self {
            snapshot,
            visibility,
            caller,
        }
    }

    /// Counts the changes of the catalogue; equal generations list equally.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.snapshot.generation()
    }

    /// Whether lists may differ from caller to caller.
    #[must_use]
    pub fn is_personal(&self) -> bool {
        self.visibility.is_some()
    }

    /// The highest version of each visible tool, in the order of registration.
    pub fn tools(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.snapshot
            .listed_tools()
            .filter(|tool| self.allows(|see| see.tool(&self.caller, tool)))
    }

    /// The visible tool of this name or alias.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.snapshot
            .tool(name, None)
            .filter(|tool| self.allows(|see| see.tool(&self.caller, tool)))
    }

    /// The visible tools that fit `query` best, the best first; see [`Catalogue::search`].
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        self.snapshot.search_where(query, limit, |tool| {
            self.allows(|see| see.tool(&self.caller, tool))
        })
    }

    /// The visible resources.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.snapshot
            .resources()
            .filter(|found| self.allows(|see| see.resource(&self.caller, found)))
    }

    /// Whether a visible resource, or a visible template, stands for this URI.
    #[must_use]
    pub fn has_resource(&self, uri: &str) -> bool {
        let exact = self.snapshot.resource(uri);
        if exact.is_some_and(|found| self.allows(|see| see.resource(&self.caller, found))) {
            return true;
        }
        let family = self.snapshot.template(uri);
        family.is_some_and(|(found, _)| self.allows(|see| see.template(&self.caller, found)))
    }

    /// The visible resource templates.
    pub fn templates(&self) -> impl Iterator<Item = &Arc<ResourceTemplate>> {
        self.snapshot
            .templates()
            .iter()
            .filter(|found| self.allows(|see| see.template(&self.caller, found)))
    }

    /// The visible prompts.
    pub fn prompts(&self) -> impl Iterator<Item = &Arc<Prompt>> {
        self.snapshot
            .prompts()
            .filter(|found| self.allows(|see| see.prompt(&self.caller, found)))
    }

    fn allows(&self, ask: impl FnOnce(&dyn Visibility) -> bool) -> bool {
        self.visibility.as_deref().is_none_or(ask)
    }
}

impl std::fmt::Debug for VisibleCatalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VisibleCatalogue")
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
