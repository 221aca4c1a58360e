//! The catalogue through one caller's eyes.

use std::sync::Arc;

use super::{Operation, Shared, Visibility, observe::Asked};
use crate::{
    CallError, Caller, Catalogue, CatalogueTool, FrontInfo, Prompt, Resource, ResourceTemplate, Revisions,
    SearchHit,
};

/// A snapshot of the catalogue, less what its caller may not see; the source of every list that a front gives.
pub struct VisibleCatalogue {
    snapshot: Arc<Catalogue>,
    visibility: Option<Arc<dyn Visibility>>,
    caller: Caller,
    revision: Option<String>,
}

impl Shared {
    pub(super) async fn list(
        &self,
        caller: &Caller,
        operation: Operation<'_>,
        revision: Option<&str>,
    ) -> Result<VisibleCatalogue, CallError> {
        let front = FrontInfo::default();
        let asked = Asked::now(caller, operation, &front);
        let admitted = match self.admit(caller, operation).await {
            Ok(()) => self.limit_request(caller),
            Err(error) => Err(error),
        };
        if let Err(error) = admitted {
            self.refused(&asked, &error);
            return Err(error);
        }
        let watch = self.observe(&asked, "");
        watch.admitted();
        let visible = VisibleCatalogue::new(self.toolbox.snapshot(), self.visibility.clone(), caller.clone());
        watch.read_ended(&Ok(()));
        Ok(visible.revision(revision))
    }
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
            revision: None,
        }
    }

    /// The same, less what is not there in a protocol revision.
    #[must_use]
    pub fn revision(mut self, revision: Option<&str>) -> Self {
        self.revision = revision.map(str::to_owned);
        self
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
        self.snapshot.listed_tools().filter(|tool| self.shows(tool))
    }

    /// The visible tool of this name or alias.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.snapshot.tool(name, None).filter(|tool| self.shows(tool))
    }

    /// The visible tools that fit `query` best, the best first; see [`Catalogue::search`].
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        self.snapshot.search_where(query, limit, |tool| self.shows(tool))
    }

    /// The visible resources.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.snapshot
            .resources()
            .filter(|found| self.has(&found.info.revisions))
            .filter(|found| self.allows(|see| see.resource(&self.caller, found)))
    }

    /// Whether a visible resource, or a visible template, stands for this URI.
    #[must_use]
    pub fn has_resource(&self, uri: &str) -> bool {
        let exact = self.snapshot.resource(uri);
        let shown = |found: &Arc<Resource>| {
            self.has(&found.info.revisions) && self.allows(|see| see.resource(&self.caller, found))
        };
        if exact.is_some_and(shown) {
            return true;
        }
        let family = self.snapshot.template(uri);
        family.is_some_and(|(found, _)| {
            self.has(&found.info.revisions) && self.allows(|see| see.template(&self.caller, found))
        })
    }

    /// The visible resource templates.
    pub fn templates(&self) -> impl Iterator<Item = &Arc<ResourceTemplate>> {
        self.snapshot
            .templates()
            .iter()
            .filter(|found| self.has(&found.info.revisions))
            .filter(|found| self.allows(|see| see.template(&self.caller, found)))
    }

    /// The visible prompts.
    pub fn prompts(&self) -> impl Iterator<Item = &Arc<Prompt>> {
        self.snapshot
            .prompts()
            .filter(|found| self.has(&found.revisions))
            .filter(|found| self.allows(|see| see.prompt(&self.caller, found)))
    }

    fn shows(&self, tool: &CatalogueTool) -> bool {
        self.has(tool.tool().revisions()) && self.allows(|see| see.tool(&self.caller, tool))
    }

    fn has(&self, revisions: &Revisions) -> bool {
        revisions.has(self.revision.as_deref())
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
