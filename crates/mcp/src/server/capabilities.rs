//! What the server announces that it can do: only what exists.

use toolmesh_tool::{TASKS_EXTENSION, TaskMode, dispatcher::VisibleCatalogue};

use super::exchange::Exchange;
use crate::{revision::Era, wire::ObjectWriter};

/// Writes the `capabilities` member: tools always, the others when the caller's catalogue has any of them.
pub(super) fn write_capabilities(object: &mut ObjectWriter<'_>, exchange: &Exchange) {
    let catalogue = exchange.catalogue();
    let tells = exchange.tells_between_answers();
    object.object("capabilities", |capabilities| {
        let mut announce = |name, more: &[&'static str]| {
            capabilities.object(name, |details| {
                for detail in more.iter().filter(|_| tells) {
                    details.boolean(detail, true);
                }
            });
        };
        announce("tools", &["listChanged"]);
        let templates = catalogue.templates().next().is_some();
        if templates || catalogue.resources().next().is_some() {
            announce("resources", &["subscribe", "listChanged"]);
        }
        let prompts = catalogue.prompts().next().is_some();
        if prompts {
            announce("prompts", &["listChanged"]);
        }
        if prompts || templates {
            capabilities.raw("completions", b"{}");
        }
        if tells {
            capabilities.raw("logging", b"{}");
        }
        if exchange.revision.projection.extensions && has_tasks(&catalogue) {
            capabilities.object("extensions", |extensions| {
                extensions.raw(TASKS_EXTENSION, b"{}");
            });
        }
    });
}

fn has_tasks(catalogue: &VisibleCatalogue) -> bool {
    catalogue
        .tools()
        .any(|tool| tool.tool().task_mode() != TaskMode::Never)
}

impl Exchange {
    /// Whether changes and log messages reach the client: where a session or connection keeps what it wants, or where
    /// every request says so itself.
    fn tells_between_answers(&self) -> bool {
        self.revision.era == Era::Stateless || self.peer.is_some()
    }
}
