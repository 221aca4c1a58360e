//! Watching the lists of one caller.

use std::sync::Arc;

use super::{Dispatcher, Visibility, eyes::Eyes};
use crate::{
    Caller, CatalogueTool, CatalogueWatch, ListsChange, Prompt, Resource, ResourceTemplate, Tool,
    toolbox::Sight,
};

/// Says of a tool whether a front offers it at all.
type Offers = dyn Fn(&Tool) -> bool + Send + Sync;

/// Sees when a list changes that one caller may ask for: what he may not see comes and goes without a word, so that
/// nobody learns of it by being told. A slow watcher sees several changes as one, and loses none.
///
/// What a [`Visibility`] decides anew without a change of the catalogue is not seen.
pub struct VisibleWatch {
    watch: CatalogueWatch,
    visibility: Option<Arc<dyn Visibility>>,
    caller: Caller,
    revision: Option<String>,
    offers: Option<Box<Offers>>,
}

impl VisibleWatch {
    /// The same, less the tools that the front does not offer.
    #[must_use]
    pub fn offering(mut self, offers: impl Fn(&Tool) -> bool + Send + Sync + 'static) -> Self {
        self.offers = Some(Box::new(offers));
        self
    }

    /// Waits until a list is different for the caller; `None` when the toolbox is gone. Nothing is lost when the future is
    /// dropped.
    pub async fn changed(&mut self) -> Option<ListsChange> {
        loop {
            let (before, after) = self.watch.states().await?;
            let change = ListsChange::between(&before, &after, &self.sight());
            if change.is_some() {
                return Some(change);
            }
        }
    }

    fn sight(&self) -> Offered<'_> {
        let eyes = Eyes {
            visibility: self.visibility.as_deref(),
            caller: &self.caller,
            revision: self.revision.as_deref(),
        };
        Offered {
            eyes,
            offers: self.offers.as_deref(),
        }
    }
}

impl Dispatcher {
    /// Watches what `caller` may see in lists from now on; `revision` is that of the front's protocol, when it has any.
    #[must_use]
    pub fn watch(&self, caller: &Caller, revision: Option<&str>) -> VisibleWatch {
        VisibleWatch {
            watch: self.toolbox().watch(),
            visibility: self.shared.visibility.clone(),
            caller: caller.clone(),
            revision: revision.map(str::to_owned),
            offers: None,
        }
    }
}

/// What a caller sees of what a front offers.
struct Offered<'a> {
    eyes: Eyes<'a>,
    offers: Option<&'a Offers>,
}

impl Sight for Offered<'_> {
    fn tool(&self, tool: &CatalogueTool) -> bool {
        self.offers.is_none_or(|offers| offers(tool.tool())) && self.eyes.tool(tool)
    }

    fn resource(&self, resource: &Resource) -> bool {
        self.eyes.resource(resource)
    }

    fn template(&self, template: &ResourceTemplate) -> bool {
        self.eyes.template(template)
    }

    fn prompt(&self, prompt: &Prompt) -> bool {
        self.eyes.prompt(prompt)
    }
}

impl std::fmt::Debug for VisibleWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VisibleWatch")
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
