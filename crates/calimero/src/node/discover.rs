//! Finding a node: what is said, what was handed over, what is configured, what answers.

use std::fs;
use std::time::Duration;

use toolmesh_json::{View, parse};

use super::{
    NodeError, NodeSettings, Secret,
    http::{Http, Request},
};

/// How long a node has to answer when it is looked for.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// The file by which a node's desktop hands over address and tokens.
const HANDOFF_FILE: &str = "agent.json";

/// How a node was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoverySource {
    /// Its URL was said.
    Said,
    /// It was handed over in a file.
    Handoff,
    /// Its configuration was named.
    Named,
    /// It is the only one that is configured, or the one called `default`.
    ConfigScan,
    /// It answered.
    Probe,
}

impl DiscoverySource {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Said => "env",
            Self::Handoff => "handoff",
            Self::Named => "named",
            Self::ConfigScan => "config-scan",
            Self::Probe => "probe",
        }
    }
}

/// A node that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovered {
    /// Its URL, without a slash at the end.
    pub url: String,
    /// Its name, when it has one.
    pub name: Option<String>,
    /// How it was found.
    pub source: DiscoverySource,
}

/// What a node's desktop hands over.
#[derive(Clone, Debug)]
pub(super) struct Handoff {
    pub(super) url: String,
    pub(super) access_token: Secret,
    pub(super) refresh_token: Option<Secret>,
}

/// Finds a node; the first way that leads to one wins.
///
/// # Errors
/// [`NodeError::Discovery`] when none is found, several are, or the named one is not there.
pub async fn discover(settings: &NodeSettings) -> Result<Discovered, NodeError> {
    let found = |url: &str, name: Option<&str>, source| Discovered {
        url: url.trim_end_matches('/').to_owned(),
        name: name.map(str::to_owned),
        source,
    };
    if let Some(url) = &settings.url {
        return Ok(found(url, settings.name.as_deref(), DiscoverySource::Said));
    }
    if let Some(handoff) = handoff(settings) {
        return Ok(found(&handoff.url, None, DiscoverySource::Handoff));
    }
    let configured = configured(settings);
    if let Some(name) = &settings.name {
        return match configured.iter().find(|(known, _)| known == name) {
            Some((_, url)) => Ok(found(url, Some(name), DiscoverySource::Named)),
            None => Err(NodeError::Discovery(format!(
                "Node \"{name}\" not found in {}. Known: {}",
                shown(settings),
                listed(&configured)
            ))),
        };
    }
    let default = configured.iter().find(|(name, _)| name == "default");
    match (configured.as_slice(), default) {
        ([(name, url)], _) | (_, Some((name, url))) => {
            Ok(found(url, Some(name), DiscoverySource::ConfigScan))
        }
        ([], None) => match probe(settings).await {
            Some(url) => Ok(found(&url, None, DiscoverySource::Probe)),
            None => Err(NodeError::Discovery(format!(
                "No Calimero node found: no node is configured in {}, and none answers at {}. Start one, or set \
                 CALIMERO_NODE_URL.",
                shown(settings),
                settings.probed.join(", ")
            ))),
        },
        (several, None) => Err(NodeError::Discovery(format!(
            "Several nodes found in {}: {}. Choose one with CALIMERO_NODE_NAME or CALIMERO_NODE_URL.",
            shown(settings),
            listed(several)
        ))),
    }
}

/// Every node that is configured or answers, with its name and whether it answers.
pub async fn nearby(settings: &NodeSettings) -> Vec<(String, Option<String>, bool)> {
    let mut nodes = Vec::new();
    for (name, url) in configured(settings) {
        let active = answers(&url).await;
        nodes.push((url, Some(name), active));
    }
    for url in &settings.probed {
        if nodes.iter().all(|(known, ..)| known != url) && answers(url).await {
            nodes.push((url.clone(), None, true));
        }
    }
    nodes
}

fn shown(settings: &NodeSettings) -> String {
    settings
        .home
        .as_ref()
        .map_or_else(|| "no folder".to_owned(), |home| home.display().to_string())
}

fn listed(nodes: &[(String, String)]) -> String {
    let names: Vec<String> = nodes
        .iter()
        .map(|(name, url)| format!("{name} ({url})"))
        .collect();
    if names.is_empty() {
        "(none)".to_owned()
    } else {
        names.join(", ")
    }
}

/// Names and URLs of the configured nodes, by name.
fn configured(settings: &NodeSettings) -> Vec<(String, String)> {
    let entries = settings.home.as_ref().and_then(|home| fs::read_dir(home).ok());
    let mut nodes: Vec<(String, String)> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let text = fs::read_to_string(entry.path().join("config.toml")).ok()?;
            Some((
                entry.file_name().to_string_lossy().into_owned(),
                configured_url(&text)?,
            ))
        })
        .collect();
    nodes.sort();
    nodes
}

/// The URL of the first loopback address of the section `[server]`.
fn configured_url(text: &str) -> Option<String> {
    const ADDRESS: &str = "/ip4/127.0.0.1/tcp/";
    let lines = text.lines().map(str::trim);
    let section = lines.skip_while(|line| *line != "[server]").skip(1);
    for line in
        section.take_while(|line| !(line.starts_with('[') && line.ends_with(']') && !line.contains('"')))
    {
        if let Some((_, rest)) = line.split_once(ADDRESS) {
            let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let port: u16 = port.parse().ok()?;
            return Some(format!("http://localhost:{port}"));
        }
    }
    None
}

/// What was handed over: only for a node on this machine, and only with a token.
pub(super) fn handoff(settings: &NodeSettings) -> Option<Handoff> {
    let path = settings.state_dir.as_ref()?.join(HANDOFF_FILE);
    let bytes = fs::read(&path).ok()?;
    let handoff = read_handoff(&bytes);
    if let Err(reason) = &handoff {
        tracing::warn!(file = %path.display(), reason, "the file is ignored");
    }
    handoff.ok()
}

fn read_handoff(bytes: &[u8]) -> Result<Handoff, &'static str> {
    let value = parse(bytes).map_err(|_| "it is not JSON")?;
    let text = |key| {
        value
            .get(key)
            .and_then(View::as_str)
            .filter(|text| !text.is_empty())
    };
    let url = text("nodeUrl").ok_or("it names no node")?;
    if !is_loopback(url) {
        return Err("its node is not on this machine");
    }
    Ok(Handoff {
        url: url.trim_end_matches('/').to_owned(),
        access_token: Secret::new(text("accessToken").ok_or("it has no token")?),
        refresh_token: text("refreshToken").map(Secret::new),
    })
}

fn is_loopback(url: &str) -> bool {
    let parsed = reqwest::Url::parse(url).ok();
    parsed.is_some_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    })
}

/// The first of the usual addresses that answers; all are asked at once.
async fn probe(settings: &NodeSettings) -> Option<String> {
    let asked = settings.probed.iter().map(|url| answers(url));
    let answers = futures_util::future::join_all(asked).await;
    let mut pairs = settings.probed.iter().zip(answers);
    pairs.find(|(_, answers)| *answers).map(|(url, _)| url.clone())
}

async fn answers(url: &str) -> bool {
    match Http::new(url, PROBE_TIMEOUT) {
        Ok(http) => http
            .send(&Request::get("/admin-api/health"), None)
            .await
            .is_ok_and(|reply| reply.is_success()),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn configure(home: &Path, name: &str, text: &str) {
        let folder = home.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    fn server(port: u16) -> String {
        format!(
            "[swarm]\nlisten = [\"/ip4/127.0.0.1/tcp/1\"]\n\n[server]\nlisten = [\n  \"/ip4/127.0.0.1/tcp/{port}\",\n  \
             \"/ip6/::1/tcp/{port}\",\n]\n[server.admin]\n"
        )
    }

    fn settings(folder: &Path) -> NodeSettings {
        NodeSettings {
            home: Some(folder.join("nodes")),
            state_dir: Some(folder.join("state")),
            probed: Vec::new(),
            ..NodeSettings::default()
        }
    }

    async fn told(settings: &NodeSettings) -> String {
        match discover(settings).await {
            Ok(found) => format!("{} {:?} {}", found.url, found.name, found.source.as_str()),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn each_rung_wins_over_those_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(folder.path());
        let home = settings.home.clone().unwrap();
        assert!(told(&settings).await.starts_with("No Calimero node found"));
        configure(&home, "broken", "[server]\nlisten = []");
        configure(&home, "one", &server(7001));
        assert_eq!(
            told(&settings).await,
            r#"http://localhost:7001 Some("one") config-scan"#
        );
        configure(&home, "two", &server(7002));
        let several = told(&settings).await;
        assert!(several.starts_with("Several nodes found in"), "{several}");
        assert!(several.contains("one (http://localhost:7001), two (http://localhost:7002)"));
        configure(&home, "default", &server(7003));
        assert_eq!(
            told(&settings).await,
            r#"http://localhost:7003 Some("default") config-scan"#
        );
        settings.name = Some("two".to_owned());
        assert_eq!(
            told(&settings).await,
            r#"http://localhost:7002 Some("two") named"#
        );
        settings.name = Some("three".to_owned());
        assert!(told(&settings).await.starts_with("Node \"three\" not found in"));
        fs::create_dir_all(settings.state_dir.clone().unwrap()).unwrap();
        let file = settings.state_dir.clone().unwrap().join(HANDOFF_FILE);
        fs::write(&file, r#"{"nodeUrl":"http://127.0.0.1:7004/","accessToken":"t"}"#).unwrap();
        assert_eq!(told(&settings).await, "http://127.0.0.1:7004 None handoff");
        settings.url = Some("https://far.example/".to_owned());
        assert_eq!(told(&settings).await, r#"https://far.example Some("three") env"#);
    }

    #[test]
    fn a_handoff_is_for_this_machine_and_has_a_token() {
        for (text, reason) in [
            ("x", "it is not JSON"),
            (r#"{"accessToken":"t"}"#, "it names no node"),
            (r#"{"nodeUrl":"http://localhost:1"}"#, "it has no token"),
            (
                r#"{"nodeUrl":"http://localhost.evil:1","accessToken":"t"}"#,
                "its node is not on this machine",
            ),
            (
                r#"{"nodeUrl":"ftp://localhost","accessToken":"t"}"#,
                "its node is not on this machine",
            ),
        ] {
            assert_eq!(read_handoff(text.as_bytes()).map(|_| ()).unwrap_err(), reason);
        }
        for url in ["http://localhost:1", "https://127.0.0.1", "http://[::1]:9"] {
            let text = format!(r#"{{"nodeUrl":"{url}","accessToken":"t"}}"#);
            assert!(read_handoff(text.as_bytes()).is_ok(), "{url}");
        }
    }
}
