//! Which revision a message speaks, and whether its headers say what its body says.

use toolmesh_json::{Value, View};

use super::headers::{Field, Fields, Malformed};
use crate::{
    header_text,
    jsonrpc::{Notification, Request},
    revision::{Era, Failure, NEWEST_HANDSHAKE, NEWEST_STATELESS, OLDEST, Revision},
    server::{
        client_facts::{CAPABILITIES_KEY, ClientFacts, VERSION_KEY},
        fault::Fault,
    },
};

/// Longest protocol version that is read at all; what is longer is malformed. Real ones have 10 characters.
const MAX_VERSION_CHARS: usize = 64;

/// A message as its selection needs it.
pub(super) struct Signals<'a> {
    pub(super) method: &'a str,
    pub(super) params: Option<&'a Value>,
    /// The `_meta` of the params.
    pub(super) meta: Option<View<'a>>,
}

/// What was selected.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) revision: &'static Revision,
    /// The revision that the header names, when it names one.
    pub(super) declared: Option<&'static Revision>,
    pub(super) facts: ClientFacts,
}

/// A fault with the revision whose table tells it.
pub(super) type Refused = (&'static Revision, Fault);

/// Selects the revision.
///
/// # Errors
/// The first [`Fault`] by the order of steps, with the revision that tells it.
pub(super) fn select(head: &Fields<'_>, message: &Signals<'_>) -> Result<Selected, Refused> {
    let declared = version(head);
    match message.is_stateless(head, declared) {
        true => message.stateless(head, declared),
        false => message.handshake(head, declared),
    }
}

/// Whose table tells of bytes that are no message: that of the version header, when it names one.
pub(super) fn table(head: &Fields<'_>) -> &'static Revision {
    version(head)
        .ok()
        .flatten()
        .and_then(Revision::find)
        .unwrap_or(NEWEST_HANDSHAKE)
}

/// What the version header says: nothing, a version, or what cannot be one.
type Declared<'a> = Result<Option<&'a str>, Failure>;

fn version<'a>(head: &Fields<'a>) -> Declared<'a> {
    match head.protocol_version.single() {
        Ok(Some(version)) if version.len() > MAX_VERSION_CHARS => Err(Failure::HeaderMismatch),
        Ok(version) => Ok(version),
        Err(Malformed) => Err(Failure::HeaderMismatch),
    }
}

impl<'a> Signals<'a> {
    pub(super) fn of_request(request: &'a Request) -> Self {
        Self {
            method: &request.method,
            params: request.params.as_ref(),
            meta: request.meta.as_ref().map(Into::into),
        }
    }

    pub(super) fn of_notification(notification: &'a Notification) -> Self {
        Self {
            method: &notification.method,
            params: notification.params.as_ref(),
            meta: notification.param("_meta"),
        }
    }

    fn meta(&self, key: &str) -> Option<View<'a>> {
        self.meta?.get(key)
    }

    /// The signals of a stateless message: a stateless version in the header or the `_meta`, other protocol keys there,
    /// or mirrored headers; the last two only where no version with a handshake speaks against them.
    fn is_stateless(&self, head: &Fields<'_>, declared: Declared<'_>) -> bool {
        let era = |version: &str| Revision::find(version).map(|revision| revision.era);
        let declared = declared.ok().flatten().and_then(era);
        if declared == Some(Era::Stateless) {
            return true;
        }
        match (declared, self.meta(VERSION_KEY)) {
            (_, Some(version)) => version.as_str().and_then(era) != Some(Era::Handshake),
            (Some(_), None) => false,
            (None, None) => {
                let mirrored = is_there(head.method) || is_there(head.name);
                self.meta(CAPABILITIES_KEY).is_some() || (mirrored && self.method != "initialize")
            }
        }
    }

    fn stateless(&self, head: &Fields<'_>, declared: Declared<'_>) -> Result<Selected, Refused> {
        let table = NEWEST_STATELESS;
        let refused = |failure: Failure| (table, Fault::from(failure));
        let declared = declared.map_err(refused)?;
        let declared = declared.ok_or_else(|| refused(Failure::HeaderMismatch))?;
        self.mirrors(head, Mirrors::Required).map_err(refused)?;
        let revision =
            Revision::find(declared).ok_or_else(|| (table, Fault::unsupported_version(declared)))?;
        let facts = ClientFacts::of_request(self.meta).map_err(refused)?;
        if self.meta(VERSION_KEY).and_then(View::as_str) != Some(declared) {
            return Err(refused(Failure::HeaderMismatch));
        }
        Ok(Selected {
            revision,
            declared: Some(revision),
            facts,
        })
    }

    fn handshake(&self, head: &Fields<'_>, declared: Declared<'_>) -> Result<Selected, Refused> {
        let refused = |failure: Failure| (NEWEST_HANDSHAKE, Fault::from(failure));
        let declared = declared.map_err(refused)?;
        self.mirrors(head, Mirrors::Tolerated).map_err(refused)?;
        let revision = match declared {
            // The handshake's own negotiation settles the revision.
            _ if self.method == "initialize" => NEWEST_HANDSHAKE,
            None => OLDEST,
            Some(declared) => Revision::find(declared)
                .ok_or_else(|| (NEWEST_HANDSHAKE, Fault::unsupported_version(declared)))?,
        };
        Ok(Selected {
            revision,
            declared: declared.and_then(Revision::find),
            facts: ClientFacts::default(),
        })
    }

    /// Checks that `Mcp-Method` and `Mcp-Name` say what the body says. A body without a name is left to the check of
    /// the params.
    fn mirrors(&self, head: &Fields<'_>, rule: Mirrors) -> Result<(), Failure> {
        let mismatch = Failure::HeaderMismatch;
        match head.method.single().map_err(|_| mismatch)? {
            Some(method) if method == self.method => {}
            None if rule == Mirrors::Tolerated => {}
            _ => return Err(mismatch),
        }
        let member = NEWEST_STATELESS
            .method(self.method)
            .and_then(|method| method.name_member());
        let name = head.name.single().map_err(|_| mismatch)?;
        let (Some(member), Some(name)) = (member, name) else {
            let lacking = member.is_some() && rule == Mirrors::Required;
            return if lacking { Err(mismatch) } else { Ok(()) };
        };
        let name = header_text::decoded(name).map_err(|_| mismatch)?;
        match self
            .params
            .and_then(|params| params.get(member))
            .and_then(View::as_str)
        {
            Some(named) if named != name => Err(mismatch),
            _ => Ok(()),
        }
    }
}

fn is_there(field: Field<'_>) -> bool {
    !matches!(field, Field::Absent)
}

/// Whether mirrored headers must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mirrors {
    Required,
    Tolerated,
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::*;
    use crate::jsonrpc::RequestId;

    const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    /// The selected version, or the code of the error.
    fn selected(head: &[(&'static str, &'static str)], method: &str, params: &str) -> String {
        let head: HeaderMap = head
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let params = toolmesh_json::parse(params.as_bytes()).expect("valid");
        let signals = Signals {
            method,
            params: Some(&params),
            meta: params.get("_meta"),
        };
        match select(&Fields::of(&head), &signals) {
            Ok(selected) => selected.revision.version.to_owned(),
            Err((revision, fault)) => {
                let body = fault.reply(revision, Some(&RequestId::Text("x".into()))).body;
                let body = toolmesh_json::parse(&body).expect("JSON");
                body.pointer("/error/code").expect("there").to_text()
            }
        }
    }

    const V: &str = "mcp-protocol-version";
    const M: &str = "mcp-method";
    const N: &str = "mcp-name";

    #[test]
    fn a_message_without_any_signal_is_of_the_oldest_revision() {
        assert_eq!(selected(&[], "tools/list", "{}"), "2025-06-18");
    }

    #[test]
    fn the_version_header_selects_a_revision_with_a_handshake() {
        assert_eq!(selected(&[(V, "2025-11-25")], "tools/list", "{}"), "2025-11-25");
        assert_eq!(selected(&[(V, "2025-06-18")], "tools/list", "{}"), "2025-06-18");
        assert_eq!(selected(&[(V, "2024-11-05")], "tools/list", "{}"), "-32022");
    }

    #[test]
    fn a_stateless_message_says_everything_twice() {
        let meta = format!(r#"{{"_meta":{META}}}"#);
        let call = format!(r#"{{"name":"echo","_meta":{META}}}"#);
        assert_eq!(
            selected(&[(V, "2026-07-28"), (M, "tools/list")], "tools/list", &meta),
            "2026-07-28"
        );
        let named = [(V, "2026-07-28"), (M, "tools/call"), (N, "echo")];
        assert_eq!(selected(&named, "tools/call", &call), "2026-07-28");
        let encoded = [(V, "2026-07-28"), (M, "tools/call"), (N, "=?base64?ZWNobw==?=")];
        assert_eq!(selected(&encoded, "tools/call", &call), "2026-07-28");
    }

    #[test]
    fn a_missing_or_different_header_is_a_mismatch() {
        let meta = format!(r#"{{"_meta":{META}}}"#);
        let call = format!(r#"{{"name":"echo","_meta":{META}}}"#);
        for head in [
            vec![],
            vec![(V, "2026-07-28")],
            vec![(M, "tools/list")],
            vec![(V, "2026-07-28"), (M, "tools/call")],
            vec![(V, "2026-07-28"), (M, "Tools/List")],
            vec![(V, "2025-11-25"), (M, "tools/list")],
        ] {
            assert_eq!(selected(&head, "tools/list", &meta), "-32020", "{head:?}");
        }
        for name in ["", "other", "Echo", "=?base64?ZWNob?=", "=?base64?="] {
            let head = [(V, "2026-07-28"), (M, "tools/call"), (N, name)];
            assert_eq!(selected(&head, "tools/call", &call), "-32020", "{name}");
        }
        assert_eq!(
            selected(&[(V, "2026-07-28"), (M, "tools/call")], "tools/call", &call),
            "-32020"
        );
    }

    #[test]
    fn a_stateless_message_needs_its_meta() {
        let head = [(V, "2026-07-28"), (M, "tools/list")];
        for meta in [
            "{}",
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
            r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#,
            r#"{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}"#,
        ] {
            assert_eq!(
                selected(&head, "tools/list", &format!(r#"{{"_meta":{meta}}}"#)),
                "-32602",
                "{meta}"
            );
        }
        assert_eq!(selected(&head, "tools/list", "{}"), "-32602");
    }

    #[test]
    fn an_unserved_version_is_told_when_the_mirrors_agree() {
        let meta = META.replace("2026-07-28", "2030-01-01");
        let params = format!(r#"{{"_meta":{meta}}}"#);
        assert_eq!(
            selected(&[(V, "2030-01-01"), (M, "tools/list")], "tools/list", &params),
            "-32022"
        );
    }

    #[test]
    fn of_two_faults_the_earlier_step_answers() {
        let meta = META.replace("2026-07-28", "2030-01-01");
        let params = format!(r#"{{"_meta":{meta}}}"#);
        // A wrong mirror and a version that is not served.
        assert_eq!(
            selected(&[(V, "2030-01-01"), (M, "x")], "tools/list", &params),
            "-32020"
        );
        // A version that is not served and no `_meta`.
        assert_eq!(
            selected(&[(V, "2030-01-01"), (M, "tools/list")], "tools/list", "{}"),
            "-32022"
        );
        // A `_meta` without capabilities and with another version than the header.
        let lacking = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}"#;
        assert_eq!(
            selected(&[(V, "2026-07-28"), (M, "tools/list")], "tools/list", lacking),
            "-32602"
        );
    }

    #[test]
    fn an_initialize_may_carry_mirrors() {
        let params = r#"{"protocolVersion":"2025-11-25"}"#;
        assert_eq!(selected(&[(M, "initialize")], "initialize", params), "2025-11-25");
        assert_eq!(selected(&[(M, "ping")], "initialize", params), "-32600");
    }
}
