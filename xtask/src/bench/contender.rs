//! The servers of the MCP benchmarks: how each is built or installed, and how it is started.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};
use toolmesh_testkit::paths::{find_on_path, python_interpreter, repo_root};

use super::program;
use crate::{
    cargo::built,
    install::{install_peers, install_python},
};

/// A server of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contender {
    /// What it is called in the table.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) server: Server,
    /// Whether it answers with the id that was asked.
    pub(super) echoes_id: bool,
}

/// What a server is. Each serves one tool on standard input and output, and over HTTP when it is told `--http`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Server {
    /// A program of the `bench` workspace, the feature that builds it, and what it is told.
    Program(&'static str, Option<&'static str>, &'static [&'static str]),
    /// A script for Node.js under `bench/typescript`.
    TypeScript(&'static str),
    /// A script under `bench/python`.
    Python(&'static str),
    /// A program of the system.
    System(&'static str),
}

/// How many other tools are registered in a crowded catalogue.
pub(super) const OTHERS: &str = "100000";

/// Us.
pub(super) const TOOLMESH: Contender = Contender {
    name: "toolmesh",
    server: Server::Program("toolmesh_echo", Some("toolmesh"), &[]),
    echoes_id: true,
};

/// Us with a crowded catalogue.
pub(super) const CROWDED: Contender = Contender {
    name: "toolmesh, 100,000 tools",
    server: Server::Program("toolmesh_echo", Some("toolmesh"), &["--others", OTHERS]),
    echoes_id: true,
};

/// The official Rust SDK.
pub(super) const RMCP: Contender = Contender {
    name: "rmcp 3.11",
    server: Server::Program("rmcp_echo", Some("rmcp"), &[]),
    echoes_id: true,
};

/// The official TypeScript SDK.
pub(super) const TYPESCRIPT: Contender = Contender {
    name: "TypeScript SDK 2.4.0",
    server: Server::TypeScript("echo.mjs"),
    echoes_id: true,
};

/// The official Python SDK.
pub(super) const PYTHON: Contender = Contender {
    name: "Python mcp 2.3.0",
    server: Server::Python("mcp_echo.py"),
    echoes_id: true,
};

/// The variable that tells the script for Node.js where its packages are.
const NODE_DIR_VARIABLE: &str = "TOOLMESH_BENCH_NODE_DIR";

/// Where everything is that the contenders need.
#[derive(Debug)]
pub(super) struct Prepared {
    programs: PathBuf,
    peers: PathBuf,
}

impl Prepared {
    /// Builds the load generator and the contenders in release, each alone, and installs what the scripts need.
    pub(super) fn of(load: &str, contenders: &[Contender]) -> Result<Self> {
        let programs = program::folder()?;
        program::build(&programs, load, None)?;
        for contender in contenders {
            if let Server::Program(program, feature, _) = contender.server {
                program::build(&programs, program, feature)?;
            }
        }
        install_python().context("installing the Python packages of the benchmarks")?;
        let peers = install_peers().context("installing the npm packages of the benchmarks")?;
        Ok(Self { programs, peers })
    }

    /// Where a built program is.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        built(&self.programs, true, name)
    }

    /// The command that starts a server on standard input and output.
    pub(super) fn command(&self, contender: &Contender) -> Result<Command> {
        let on_path = |name| {
            find_on_path(name).with_context(|| format!("`{name}` is not on the PATH, and is measured here"))
        };
        let script = |interpreter: PathBuf, folder: &str, script: &str| {
            let mut command = Command::new(interpreter);
            command.arg(repo_root().join("bench").join(folder).join(script));
            command
        };
        Ok(match contender.server {
            Server::Program(program, _, arguments) => {
                let mut command = Command::new(self.program(program));
                command.args(arguments);
                command
            }
            Server::TypeScript(name) => {
                let mut command = script(on_path("node")?, "typescript", name);
                command.env(NODE_DIR_VARIABLE, &self.peers);
                command
            }
            Server::Python(name) => script(python_interpreter(), "python", name),
            Server::System(name) => Command::new(on_path(name)?),
        })
    }
}
