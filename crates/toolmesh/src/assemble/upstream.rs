//! Another MCP server as a source.

use std::sync::Arc;

use toolmesh_mcp::{Upstream, UpstreamOptions, UpstreamSource, client::SCHEME};

use super::{AssembleError, Location};
use crate::config::SourceConfig;

/// The source at an `mcp:` location; nothing is started yet.
pub(crate) fn open(source: &SourceConfig, text: &str) -> Result<Arc<UpstreamSource>, AssembleError> {
    let configuration = |reason: String| AssembleError::Configuration {
        location: source.location.clone(),
        reason,
    };
    let upstream =
        Upstream::parse(&format!("{SCHEME}{text}")).map_err(|error| configuration(error.to_string()))?;
    let is_command = matches!(upstream, Upstream::Command { .. });
    let misplaced = [
        ("headers", is_command && !source.headers.is_empty(), "a URL"),
        (
            "environment",
            !is_command && !source.environment.is_empty(),
            "a command",
        ),
        (
            "arguments",
            !is_command && !source.arguments.is_empty(),
            "a command",
        ),
    ];
    if let Some((key, _, place)) = misplaced.into_iter().find(|(_, given, _)| *given) {
        return Err(configuration(format!(
            "`{key}` is for a source that is {place}; take it out"
        )));
    }
    let options = UpstreamOptions::default();
    let options = pairs(&source.headers).fold(options, |options, (name, value)| options.header(name, value));
    let options =
        pairs(&source.environment).fold(options, |options, (name, value)| options.variable(name, value));
    Ok(Arc::new(UpstreamSource::new(
        &source.name,
        upstream.with_arguments(source.arguments.iter().cloned()),
        options,
    )))
}

fn pairs(of: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

impl Location {
    /// The source of an `mcp:` location that nobody named: its host, or what its command runs.
    pub(super) fn upstream_name(text: &str) -> String {
        let text = text.trim();
        if let Some((_, rest)) = text.split_once("://") {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = authority.rsplit('@').next().unwrap_or_default();
            return host.split(':').next().unwrap_or_default().to_owned();
        }
        let mut words = text.split_whitespace().filter(|word| !word.starts_with('-'));
        let program = stem(words.next().unwrap_or_default());
        match words.next() {
            Some(run) if RUNNERS.contains(&program.as_str()) => stem(run),
            _ => program,
        }
    }
}

/// Programs that run another one: that is what the source is named after.
const RUNNERS: [&str; 9] = [
    "npx", "node", "bunx", "bun", "deno", "uvx", "uv", "python", "python3",
];

/// The last part of a path or a package's name, up to its first dot or version.
fn stem(word: &str) -> String {
    let last = word
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    last.split(['.', '@']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_after_its_host_or_after_what_its_command_runs() {
        for (text, name) in [
            ("https://u:p@tools.example:8443/mcp?k=v", "tools.example"),
            ("npx -y @scope/server-everything@1.2 stdio", "server-everything"),
            ("/usr/local/bin/my-server --flag", "my-server"),
            ("python3 -I ./servers/weather.py", "weather"),
            ("npx", "npx"),
        ] {
            assert_eq!(Location::upstream_name(text), name, "{text}");
        }
    }
}
