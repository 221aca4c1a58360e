//! Watching the catalogue.

use std::{collections::HashMap, sync::Arc};

use semver::Version;
use tokio::sync::watch;

use super::{Catalogue, CatalogueTool, entry::Versions};
use crate::{Prompt, Resource, ResourceTemplate, ToolName};

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

/// Which lists became different between two states of the catalogue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListsChange {
    /// Some tool came, went, or tells something else of itself; of several versions the highest counts, as in lists.
    pub tools: bool,
    /// Some resource or resource template did.
    pub resources: bool,
    /// Some prompt did.
    pub prompts: bool,
}

/// What somebody sees of the catalogue.
pub(crate) trait Sight {
    /// Whether the tool is there.
    fn tool(&self, tool: &CatalogueTool) -> bool;
    /// Whether the resource is there.
    fn resource(&self, resource: &Resource) -> bool;
    /// Whether the template is there.
    fn template(&self, template: &ResourceTemplate) -> bool;
    /// Whether the prompt is there.
    fn prompt(&self, prompt: &Prompt) -> bool;
}

impl ListsChange {
    /// Whether any list is different.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.tools || self.resources || self.prompts
    }

    /// What is different for somebody who sees this much.
    pub(crate) fn between(before: &Catalogue, after: &Catalogue, sight: &impl Sight) -> Self {
        Self {
            tools: differ(
                before
                    .tools
                    .differences(&after.tools)
                    .map(|(old, new)| (old.map(highest), new.map(highest))),
                |tool| sight.tool(tool).then(|| tool.name().as_str()),
                |old, new| old.tool().tells_as(new.tool()),
            ),
            resources: resources_differ(before, after, sight),
            prompts: prompts_differ(before, after, sight),
        }
    }
}

fn highest(versions: &Versions) -> &CatalogueTool {
    versions.highest().as_ref()
}

/// Somebody who sees everything.
struct All;

impl Sight for All {
    fn tool(&self, _: &CatalogueTool) -> bool {
        true
    }

    fn resource(&self, _: &Resource) -> bool {
        true
    }

    fn template(&self, _: &ResourceTemplate) -> bool {
        true
    }

    fn prompt(&self, _: &Prompt) -> bool {
        true
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
        let (before, after) = self.states().await?;
        Some(difference(&before, &after))
    }

    /// Waits for another state than the last one seen, and gives both; `None` when the toolbox is gone.
    pub(crate) async fn states(&mut self) -> Option<(Arc<Catalogue>, Arc<Catalogue>)> {
        self.receiver.changed().await.ok()?;
        let now = Arc::clone(&self.receiver.borrow_and_update());
        let before = std::mem::replace(&mut self.seen, Arc::clone(&now));
        Some((before, now))
    }
}

fn difference(before: &Catalogue, after: &Catalogue) -> CatalogueChange {
    let mut change = CatalogueChange {
        resources: resources_differ(before, after, &All),
        prompts: prompts_differ(before, after, &All),
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

/// Whether somebody sees a difference: `key` is that of an entry that is shown, and two entries of one key are `alike`
/// when they tell the same.
fn differ<'a, T: ?Sized + 'a>(
    pairs: impl Iterator<Item = (Option<&'a T>, Option<&'a T>)>,
    key: impl Fn(&'a T) -> Option<&'a str>,
    alike: impl Fn(&T, &T) -> bool,
) -> bool {
    let mut gone = HashMap::new();
    let mut there = Vec::new();
    for (old, new) in pairs {
        gone.extend(old.and_then(|old| Some((key(old)?, old))));
        there.extend(new.and_then(|new| Some((key(new)?, new))));
    }
    // An entry that was put in anew, in another place, is the same to whoever lists it.
    let came = there
        .into_iter()
        .any(|(key, new)| gone.remove(key).is_none_or(|old| !alike(old, new)));
    came || !gone.is_empty()
}

fn resources_differ(before: &Catalogue, after: &Catalogue, sight: &impl Sight) -> bool {
    let resources = !before.resources.is(&after.resources)
        && differ(
            before.resources.differences(&after.resources).map(shared),
            |found| sight.resource(found).then_some(found.uri.as_str()),
            |old, new| (&old.info, old.size) == (&new.info, new.size),
        );
    resources || templates_differ(before, after, sight)
}

fn templates_differ(before: &Catalogue, after: &Catalogue, sight: &impl Sight) -> bool {
    if Arc::ptr_eq(&before.templates, &after.templates) {
        return false;
    }
    let shown = |catalogue: &Catalogue| {
        let all = catalogue.templates().iter().filter(|found| sight.template(found));
        all.map(|found| (found.template.clone(), found.info.clone()))
            .collect::<Vec<_>>()
    };
    shown(before) != shown(after)
}

fn prompts_differ(before: &Catalogue, after: &Catalogue, sight: &impl Sight) -> bool {
    fn told(prompt: &Prompt) -> impl PartialEq {
        (
            prompt.title.clone(),
            prompt.description.clone(),
            prompt.icons.clone(),
            prompt.arguments.clone(),
        )
    }
    !before.prompts.is(&after.prompts)
        && differ(
            before.prompts.differences(&after.prompts).map(shared),
            |found| sight.prompt(found).then_some(found.name.as_str()),
            |old, new| told(old) == told(new),
        )
}

/// The entries themselves.
fn shared<'a, T>((old, new): (Option<&'a Arc<T>>, Option<&'a Arc<T>>)) -> (Option<&'a T>, Option<&'a T>) {
    (old.map(Arc::as_ref), new.map(Arc::as_ref))
}
