//! Finding tools by words: an index beside the catalogue, made by the first search, brought up to date by later ones.

mod index;
mod words;

use std::{
    fmt,
    sync::{PoisonError, RwLock},
};

use super::{
    entry::{CatalogueTool, Versions},
    ordered::Ordered,
};
use crate::ToolName;
use index::Index;
pub use words::{MAX_QUERY_BYTES, MAX_QUERY_WORDS};
use words::{beginning, query_words};

/// Most tools that one search gives: what a model reads before it asks again.
pub const MAX_SEARCH_HITS: usize = 100;

/// A tool that a search found.
#[derive(Debug, Clone, Copy)]
pub struct SearchHit<'a> {
    /// The tool, in its highest version.
    pub tool: &'a CatalogueTool,
    /// How well it fits: comparable within one search only.
    pub score: f32,
}

/// The index of a toolbox; shared by the states of its catalogue.
#[derive(Default)]
pub(super) struct SearchIndex(RwLock<Indexed>);

/// The index, and the state that it was made of.
#[derive(Default)]
struct Indexed {
    generation: u64,
    tools: Ordered<ToolName, Versions>,
    index: Index,
}

impl SearchIndex {
    /// Searches a state of the catalogue. A state that is older than the index is searched through the newer one; tools
    /// that it does not have are left out.
    pub(super) fn search<'a>(
        &self,
        generation: u64,
        tools: &'a Ordered<ToolName, Versions>,
        query: &str,
        limit: usize,
        keep: impl Fn(&CatalogueTool) -> bool,
    ) -> Vec<SearchHit<'a>> {
        let words = query_words(query);
        if words.is_empty() || limit == 0 {
            return Vec::new();
        }
        self.catch_up(generation, tools);
        let indexed = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let ranked = indexed
            .index
            .ranked(&words, beginning(query, MAX_QUERY_BYTES).trim());
        let found = ranked.filter_map(|(name, score)| {
            let tool = tools.get(name)?.highest();
            keep(tool).then_some(SearchHit { tool, score })
        });
        found.take(limit.min(MAX_SEARCH_HITS)).collect()
    }

    /// Brings the index to a state that is newer than it.
    fn catch_up(&self, generation: u64, tools: &Ordered<ToolName, Versions>) {
        let is_current = |indexed: &Indexed| indexed.generation >= generation;
        if is_current(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut indexed = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if is_current(&indexed) {
            return;
        }
        let Indexed {
            tools: before, index, ..
        } = &mut *indexed;
        let differences: Vec<_> = before.differences(tools).collect();
        // A tool may stand elsewhere than before: everything old goes first.
        for old in differences.iter().filter_map(|(old, _)| *old) {
            index.remove(old.highest().name());
        }
        for new in differences.iter().filter_map(|(_, new)| *new) {
            index.put(new.highest());
        }
        indexed.tools = tools.clone();
        indexed.generation = generation;
    }
}

impl fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchIndex")
    }
}
