//! Step 2: what may this caller see?

use crate::{Caller, CatalogueTool, Prompt, Resource, ResourceTemplate};

/// Decides what a caller may see, in lists and in calls alike; without one, everything.
pub trait Visibility: Send + Sync + 'static {
    /// Whether the tool is there for `caller`.
    fn tool(&self, caller: &Caller, tool: &CatalogueTool) -> bool {
        let _ = (caller, tool);
        true
    }

    /// Whether the resource is there for `caller`.
    fn resource(&self, caller: &Caller, resource: &Resource) -> bool {
        let _ = (caller, resource);
        true
    }

    /// Whether the resources of the template are there for `caller`.
    fn template(&self, caller: &Caller, template: &ResourceTemplate) -> bool {
        let _ = (caller, template);
        true
    }

    /// Whether the prompt is there for `caller`.
    fn prompt(&self, caller: &Caller, prompt: &Prompt) -> bool {
        let _ = (caller, prompt);
        true
    }
}
