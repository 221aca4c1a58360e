//! Step 2 again: the one place that says whether an entry is there for a caller, in a protocol revision.

use super::{Shared, Visibility};
use crate::{Caller, CatalogueTool, Prompt, Resource, ResourceTemplate, Revisions, toolbox::Sight};

/// How one caller sees the catalogue, in one protocol revision.
#[derive(Clone, Copy)]
pub(super) struct Eyes<'a> {
    pub(super) visibility: Option<&'a dyn Visibility>,
    pub(super) caller: &'a Caller,
    pub(super) revision: Option<&'a str>,
}

impl Shared {
    pub(super) fn eyes<'a>(&'a self, caller: &'a Caller, revision: Option<&'a str>) -> Eyes<'a> {
        Eyes {
            visibility: self.visibility.as_deref(),
            caller,
            revision,
        }
    }
}

impl Eyes<'_> {
    fn sees(&self, revisions: &Revisions, ask: impl FnOnce(&dyn Visibility) -> bool) -> bool {
        revisions.has(self.revision) && self.visibility.is_none_or(ask)
    }
}

impl Sight for Eyes<'_> {
    fn tool(&self, tool: &CatalogueTool) -> bool {
        self.sees(tool.tool().revisions(), |see| see.tool(self.caller, tool))
    }

    fn resource(&self, resource: &Resource) -> bool {
        self.sees(&resource.info.revisions, |see| {
            see.resource(self.caller, resource)
        })
    }

    fn template(&self, template: &ResourceTemplate) -> bool {
        self.sees(&template.info.revisions, |see| {
            see.template(self.caller, template)
        })
    }

    fn prompt(&self, prompt: &Prompt) -> bool {
        self.sees(&prompt.revisions, |see| see.prompt(self.caller, prompt))
    }
}
