//! `toolmesh serve --http` from outside: started, found by what it prints, stopped.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::{
    http::{Request, Response},
    process::Running,
    wire_schema::Expected,
};

/// How long a debug build may take to listen on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A server on HTTP. It is killed when this is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    url: String,
    process: Running,
}

impl ServerProcess {
    /// Starts `program` with `arguments` (which ask for HTTP on port 0) and waits until it says on standard error
    /// where a client finds it: the first `http://.../mcp` there.
    ///
    /// # Panics
    /// When it does not start, or does not say so.
    #[must_use]
    #[track_caller]
    pub fn start(program: impl AsRef<OsStr>, arguments: &[&str]) -> Self {
        Self::start_command(Command::new(program).args(arguments))
    }

    /// As [`ServerProcess::start`], for a command with its own environment or folder.
    ///
    /// # Panics
    /// When it does not start, or does not say where it listens.
    #[must_use]
    #[track_caller]
    pub fn start_command(command: &mut Command) -> Self {
        let process = Running::start(command.stdin(Stdio::null()));
        let url = process.stderr_line("the URL for a client on standard error", START_LIMIT, mcp_url);
        Self { url, process }
    }

    /// The URL for a client, `http://127.0.0.1:PORT/mcp`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The operating system's number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Everything on standard output so far; over HTTP that is to be nothing.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.process.stdout()
    }

    /// Everything on standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// Posts a JSON-RPC message with these headers besides the usual ones. What is answered must fit the wire schema.
    ///
    /// # Panics
    /// When the server does not answer in HTTP, or not by the schema.
    #[must_use]
    #[track_caller]
    pub fn post(&self, headers: &[(&str, &str)], message: &Value) -> Response {
        let message = message.to_string();
        let version = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("mcp-protocol-version"));
        let expected = Expected::of(version.map(|(_, version)| *version), &message);
        let request = Request::post_json(&self.url, message);
        let response = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(name, value))
            .send();
        let kind = response.header("content-type").unwrap_or_default();
        expected.check_body(kind, &response.text());
        response
    }
}

/// The first URL in a line that ends in the path `/mcp`.
fn mcp_url(line: &str) -> Option<String> {
    let start = line.find("http://")?;
    let url = line.get(start..)?;
    let end = url.find("/mcp")? + "/mcp".len();
    let url = url.get(..end)?;
    url.chars()
        .all(|c| c.is_ascii_alphanumeric() || ":/.-[]".contains(c))
        .then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_found_in_the_middle_of_a_sentence() {
        let line = "listening: point a client at `http://127.0.0.1:41234/mcp` (Streamable HTTP)";
        assert_eq!(mcp_url(line).as_deref(), Some("http://127.0.0.1:41234/mcp"));
    }

    #[test]
    fn another_url_is_not_taken_for_it() {
        assert_eq!(
            mcp_url("reading http://127.0.0.1:8545 now, see docs/mcp.md"),
            None
        );
        assert_eq!(mcp_url("serving 9 tools"), None);
    }
}
