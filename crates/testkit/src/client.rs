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
}

impl Step {
    /// Calls `tool` with `arguments`.
    #[must_use]
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments,
        }
    }

    fn to_json(&self) -> Value {
        json!({"tool": self.tool, "arguments": self.arguments})
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
        Self {
            protocol: report["protocol"].as_str().unwrap_or_default().to_owned(),
            server: report["server"].clone(),
            tools: list("tools"),
            results: list("results").iter().map(CallResult::from_json).collect(),
        }
    }
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
        let Some(is_error) = result["is_error"].as_bool() else {
            panic!("a client script printed an unknown result: {result}");
        };
        let texts = result["text"].as_array().into_iter().flatten();
        Self::Answered {
            is_error,
            structured: result["structured"].clone(),
            text: texts.filter_map(Value::as_str).map(str::to_owned).collect(),
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
    let program = program.as_ref().to_string_lossy();
    let command: Vec<&str> = std::iter::once(&*program)
        .chain(arguments.iter().copied())
        .collect();
    let steps: Vec<Value> = steps.iter().map(Step::to_json).collect();
    let plan = json!({"command": command, "mode": mode, "steps": steps});
    Session::from_json(&run_python("stdio_session.py", &[&plan.to_string()]))
}

/// Runs the steps with the TypeScript client (`@modelcontextprotocol/sdk`) against a Streamable HTTP URL.
///
/// # Panics
/// When the client is not installed, or ends with an error of its own.
#[must_use]
#[track_caller]
pub fn http_session(url: &str, steps: &[Step]) -> Session {
    let steps: Vec<Value> = steps.iter().map(Step::to_json).collect();
    let plan = json!({"url": url, "steps": steps});
    Session::from_json(&run_node("http_session.mjs", &[&plan.to_string()]))
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
                {"is_error": false, "structured": {"result": "1"}, "text": ["1"]},
                {"error": {"code": -32602, "message": "no"}},
            ],
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
    }

    #[test]
    #[should_panic(expected = "expected an answer without error")]
    fn an_error_is_never_taken_for_an_answer() {
        let result =
            CallResult::from_json(&json!({"is_error": true, "structured": {"result": "1"}, "text": []}));
        let _ = result.structured();
    }
}
