//! The MCP Inspector in its mode for the command line: one question to one server.

use std::{ffi::OsStr, process::Command};

use serde_json::Value;

use crate::{
    paths::{conformance_node, inspector_program},
    process::{Finished, run_command},
};

/// Asks one question with the Inspector: `target` is the URL of a server over HTTP, or a program with its arguments, and
/// `question` the flags for it, such as `["--method", "tools/list"]`. `era` is `legacy` for a handshake, or `modern`.
///
/// Its answer is the JSON that it prints, the result as on the wire. What it would keep is kept in `home`.
///
/// # Panics
/// When it is not installed, ends with an error, or prints anything else.
#[must_use]
#[track_caller]
pub fn inspector(target: &[&str], era: &str, question: &[&str], home: impl AsRef<OsStr>) -> Value {
    let mut command = Command::new(conformance_node());
    command
        .env("HOME", home)
        .arg(inspector_program())
        .arg("--cli")
        .args(target)
        .args(["--protocol-era", era, "--format", "json", "--quiet"])
        .args(question);
    let Finished {
        status,
        stdout,
        stderr,
    } = run_command(&mut command);
    assert!(
        status.success(),
        "the Inspector failed ({status})\n--- its stdout\n{stdout}\n--- its stderr\n{stderr}"
    );
    serde_json::from_str(&stdout)
        .unwrap_or_else(|error| panic!("the Inspector printed no JSON: {error}\n{stdout}\n{stderr}"))
}
