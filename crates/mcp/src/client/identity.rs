//! What the client says of itself.

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::ClientCapabilities;

/// What the client is called at upstream servers.
const NAME: &str = "toolmesh";

/// `clientInfo`.
pub(super) fn client_info() -> Value {
    Value::object()
        .put("name", NAME)
        .put("version", env!("CARGO_PKG_VERSION"))
        .build()
}

/// The capabilities that a handshake declares for every caller to come: whatever a server asks can be passed on. For a caller
/// who cannot be asked it is answered as if he had closed the form, or refused.
pub(super) fn session_capabilities() -> Value {
    capabilities(&ClientCapabilities {
        elicitation_form: true,
        elicitation_url: true,
        sampling: true,
        roots: true,
        ..ClientCapabilities::default()
    })
}

/// The capabilities of one caller, as he declared them himself.
pub(super) fn capabilities(of: &ClientCapabilities) -> Value {
    let empty = || Value::object().build();
    let mut declared = Value::object();
    if of.elicitation_form || of.elicitation_url {
        let modes = [("form", of.elicitation_form), ("url", of.elicitation_url)];
        let modes = modes.into_iter().filter(|(_, has)| *has);
        declared.insert(
            "elicitation",
            modes.map(|(mode, _)| (mode, empty())).collect::<ObjectBuilder>(),
        );
    }
    if of.sampling {
        declared.insert("sampling", empty());
    }
    if of.roots {
        declared.insert("roots", empty());
    }
    declared.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_capabilities_are_declared_as_he_declared_them() {
        let declared = |of: &ClientCapabilities| capabilities(of).to_text();
        assert_eq!(declared(&ClientCapabilities::default()), "{}");
        assert_eq!(
            session_capabilities().to_text(),
            r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#
        );
        let all = ClientCapabilities {
            elicitation_url: true,
            sampling: true,
            roots: true,
            extensions: vec!["io.modelcontextprotocol/tasks".into()],
            ..ClientCapabilities::default()
        };
        // Extensions are agreements between two ends, and this end does not keep them.
        assert_eq!(
            declared(&all),
            r#"{"elicitation":{"url":{}},"sampling":{},"roots":{}}"#
        );
    }
}
