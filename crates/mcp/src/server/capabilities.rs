//! What the server announces that it can do: only what exists.

use toolmesh_tool::Transport;

use super::exchange::Exchange;
use crate::{revision::Era, wire::ObjectWriter};

/// Writes the `capabilities` member: tools always, the others when the caller's catalogue has any of them.
pub(super) fn write_capabilities(object: &mut ObjectWriter<'_>, exchange: &Exchange) {
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
    let follows_changes = exchange.announces_changes();
    object.object("capabilities", |capabilities| {
        let mut announce = |name| {
            capabilities.object(name, |details| {
                if follows_changes {
                    details.boolean("listChanged", true);
                }
            });
        };
        announce("tools");
        let templates = catalogue.templates().next().is_some();
        if templates || catalogue.resources().next().is_some() {
            announce("resources");
        }
        let prompts = catalogue.prompts().next().is_some();
        if prompts {
            announce("prompts");
        }
        if prompts || templates {
            capabilities.raw("completions", b"{}");
        }
    });
}

impl Exchange {
    /// Whether changes of the lists reach the client: on stdio after a handshake.
    fn announces_changes(&self) -> bool {
        self.caller.transport == Transport::Stdio && self.revision.era == Era::Handshake
    }
}
