//! The catalogue through one caller's eyes.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt as _;

use super::{Operation, Shared, Visibility, eyes::Eyes, observe::Asked};
use crate::{
    CallError, Caller, Catalogue, CatalogueTool, Following, FrontInfo, Prompt, Resource, ResourceReader,
    ResourceTemplate, SearchHit, toolbox::Sight as _,
};

/// A snapshot of the catalogue, less what its caller may not see; the source of every list that a front gives.
pub struct VisibleCatalogue {
    snapshot: Arc<Catalogue>,
    visibility: Option<Arc<dyn Visibility>>,
    caller: Caller,
    revision: Option<String>,
}

impl Shared {
    pub(super) async fn admit_alone(
        &self,
        caller: &Caller,
        operation: Operation<'_>,
    ) -> Result<(), CallError> {
        let front = FrontInfo::default();
        let asked = Asked::now(caller, operation, &front);
        let admitted = self.admit(caller, operation).await;
        admitted.inspect_err(|error| self.refused(&asked, error))
    }

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
        self.snapshot.listed_tools().filter(|tool| self.eyes().tool(tool))
    }

    /// The visible tool of this name or alias.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.snapshot
            .tool(name, None)
            .filter(|tool| self.eyes().tool(tool))
    }

    /// The visible tools that fit `query` best, the best first; see [`Catalogue::search`].
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        self.snapshot
            .search_where(query, limit, |tool| self.eyes().tool(tool))
    }

    /// The visible resources.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.snapshot
            .resources()
            .filter(|found| self.eyes().resource(found))
    }

    /// Begins to follow the visible resource at this URI, or the one that a visible template makes; see
    /// [`ResourceReader::follow`]. Changes themselves are told by [`crate::Toolbox::resource_updates`].
    ///
    /// # Errors
    /// [`CallError::NotFound`] when there is none, else what its source refuses with.
    pub async fn follow(&self, uri: &str) -> Result<Following, CallError> {
        let reader = self.reader(uri).ok_or(CallError::NotFound("resource"))?;
        let following = AssertUnwindSafe(reader.follow(uri)).catch_unwind().await;
        following.map_err(|_| CallError::Internal("a reader panicked".to_owned()))?
    }

    fn reader(&self, uri: &str) -> Option<&Arc<dyn ResourceReader>> {
        let exact = self.snapshot.resource(uri);
        if let Some(found) = exact.filter(|found| self.eyes().resource(found)) {
            return Some(&found.reader);
        }
        let (family, _) = self.snapshot.template(uri)?;
        self.eyes().template(family).then_some(&family.reader)
    }

    /// The visible resource templates.
    pub fn templates(&self) -> impl Iterator<Item = &Arc<ResourceTemplate>> {
        self.snapshot
            .templates()
            .iter()
            .filter(|found| self.eyes().template(found))
    }

    /// The visible prompts.
    pub fn prompts(&self) -> impl Iterator<Item = &Arc<Prompt>> {
        self.snapshot.prompts().filter(|found| self.eyes().prompt(found))
    }

    fn eyes(&self) -> Eyes<'_> {
        Eyes {
            visibility: self.visibility.as_deref(),
            caller: &self.caller,
            revision: self.revision.as_deref(),
        }
    }
}

impl std::fmt::Debug for VisibleCatalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VisibleCatalogue")
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
