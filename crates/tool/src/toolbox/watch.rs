//! Watching the catalogue.

use std::{collections::HashMap, sync::Arc};

use semver::Version;
use tokio::sync::watch;

use super::{Catalogue, CatalogueTool, entry::Versions};
use crate::{Prompt, Resource, ToolName};

/// What became different between two states of the catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueChange {
    /// Tools (name and version) that are new.
    pub added_tools: Vec<(ToolName, String)>,
    /// Tools that are gone.
    pub removed_tools: Vec<(ToolName, String)>,
    /// Tools that tell something else of themselves than before, under the same name and version.
    pub changed_tools: Vec<(ToolName, String)>,
    /// Some resource or resource template came, went, or tells something else of itself.
    pub resources: bool,
    /// Some prompt came, went, or tells something else of itself.
    pub prompts: bool,
}

impl CatalogueChange {
    /// Whether tools came, went, or changed.
    #[must_use]
    pub fn tools(&self) -> bool {
        let tools = [&self.added_tools, &self.removed_tools, &self.changed_tools];
        tools.iter().any(|list| !list.is_empty())
    }
}

/// Sees every change of the catalogue. A slow watcher sees several changes as one, and loses none: a change is what is
/// different between the state that it saw last and the current one. Seeing one costs what changed, not what is there.
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
    let mut change = CatalogueChange {
        resources: resources_differ(before, after),
        prompts: prompts_differ(before, after),
        ..CatalogueChange::default()
    };
    let mut gone: HashMap<(&ToolName, &Version), &CatalogueTool> = HashMap::new();
    let mut there = Vec::new();
    for (old, new) in before.tools.differences(&after.tools) {
        gone.extend(
            old.into_iter()
                .flat_map(Versions::all)
                .map(|tool| (key(tool), tool.as_ref())),
        );
        there.extend(new.into_iter().flat_map(Versions::all));
    }
    for tool in there {
        match gone.remove(&key(tool)) {
            None => change.added_tools.push(told(tool)),
            Some(old) if !old.tool().tells_as(tool.tool()) => change.changed_tools.push(told(tool)),
            Some(_) => {}
        }
    }
    change.removed_tools = gone.into_values().map(told).collect();
    change.removed_tools.sort();
    change
}

fn key(tool: &CatalogueTool) -> (&ToolName, &Version) {
    (tool.name(), tool.tool().version())
}

fn told(tool: &CatalogueTool) -> (ToolName, String) {
    (tool.name().clone(), tool.tool().version().to_string())
}

fn resources_differ(before: &Catalogue, after: &Catalogue) -> bool {
    let resources = !before.resources.is(&after.resources)
        && !before
            .resources()
            .map(|found| resource(found))
            .eq(after.resources().map(|found| resource(found)));
    let templates = !Arc::ptr_eq(&before.templates, &after.templates) && {
        let told = |catalogue: &Catalogue| {
            let all = catalogue.templates().iter();
            all.map(|found| (found.template.clone(), found.info.clone()))
                .collect::<Vec<_>>()
        };
        told(before) != told(after)
    };
    resources || templates
}

fn resource(found: &Resource) -> (&str, &crate::ResourceInfo, Option<u64>) {
    (&found.uri, &found.info, found.size)
}

fn prompts_differ(before: &Catalogue, after: &Catalogue) -> bool {
    fn told(prompt: &Prompt) -> impl PartialEq {
        (
            prompt.name.clone(),
            prompt.title.clone(),
            prompt.description.clone(),
            prompt.icons.clone(),
            prompt.arguments.clone(),
        )
    }
    !before.prompts.is(&after.prompts)
        && !before
            .prompts()
            .map(|prompt| told(prompt))
            .eq(after.prompts().map(|prompt| told(prompt)))
}
