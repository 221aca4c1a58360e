//! `cargo xtask conformance`: the official MCP conformance suite against `toolmesh-conformance`, revision by revision.
//!
//! The suite says by its exit code only whether what it scores has passed. Here nothing is excused: what it runs without
//! scoring must pass as well, and a warning is a failure.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use toolmesh_testkit::paths::{conformance_node, conformance_suite};

use crate::{
    cargo::{cargo, run as run_command, shown, target_dir},
    install::install_conformance,
    table::Table,
};

/// Run the official MCP conformance suite against the fixtures server
#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Run only this scenario
    #[arg(long)]
    scenario: Option<String>,
    /// Run only this revision
    #[arg(long)]
    revision: Option<String>,
    /// Show what the suite prints
    #[arg(long)]
    verbose: bool,
}

/// One run of the suite: what it is told, and how many checks it makes. The counts are those of the suite's version that
/// is pinned; fewer would mean that scenarios were not run.
struct Run {
    revision: &'static str,
    selection: &'static [&'static str],
    checks: usize,
}

const RUNS: [Run; 3] = [
    Run {
        revision: "2025-06-18",
        selection: &["--suite", "all", "--spec-version", "2025-06-18"],
        checks: 56,
    },
    Run {
        revision: "2025-11-25",
        selection: &["--requirements", "2025-11-25"],
        checks: 83,
    },
    Run {
        revision: "2026-07-28",
        selection: &["--requirements", "2026-07-28"],
        checks: 197,
    },
];

/// Installs the suite, starts the server, runs every revision, and prints a table.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    install_conformance().context("installing the conformance suite")?;
    run_command(&mut cargo(&[
        "build",
        "--quiet",
        "--package",
        "toolmesh-mcp",
        "--example",
        "toolmesh-conformance",
    ]))?;
    let server = Server::start()?;
    let mut table = Table::new(&["revision", "scenarios", "passed", "failed", "warnings"]);
    let mut faults = Vec::new();
    for run in RUNS.iter().filter(|run| {
        arguments
            .revision
            .as_deref()
            .is_none_or(|wanted| wanted == run.revision)
    }) {
        let results = run.perform(&server.url, arguments)?;
        table.row([
            run.revision.to_owned(),
            results.scenarios.len().to_string(),
            results.count("SUCCESS").to_string(),
            results.count("FAILURE").to_string(),
            results.count("WARNING").to_string(),
        ]);
        faults.extend(results.faults(run));
        let passed = results.count("SUCCESS");
        if arguments.scenario.is_none() && passed < run.checks {
            faults.push(format!(
                "{}: {passed} checks passed, not {}",
                run.revision, run.checks
            ));
        }
    }
    println!("{}", table.render());
    if !faults.is_empty() {
        bail!("the conformance suite found faults:\n{}", faults.join("\n"));
    }
    Ok(())
}

impl Run {
    fn perform(&self, url: &str, arguments: &Arguments) -> Result<Results> {
        let output = target_dir()?.join("conformance").join(self.revision);
        if output.exists() {
            fs::remove_dir_all(&output).with_context(|| format!("removing {}", output.display()))?;
        }
        let mut command = Command::new(conformance_node());
        command.arg(conformance_suite()).args(["server", "--url", url]);
        match &arguments.scenario {
            Some(scenario) => command.args(["--scenario", scenario, "--spec-version", self.revision]),
            None => command.args(self.selection),
        };
        command.arg("-o").arg(&output).stdin(Stdio::null());
        let told = command
            .output()
            .with_context(|| format!("cannot run {}", shown(&command)))?;
        if arguments.verbose || !output.is_dir() {
            print!("{}", String::from_utf8_lossy(&told.stdout));
            print!("{}", String::from_utf8_lossy(&told.stderr));
        }
        Results::read(&output)
    }
}

/// What the suite wrote down: the checks of every scenario.
#[derive(Debug, Default)]
struct Results {
    scenarios: BTreeMap<String, Vec<Value>>,
}

impl Results {
    /// Reads every `checks.json` under the folder; each stands in the folder of its scenario.
    fn read(folder: &Path) -> Result<Self> {
        let mut results = Self::default();
        let entries = fs::read_dir(folder).with_context(|| format!("no results in {}", folder.display()))?;
        for entry in entries {
            let path = entry.context("reading the results")?.path();
            let checks = path.join("checks.json");
            if !checks.is_file() {
                continue;
            }
            let text = fs::read(&checks).with_context(|| format!("reading {}", checks.display()))?;
            let checks = serde_json::from_slice(&text)
                .with_context(|| format!("{} is no list of checks", checks.display()))?;
            let folder = path.file_name().unwrap_or_default().to_string_lossy();
            results.scenarios.insert(scenario(&folder).to_owned(), checks);
        }
        Ok(results)
    }

    fn count(&self, status: &str) -> usize {
        let checks = self.scenarios.values().flatten();
        checks.filter(|check| text(check, "status") == status).count()
    }

    fn faults(&self, run: &Run) -> Vec<String> {
        let bad = |check: &&Value| matches!(text(check, "status"), "FAILURE" | "WARNING");
        let scenarios = self.scenarios.iter();
        scenarios
            .flat_map(|(scenario, checks)| {
                checks.iter().filter(bad).map(move |check| {
                    format!(
                        "{} {scenario}: {} {}: {}",
                        run.revision,
                        text(check, "status"),
                        text(check, "id"),
                        text(check, "errorMessage")
                    )
                })
            })
            .collect()
    }
}

/// The scenario of a folder of results: `server-<scenario>-<time>`.
fn scenario(folder: &str) -> &str {
    const TIME: &str = "-2026-01-01T00-00-00-000Z";
    let end = folder.len().saturating_sub(TIME.len());
    let name = folder.get(..end).filter(|_| folder.ends_with('Z'));
    let name = name.unwrap_or(folder);
    name.strip_prefix("server-").unwrap_or(name)
}

fn text<'a>(check: &'a Value, name: &str) -> &'a str {
    check.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The fixtures server, stopped when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Result<Self> {
        let program = example()?;
        let mut child = Command::new(&program)
            .arg("127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let stdout = child
            .stdout
            .take()
            .context("the server's output cannot be read")?;
        let mut server = Self {
            child,
            url: String::new(),
        };
        BufReader::new(stdout)
            .read_line(&mut server.url)
            .context("reading where the server listens")?;
        server.url = server.url.trim().to_owned();
        if server.url.is_empty() {
            bail!("the server ended before it listened");
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that is gone already needs no stopping.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn example() -> Result<PathBuf> {
    let name = format!("toolmesh-conformance{}", std::env::consts::EXE_SUFFIX);
    Ok(target_dir()?.join("debug").join("examples").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_a_fault_and_what_only_informs_is_none() {
        let folder = std::env::temp_dir().join(format!("xtask-conformance-{}", std::process::id()));
        let scenario = folder.join("server-ping-2026-11-30T16-52-10-333Z");
        fs::create_dir_all(&scenario).unwrap();
        let checks = r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING","errorMessage":"late"},
            {"id":"c","status":"INFO"},{"id":"d","status":"SKIPPED"}]"#;
        fs::write(scenario.join("checks.json"), checks).unwrap();
        let results = Results::read(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(results.count("SUCCESS"), 1);
        assert_eq!(results.faults(&RUNS[0]), ["2025-06-18 ping: WARNING b: late"]);
    }
}
