//! What a client says of itself, by its handshake or with every request.

use std::sync::Arc;

use toolmesh_json::View;
use toolmesh_tool::{ClientCapabilities, LogLevel};

use crate::revision::Failure;

/// `_meta` key of the revision that a stateless request speaks.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of what the client of a stateless request can do.
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// `_meta` key of what the client of a stateless request is.
pub(crate) const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// `_meta` key of the level from which on a stateless request wants log messages.
pub(crate) const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// The `_meta` keys by which a request shows that it is stateless.
pub(crate) const STATELESS_KEYS: [&str; 4] = [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY];

/// Most bytes of a client's name, of its version, and of the name of an extension: 1 KiB. Sessions keep them.
const MAX_TEXT_BYTES: usize = 1_024;

/// Most extensions that a client may declare: 64, many times as many as there are.
const MAX_EXTENSIONS: usize = 64;

/// What the client said of itself; never an identity.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ClientFacts {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) version: Option<Arc<str>>,
    pub(crate) capabilities: ClientCapabilities,
    /// From which level on this request wants log messages; a client with a handshake says it apart.
    pub(crate) log_level: Option<LogLevel>,
}

impl ClientFacts {
    /// Reads the params of `initialize`; all three members are required.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`].
    pub(crate) fn of_handshake(params: Option<View<'_>>) -> Result<Self, Failure> {
        let member = |name: &str| params.and_then(|params| params.get(name));
        if member("protocolVersion").and_then(View::as_str).is_none() {
            return Err(Failure::InvalidParams);
        }
        Self::read(
            member("capabilities"),
            Some(member("clientInfo").ok_or(Failure::InvalidParams)?),
        )
    }

    /// Reads the `_meta` of a stateless request; only the capabilities are required.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`].
    pub(crate) fn of_request(meta: Option<View<'_>>) -> Result<Self, Failure> {
        let said = Said::of(meta);
        if said.version.and_then(View::as_str).is_none() {
            return Err(Failure::InvalidParams);
        }
        let mut facts = Self::read(said.capabilities, said.client)?;
        if let Some(level) = said.log_level {
            let level = level.as_str().and_then(LogLevel::from_name);
            facts.log_level = Some(level.ok_or(Failure::InvalidParams)?);
        }
        Ok(facts)
    }

    fn read(capabilities: Option<View<'_>>, client: Option<View<'_>>) -> Result<Self, Failure> {
        let capabilities = capabilities
            .filter(|value| value.as_object().is_some())
            .ok_or(Failure::InvalidParams)?;
        let mut facts = Self {
            capabilities: read_capabilities(capabilities)?,
            ..Self::default()
        };
        if let Some(client) = client {
            let text = |name| client.get(name).and_then(View::as_str).and_then(kept);
            facts.name = Some(text("name").ok_or(Failure::InvalidParams)?);
            facts.version = Some(text("version").ok_or(Failure::InvalidParams)?);
        }
        Ok(facts)
    }
}

/// What a stateless request says of its client in its `_meta`, found in one pass.
#[derive(Default)]
struct Said<'a> {
    version: Option<View<'a>>,
    capabilities: Option<View<'a>>,
    client: Option<View<'a>>,
    log_level: Option<View<'a>>,
}

impl<'a> Said<'a> {
    fn of(meta: Option<View<'a>>) -> Self {
        let mut said = Self::default();
        let members = meta.and_then(View::as_object);
        for (name, value) in members.iter().flat_map(|members| members.iter()) {
            match name {
                VERSION_KEY => said.version = Some(value),
                CAPABILITIES_KEY => said.capabilities = Some(value),
                CLIENT_KEY => said.client = Some(value),
                LOG_LEVEL_KEY => said.log_level = Some(value),
                _ => {}
            }
        }
        said
    }
}

/// A text to keep; `None` for one that is too long.
fn kept<T: for<'a> From<&'a str>>(text: &str) -> Option<T> {
    (text.len() <= MAX_TEXT_BYTES).then(|| text.into())
}

fn read_capabilities(declared: View<'_>) -> Result<ClientCapabilities, Failure> {
    let mut capabilities = ClientCapabilities::default();
    for (name, value) in declared.as_object().iter().flat_map(|object| object.iter()) {
        match name {
            "sampling" => capabilities.sampling = true,
            "roots" => capabilities.roots = true,
            "elicitation" => {
                capabilities.elicitation_url = value.get("url").is_some();
                // An empty declaration means forms.
                capabilities.elicitation_form = value.get("form").is_some() || !capabilities.elicitation_url;
            }
            "extensions" => {
                let names = value.as_object().into_iter().flat_map(|object| object.iter());
                let names = names.map(|(name, _)| kept(name)).take(MAX_EXTENSIONS + 1);
                let names: Option<Vec<_>> = names.collect();
                let names = names.filter(|names| names.len() <= MAX_EXTENSIONS);
                capabilities.extensions = names.ok_or(Failure::InvalidParams)?;
            }
            _ => {}
        }
    }
    Ok(capabilities)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capabilities(text: &str) -> ClientCapabilities {
        read(text).expect("within the bounds")
    }

    fn read(text: &str) -> Result<ClientCapabilities, Failure> {
        read_capabilities(toolmesh_json::parse(text.as_bytes()).expect("valid").view())
    }

    #[test]
    fn what_is_kept_of_a_client_has_a_bound() {
        let extensions = |count: usize, bytes: usize| {
            let name = |number: usize| format!(r#""{number:0>bytes$}":{{}}"#);
            let names: Vec<_> = (0..count).map(name).collect();
            read(&format!(r#"{{"extensions":{{{}}}}}"#, names.join(","))).is_ok()
        };
        assert!(extensions(MAX_EXTENSIONS, MAX_TEXT_BYTES));
        assert!(!extensions(MAX_EXTENSIONS + 1, 2));
        assert!(!extensions(1, MAX_TEXT_BYTES + 1));
        let client = |bytes: usize| {
            let text = "n".repeat(bytes);
            let client = format!(r#"{{"capabilities":{{}},"clientInfo":{{"name":"{text}","version":"1"}}}}"#);
            let client = toolmesh_json::parse(client.as_bytes()).expect("valid");
            ClientFacts::read(client.get("capabilities"), client.get("clientInfo")).is_ok()
        };
        assert!(client(MAX_TEXT_BYTES) && !client(MAX_TEXT_BYTES + 1));
    }

    #[test]
    fn an_empty_elicitation_capability_means_forms() {
        let of = |text| {
            let found = capabilities(text);
            (found.elicitation_form, found.elicitation_url)
        };
        assert_eq!(of("{}"), (false, false));
        assert_eq!(of(r#"{"elicitation":{}}"#), (true, false));
        assert_eq!(of(r#"{"elicitation":{"form":{}}}"#), (true, false));
        assert_eq!(of(r#"{"elicitation":{"url":{}}}"#), (false, true));
        assert_eq!(of(r#"{"elicitation":{"url":{},"form":{}}}"#), (true, true));
    }

    #[test]
    fn a_handshake_needs_version_capabilities_and_client() {
        let read = |text: &str| {
            let params = toolmesh_json::parse(text.as_bytes()).expect("valid");
            ClientFacts::of_handshake(Some(params.view())).map(|facts| facts.name)
        };
        let whole = r#"{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"n","version":"1"}}"#;
        assert_eq!(read(whole), Ok(Some("n".into())));
        for missing in [
            "\"protocolVersion\":\"x\",",
            "\"capabilities\":{},",
            ",\"clientInfo\":{\"name\":\"n\",\"version\":\"1\"}",
        ] {
            assert_eq!(
                read(&whole.replace(missing, "")),
                Err(Failure::InvalidParams),
                "{missing}"
            );
        }
    }
}
