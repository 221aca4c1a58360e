//! One consistent state of the toolbox.

use std::sync::Arc;

use imbl::{HashMap, OrdMap};
use indexmap::IndexMap;
use semver::VersionReq;

use super::{
    entry::{CatalogueTool, Entry, Versions},
    ordered::{Ordered, Place},
    search::{SearchHit, SearchIndex},
};
use crate::{Prompt, Resource, ResourceTemplate, ToolName};

/// One consistent state of the toolbox; never changes once it is seen. States share whatever is the same in them, so
/// that a change costs what it changes, however much is in the catalogue.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    pub(super) generation: u64,
    /// What each source put in, by the number of its mount.
    pub(super) sources: OrdMap<u64, SourceEntries>,
    /// The number of the next mount.
    pub(super) next_source: u64,
    /// Every tool by name; listed where its first version was registered.
    pub(super) tools: Ordered<ToolName, Versions>,
    /// How many versions of tools give partial output.
    pub(super) streaming: usize,
    /// The tools that claim an alias, one element a version: an alias that two names claim resolves to neither.
    pub(super) aliases: HashMap<String, Vec<ToolName>>,
    pub(super) resources: Ordered<String, Arc<Resource>>,
    pub(super) placed_templates: OrdMap<Place, Arc<ResourceTemplate>>,
    /// The templates in order.
    pub(super) templates: Arc<[Arc<ResourceTemplate>]>,
    pub(super) prompts: Ordered<ToolName, Arc<Prompt>>,
    /// Of the whole toolbox: it goes along with the states.
    search: Arc<SearchIndex>,
}

/// What one source put in.
#[derive(Debug, Clone)]
pub(super) struct SourceEntries {
    pub(super) name: Arc<str>,
    pub(super) entries: OrdMap<u64, Entry>,
    /// The number of the next entry.
    pub(super) next_entry: u64,
}

impl Catalogue {
    /// Counts the changes since the toolbox was made.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The highest version of the tool `name` (or of the one that has this alias) that meets `requirement`.
    #[must_use]
    pub fn tool(&self, name: &str, requirement: Option<&VersionReq>) -> Option<&CatalogueTool> {
        let versions = self.named(name)?;
        match requirement {
            None => Some(versions.highest()),
            Some(wanted) => versions
                .all()
                .find(|found| wanted.matches(found.tool.version()))
                .map(Arc::as_ref),
        }
    }

    /// Whether any tool gives partial output ([`crate::Tool::streaming`]); where none does, nobody has to look at the one that
    /// is called.
    #[must_use]
    pub fn has_streaming_tools(&self) -> bool {
        self.streaming > 0
    }

    /// Every version of the tool `name`, or of the one that has this alias.
    pub fn versions(&self, name: &str) -> impl Iterator<Item = &CatalogueTool> {
        let versions = self.named(name).into_iter();
        versions.flat_map(Versions::all).map(Arc::as_ref)
    }

    fn named(&self, name: &str) -> Option<&Versions> {
        self.tools.get(name).or_else(|| self.aliased(name))
    }

    fn aliased(&self, alias: &str) -> Option<&Versions> {
        let (target, others) = self.aliases.get(alias)?.split_first()?;
        others
            .iter()
            .all(|other| other == target)
            .then(|| self.tools.get(target))?
    }

    /// The highest version of every tool, in the order of registration.
    pub fn listed_tools(&self) -> impl ExactSizeIterator<Item = &CatalogueTool> {
        self.tools.values().map(|versions| versions.highest().as_ref())
    }

    /// Every version of every tool.
    pub fn all_tools(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.tools.values().flat_map(Versions::all).map(Arc::as_ref)
    }

    /// The tools (highest versions) whose names, titles, tags and descriptions fit `query` best, the best first; at most
    /// `limit`, and never more than [`crate::MAX_SEARCH_HITS`].
    ///
    /// A tool fits when it has at least one of the words; words of names weigh more than words of descriptions, rare
    /// words more than common ones (BM25). Only the first [`crate::MAX_QUERY_BYTES`] bytes and the first
    /// [`crate::MAX_QUERY_WORDS`] words of the query are looked at. The first search of a toolbox indexes it; later ones
    /// bring the index up to date with what changed.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit<'_>> {
        self.search_where(query, limit, |_| true)
    }

    /// As [`Catalogue::search`], among the tools that `keep` says yes to.
    pub(crate) fn search_where(
        &self,
        query: &str,
        limit: usize,
        keep: impl Fn(&CatalogueTool) -> bool,
    ) -> Vec<SearchHit<'_>> {
        self.search
            .search(self.generation, &self.tools, query, limit, keep)
    }

    /// The resource at exactly this URI.
    #[must_use]
    pub fn resource(&self, uri: &str) -> Option<&Arc<Resource>> {
        self.resources.get(uri)
    }

    /// Every resource, in the order of registration.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// The first template that matches this URI, with its variables.
    #[must_use]
    pub fn template(&self, uri: &str) -> Option<(&Arc<ResourceTemplate>, IndexMap<String, String>)> {
        self.templates
            .iter()
            .find_map(|found| Some((found, found.template.matches(uri)?)))
    }

    /// Every template, in the order of registration.
    #[must_use]
    pub fn templates(&self) -> &[Arc<ResourceTemplate>] {
        &self.templates
    }

    /// A prompt by name.
    #[must_use]
    pub fn prompt(&self, name: &str) -> Option<&Arc<Prompt>> {
        self.prompts.get(name)
    }

    /// Every prompt, in the order of registration.
    pub fn prompts(&self) -> impl ExactSizeIterator<Item = &Arc<Prompt>> {
        self.prompts.values()
    }

    /// Whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.resources.is_empty()
            && self.templates.is_empty()
            && self.prompts.is_empty()
    }

    /// How many entries it has: versions count one each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sources.values().map(|source| source.entries.len()).sum()
    }
}
