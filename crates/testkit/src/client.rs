//! MCP clients that nobody here wrote: the scripts under `clients/` drive them and print what they saw.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    paths::{client_script, node, node_dir, python},
    process::{Finished, run_command},
};

/// One call that a client is to make.
#[derive(Debug, Clone)]
pub struct Step {
    /// The tool's name.
    pub tool: String,
    /// The arguments, an object.
    pub arguments: Value,
    /// The client gives the call up when it is told of progress by a message with this text in it.
    pub cancel: Option<String>,
}

impl Step {
    /// Calls `tool` with `arguments`.
    #[must_use]
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments,
            cancel: None,
        }
    }

    /// Calls `tool` with `arguments`, and gives the call up when it is told of progress by a message with `text` in it.
    #[must_use]
    pub fn cancelled(tool: &str, arguments: Value, text: &str) -> Self {
        Self {
            cancel: Some(text.to_owned()),
            ..Self::call(tool, arguments)
        }
    }

    fn to_json(&self) -> Value {
        json!({"tool": self.tool, "arguments": self.arguments, "cancel": self.cancel})
    }
}

/// A client that a [`Plan`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// `mcp` from PyPI.
    Python,
    /// `@modelcontextprotocol/sdk` from npm, the first version of the TypeScript SDK; it knows handshakes alone.
    TypeScript1,
    /// `@modelcontextprotocol/client` from npm, of the second version of the TypeScript SDK.
    TypeScript2,
}

/// The mode of a client that shakes hands, and offers 2025-11-25.
const HANDSHAKE: &str = "legacy";

/// One session that a client is to have.
#[derive(Debug, Clone)]
pub struct Plan {
    client: Client,
    plan: Value,
}

impl Plan {
    /// A session on stdio with `program`, which the client starts with `arguments`.
    #[must_use]
    pub fn over_stdio(client: Client, program: impl AsRef<Path>, arguments: &[&str]) -> Self {
        let program = program.as_ref().to_string_lossy();
        let command: Vec<&str> = std::iter::once(&*program)
            .chain(arguments.iter().copied())
            .collect();
        Self::new(client, json!({"command": command}))
    }

    /// A session over Streamable HTTP with the server at `url`.
    #[must_use]
    pub fn over_http(client: Client, url: &str) -> Self {
        Self::new(client, json!({"url": url}))
    }

    fn new(client: Client, mut plan: Value) -> Self {
        plan["mode"] = HANDSHAKE.into();
        Self { client, plan }
    }

    /// Speaks a revision that has no handshake, such as `"2026-07-28"`, in the place of shaking hands.
    #[must_use]
    pub fn mode(mut self, mode: &str) -> Self {
        self.plan["mode"] = mode.into();
        self
    }

    /// Sets a variable for the program that is started.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> Self {
        self.plan["environment"][name] = value.into();
        self
    }

    /// Answers every form of the server so; a client without an answer says that it cannot be asked.
    #[must_use]
    pub fn answering(mut self, content: Value) -> Self {
        self.plan["answer"] = content;
        self
    }

    /// Has the session.
    ///
    /// # Panics
    /// When the client is not installed, or ends with an error of its own.
    #[must_use]
    #[track_caller]
    pub fn run(mut self, steps: &[Step]) -> Session {
        self.plan["steps"] = steps.iter().map(Step::to_json).collect();
        let plan = self.plan.to_string();
        Session::from_json(&match self.client {
            Client::Python => run_python("session.py", &[&plan]),
            Client::TypeScript1 => run_node("session_v1.mjs", &[&plan]),
            Client::TypeScript2 => run_node("session_v2.mjs", &[&plan]),
        })
    }
}

/// What a client saw in one session.
#[derive(Debug, Clone)]
pub struct Session {
    /// The protocol revision that client and server agreed on.
    pub protocol: String,
    /// How the server named itself (`serverInfo`), or null.
    pub server: Value,
    /// The tools as listed, all pages, each an object as on the wire.
    pub tools: Vec<Value>,
    /// What each step came to, in order.
    pub results: Vec<CallResult>,
    /// The messages of progress that came while each step ran, in order.
    pub progress: Vec<Vec<String>>,
    /// The messages of the forms that the client was asked to fill in.
    pub asked: Vec<String>,
}

impl Session {
    /// The names of the tools as listed.
    #[must_use]
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect()
    }

    /// The listed tool of that name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Value> {
        self.tools.iter().find(|tool| tool["name"] == name)
    }

    #[track_caller]
    fn from_json(report: &Value) -> Self {
        let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
        let results = list("results");
        Self {
            protocol: report["protocol"].as_str().unwrap_or_default().to_owned(),
            server: report["server"].clone(),
            tools: list("tools"),
            progress: results.iter().map(|result| texts(&result["progress"])).collect(),
            results: results.iter().map(CallResult::from_json).collect(),
            asked: texts(&report["asked"]),
        }
    }
}

/// The texts in a list.
fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What one step came to.
#[derive(Debug, Clone, PartialEq)]
pub enum CallResult {
    /// The tool answered, or answered with an error of its own.
    Answered {
        /// Whether the tool called its answer an error.
        is_error: bool,
        /// The structured content, or null.
        structured: Value,
        /// The text blocks.
        text: Vec<String>,
    },
    /// The server refused the request.
    Refused {
        /// The JSON-RPC error code.
        code: i64,
        /// The message, as the client reports it.
        message: String,
    },
    /// The client gave the call up.
    Cancelled,
}

impl CallResult {
    /// The structured content of an answer that is no error.
    ///
    /// # Panics
    /// When the step came to anything else.
    #[must_use]
    #[track_caller]
    pub fn structured(&self) -> &Value {
        match self {
            Self::Answered {
                is_error: false,
                structured,
                ..
            } => structured,
            other => panic!("expected an answer without error, got {other:?}"),
        }
    }

    #[track_caller]
    fn from_json(result: &Value) -> Self {
        if let Some(error) = result.get("error") {
            return Self::Refused {
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
            };
        }
        if result["cancelled"] == true {
            return Self::Cancelled;
        }
        let Some(is_error) = result["is_error"].as_bool() else {
            panic!("a client script printed an unknown result: {result}");
        };
        Self::Answered {
            is_error,
            structured: result["structured"].clone(),
            text: texts(&result["text"]),
        }
    }
}

/// Runs the steps with the Python client (`mcp`), which starts `program` with `arguments` and speaks stdio with it.
///
/// `mode` is the client's: `"legacy"` for a handshake that offers 2025-11-25, `"auto"`, or a newer revision.
///
/// # Panics
/// When the client is not installed, or ends with an error of its own.
#[must_use]
#[track_caller]
pub fn stdio_session(program: impl AsRef<Path>, arguments: &[&str], mode: &str, steps: &[Step]) -> Session {
    Plan::over_stdio(Client::Python, program, arguments)
        .mode(mode)
        .run(steps)
}

/// Runs the steps with the TypeScript client (`@modelcontextprotocol/sdk`) against a Streamable HTTP URL.
///
/// # Panics
/// When the client is not installed, or ends with an error of its own.
#[must_use]
#[track_caller]
pub fn http_session(url: &str, steps: &[Step]) -> Session {
    Plan::over_http(Client::TypeScript1, url).run(steps)
}

/// Runs a script of `clients/python` and reads the JSON it prints.
///
/// # Panics
/// When Python is not installed for the tests, the script fails, or prints anything else.
#[must_use]
#[track_caller]
pub fn run_python(script: &str, arguments: &[&str]) -> Value {
    let mut command = Command::new(python());
    // -I: neither the user's packages nor the variables of some other environment.
    command
        .arg("-I")
        .arg(client_script("python", script))
        .args(arguments);
    printed_json(script, run_command(&mut command))
}

/// Runs a script of `clients/typescript` and reads the JSON it prints.
///
/// # Panics
/// When the npm packages are not installed for the tests, the script fails, or prints anything else.
#[must_use]
#[track_caller]
pub fn run_node(script: &str, arguments: &[&str]) -> Value {
    let mut command = Command::new(node());
    command
        .env("TOOLMESH_NODE_DIR", node_dir())
        .arg(client_script("typescript", script))
        .args(arguments);
    printed_json(script, run_command(&mut command))
}

#[track_caller]
fn printed_json(script: &str, finished: Finished) -> Value {
    let Finished {
        status,
        stdout,
        stderr,
    } = finished;
    assert!(
        status.success(),
        "{script} failed ({status})\n--- its stdout\n{stdout}\n--- its stderr\n{stderr}"
    );
    match serde_json::from_str(&stdout) {
        Ok(value) => value,
        Err(error) => {
            panic!("{script} printed no JSON: {error}\n--- its stdout\n{stdout}\n--- its stderr\n{stderr}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_from_what_a_script_prints() {
        let session = Session::from_json(&json!({
            "protocol": "2025-11-25",
            "server": {"name": "toolmesh"},
            "tools": [{"name": "transfer"}, {"name": "balance_of"}],
            "results": [
                {"progress": ["half"], "is_error": false, "structured": {"result": "1"}, "text": ["1"]},
                {"progress": [], "error": {"code": -32602, "message": "no"}},
                {"progress": [], "cancelled": true},
            ],
            "asked": ["Run it?"],
        }));
        assert_eq!(
            (session.protocol.as_str(), session.tool_names()),
            ("2025-11-25", vec!["transfer", "balance_of"])
        );
        assert_eq!(session.results[0].structured(), &json!({"result": "1"}));
        assert_eq!(
            session.results[1],
            CallResult::Refused {
                code: -32602,
                message: "no".to_owned()
            }
        );
        assert_eq!(session.results[2], CallResult::Cancelled);
        assert_eq!(session.progress[0], ["half"]);
        assert_eq!(session.asked, ["Run it?"]);
    }

    #[test]
    #[should_panic(expected = "expected an answer without error")]
    fn an_error_is_never_taken_for_an_answer() {
        let result =
            CallResult::from_json(&json!({"is_error": true, "structured": {"result": "1"}, "text": []}));
        let _ = result.structured();
    }
}
