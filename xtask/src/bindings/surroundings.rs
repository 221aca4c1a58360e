//! What the tests of the packages meet beside the packages: the command, a Calimero node, the Python of the tests.

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};
use toolmesh_testkit::paths::python;

use crate::cargo::{build_toolmesh, built, cargo, run, target_dir};

/// It ends when this is dropped.
pub(super) struct Surroundings {
    toolmesh: PathBuf,
    node: Child,
    url: String,
}

impl Surroundings {
    /// Builds and starts them.
    pub(super) fn start() -> Result<Self> {
        let toolmesh = build_toolmesh(false)?;
        let example = [
            "--package",
            "toolmesh-calimero-node",
            "--example",
            "loopback_node",
        ];
        run(cargo(&["build", "--locked", "--quiet"]).args(example))?;
        let mut node = Command::new(built(&target_dir()?, false, "examples/loopback_node"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting a Calimero node")?;
        let mut url = String::new();
        let output = node.stdout.take().context("it has a standard output")?;
        BufReader::new(output)
            .read_line(&mut url)
            .context("reading where the Calimero node is")?;
        Ok(Self {
            toolmesh,
            node,
            url: url.trim().to_owned(),
        })
    }

    /// Tells tests of them.
    pub(super) fn tell<'a>(&self, tests: &'a mut Command) -> &'a mut Command {
        tests
            .env("TOOLMESH_COMMAND", &self.toolmesh)
            .env("TOOLMESH_CALIMERO_NODE", &self.url)
            .env("TOOLMESH_PYTHON", python())
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        // Its standard input ends, and so does it.
        drop(self.node.stdin.take());
        // Whether it ended well is nothing that a test rests on.
        let _ = self.node.wait();
    }
}
