//! Watching the catalogue.

use std::sync::Arc;

use tokio::sync::watch;

use super::Catalogue;
use crate::ToolName;

/// What became different between two states of the catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueChange {
    /// Tools (name and version) that are new.
    pub added_tools: Vec<(ToolName, String)>,
    /// Tools that are gone.
    pub removed_tools: Vec<(ToolName, String)>,
    /// Some resource or resource template came or went.
    pub resources: bool,
    /// Some prompt came or went.
    pub prompts: bool,
}

impl CatalogueChange {
    /// Whether tools came or went.
    #[must_use]
    pub fn tools(&self) -> bool {
        !self.added_tools.is_empty() || !self.removed_tools.is_empty()
    }
}

/// Sees every change of the catalogue. A slow watcher sees several changes as one, and loses none.
#[derive(Debug)]
pub struct CatalogueWatch {
    receiver: watch::Receiver<Arc<Catalogue>>,
    seen: Arc<Catalogue>,
}

impl CatalogueWatch {
    pub(super) fn new(mut receiver: watch::Receiver<Arc<Catalogue>>) -> Self {
        let seen = Arc::clone(&receiver.borrow_and_update());
        Self { receiver, seen }
    }

    /// Waits for a change since the last one seen; `None` when the toolbox is gone.
    pub async fn changed(&mut self) -> Option<CatalogueChange> {
        self.receiver.changed().await.ok()?;
        let now = Arc::clone(&self.receiver.borrow_and_update());
        let change = difference(&self.seen, &now);
        self.seen = now;
        Some(change)
    }
}

fn difference(before: &Catalogue, after: &Catalogue) -> CatalogueChange {
    CatalogueChange {
        added_tools: missing(after, before),
        removed_tools: missing(before, after),
        resources: !before
            .resources()
            .map(|found| &found.uri)
            .eq(after.resources().map(|found| &found.uri))
            || !before
                .templates()
                .iter()
                .map(|t| &t.template)
                .eq(after.templates().iter().map(|t| &t.template)),
        prompts: !before
            .prompts()
            .map(|found| &found.name)
            .eq(after.prompts().map(|found| &found.name)),
    }
}

/// The tools of `one` that `other` lacks.
fn missing(one: &Catalogue, other: &Catalogue) -> Vec<(ToolName, String)> {
    let key = |tool: &super::CatalogueTool| (tool.name().clone(), tool.tool().version().to_string());
    let there: std::collections::HashSet<_> = other.all_tools().map(key).collect();
    one.all_tools()
        .map(key)
        .filter(|tool| !there.contains(tool))
        .collect()
}
