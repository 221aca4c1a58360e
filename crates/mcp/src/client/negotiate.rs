//! Finding out what an upstream server speaks, and what it has.

use toolmesh_json::{Value, View};
use toolmesh_tool::ClientCapabilities;

use super::{
    error::{ClientError, UNSUPPORTED_VERSION},
    identity::{capabilities, client_info, session_capabilities},
    limits::{DISCOVER_TIMEOUT, shortened},
    link::{Link, Outgoing, STATELESS, Spoken},
};

/// `_meta` key of the revision that a stateless request speaks.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of what the client can do.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// `_meta` key of what the client is.
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
/// `_meta` key of what the server is.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// What client and server agreed on.
#[derive(Debug, Clone)]
pub(super) struct Agreed {
    pub(super) spoken: Spoken,
    /// The server's own word for its name and version.
    pub(super) server: Option<String>,
    pub(super) has_tools: bool,
    pub(super) has_prompts: bool,
    pub(super) has_resources: bool,
    /// Whether the server completes arguments.
    pub(super) completes: bool,
    /// Whether the server tells of single resources whose contents change.
    pub(super) subscribes: bool,
    /// Whether the server tells when one of its lists changes.
    pub(super) tells_changes: bool,
}

/// Which revisions are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The stateless one, then a handshake.
    Newest,
    /// The stateless one alone.
    Stateless,
    /// A handshake that offers this revision.
    Handshake(&'static str),
}

/// Agrees with the server at the other end of `link`.
pub(super) async fn negotiate(link: &Link, choice: Choice) -> Result<Agreed, ClientError> {
    match choice {
        Choice::Handshake(offered) => handshake(link, offered).await,
        Choice::Stateless => discover(link).await,
        Choice::Newest => match tokio::time::timeout(DISCOVER_TIMEOUT, discover(link)).await {
            Ok(Ok(agreed)) => Ok(agreed),
            Ok(Err(error)) if is_not_understood(&error) => handshake(link, Spoken::OFFERED).await,
            Ok(Err(error)) => Err(error),
            // It does not answer what it does not know, or it is still starting.
            Err(_) => match handshake(link, Spoken::OFFERED).await {
                Err(error) if is_not_understood(&error) => discover(link).await,
                agreed => agreed,
            },
        },
    }
}

/// Whether a server answers so that does not know what it was asked. Older servers do that with any error, also with a
/// bare HTTP status.
fn is_not_understood(error: &ClientError) -> bool {
    matches!(
        error,
        ClientError::Answered(_)
            | ClientError::Status(_)
            | ClientError::NoRevision
            | ClientError::Protocol(_)
    )
}

/// The `_meta` of a stateless request for a caller with these capabilities.
pub(super) fn stateless_meta(of: &ClientCapabilities) -> toolmesh_json::ObjectBuilder {
    Value::object()
        .put(VERSION_KEY, STATELESS.version)
        .put(CLIENT_KEY, client_info())
        .put(CAPABILITIES_KEY, capabilities(of))
}

async fn discover(link: &Link) -> Result<Agreed, ClientError> {
    link.speak(STATELESS);
    let mut request = Outgoing::new("server/discover", Value::object());
    request.meta = stateless_meta(&ClientCapabilities::default());
    let result = link
        .begin(request)
        .await?
        .end()
        .await
        .map_err(|error| match error {
            ClientError::Answered(told) if told.code == UNSUPPORTED_VERSION => ClientError::NoRevision,
            error => error,
        })?;
    let versions = result.get("supportedVersions").and_then(View::as_array);
    let served = versions.is_some_and(|versions| {
        versions
            .iter()
            .any(|version| version.as_str() == Some(STATELESS.version))
    });
    if !served {
        return Err(ClientError::NoRevision);
    }
    let server = result.get("_meta").and_then(|meta| meta.get(SERVER_KEY));
    Ok(agreed(STATELESS, &result, server))
}

async fn handshake(link: &Link, offered: &str) -> Result<Agreed, ClientError> {
    link.begin_session();
    let params = Value::object()
        .put("protocolVersion", offered)
        .put("capabilities", session_capabilities())
        .put("clientInfo", client_info());
    let result = link
        .begin(Outgoing::new("initialize", params))
        .await?
        .end()
        .await?;
    let version = result.get("protocolVersion").and_then(View::as_str);
    let spoken = version
        .and_then(Spoken::by_handshake)
        .ok_or(ClientError::NoRevision)?;
    link.speak(spoken);
    link.notify("notifications/initialized").await?;
    link.listen();
    Ok(agreed(spoken, &result, result.get("serverInfo")))
}

fn agreed(spoken: Spoken, result: &Value, server: Option<View<'_>>) -> Agreed {
    let capability = |name: &str| result.get("capabilities").and_then(|all| all.get(name));
    let lists = ["tools", "prompts", "resources"].map(capability);
    let says = |list: Option<View<'_>>, what: &str| {
        list.and_then(|list| list.get(what))
            .and_then(View::as_bool)
            .unwrap_or_default()
    };
    let [has_tools, has_prompts, has_resources] = lists.map(|list| list.is_some());
    let text = |name: &str| server.and_then(|server| server.get(name)).and_then(View::as_str);
    Agreed {
        spoken,
        server: text("name").map(|name| {
            let version = text("version").unwrap_or_default();
            format!("{} {}", shortened(name), shortened(version))
        }),
        has_tools,
        has_prompts,
        has_resources,
        completes: capability("completions").is_some(),
        subscribes: says(capability("resources"), "subscribe"),
        tells_changes: lists.iter().any(|list| says(*list, "listChanged")),
    }
}
