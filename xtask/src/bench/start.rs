//! `cargo xtask bench start`: from the start of `toolmesh serve` to its first answer to `tools/list`.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};
use toolmesh_testkit::{Anvil, paths::repo_root};

use super::statistics::Spread;
use crate::cargo::build_toolmesh;

/// The start of `toolmesh serve` with a contract on a node: until the tools are listed, and how much memory that took
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many functions the contract has
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    functions: u32,
    /// How many times the program is started
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// What may pass until the tools are listed, in milliseconds.
const MILLISECONDS: f64 = 30.0;
/// How much may be resident then, in MiB.
const MEBIBYTES: f64 = 20.0;

/// Where the contract is said to be; what its code does is not asked.
const ADDRESS: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

/// One start.
struct Started {
    milliseconds: f64,
    mebibytes: f64,
}

/// Builds, starts a node, measures, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let toolmesh = build_toolmesh(true)?;
    let folder = tempfile::tempdir().context("making a folder for the interface")?;
    let file = folder.path().join("contract.json");
    fs::write(&file, interface(arguments.functions)?.to_string()).context("writing the interface")?;
    let node = Anvil::start();
    node.rpc("anvil_setCode", json!([ADDRESS, "0x00"]));
    let mut command = Command::new(toolmesh);
    command
        .arg("serve")
        .arg(&file)
        .args(["--address", ADDRESS, "--rpc", node.url()]);
    // Once for the caches of the system.
    start(&mut command, arguments.functions)?;
    let started = (0..arguments.rounds)
        .map(|_| start(&mut command, arguments.functions))
        .collect::<Result<Vec<_>>>()?;
    print!("{}", report(arguments, &started)?);
    Ok(())
}

/// An interface of so many functions, each with a name of its own, from the committed ones.
fn interface(functions: u32) -> Result<Value> {
    let folder = repo_root().join("testdata/solidity");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .and_then(|files| files.map(|file| Ok(file?.path())).collect())
        .with_context(|| format!("reading {}", folder.display()))?;
    files.sort();
    let mut names = BTreeSet::new();
    let mut entries = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "json"))
    {
        let own = functions_of(file)?.into_iter().filter(|entry| {
            let name = entry.get("name").and_then(Value::as_str);
            name.is_some_and(|name| names.insert(name.to_lowercase()))
        });
        entries.extend(own);
    }
    let count = usize::try_from(functions).context("so many functions are not counted here")?;
    ensure!(
        entries.len() >= count,
        "the committed interfaces have only {} functions",
        entries.len()
    );
    entries.truncate(count);
    Ok(entries.into())
}

fn functions_of(file: &Path) -> Result<Vec<Value>> {
    let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let interface: Value =
        serde_json::from_slice(&bytes).with_context(|| format!("reading {}", file.display()))?;
    let entries = interface.as_array().cloned().unwrap_or_default();
    let is_function = |entry: &Value| entry.get("type").is_some_and(|kind| kind == "function");
    Ok(entries.into_iter().filter(is_function).collect())
}

/// Starts the program, asks for its tools, and stops it.
fn start(command: &mut Command, functions: u32) -> Result<Started> {
    let begin = Instant::now();
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = Stopped(child.context("starting toolmesh")?);
    let mut input = child.0.stdin.take().context("the program has no input")?;
    let output = child.0.stdout.take().context("the program has no output")?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    writeln!(input, "{message}").context("asking for the tools")?;
    let mut answer = String::new();
    BufReader::new(output)
        .read_line(&mut answer)
        .context("reading the answer")?;
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
    let mebibytes = resident(child.0.id())?;
    let answer: Value = serde_json::from_str(&answer).context("the answer is no JSON")?;
    let tools = answer.pointer("/result/tools").and_then(Value::as_array);
    let listed = tools.map_or(0, Vec::len);
    ensure!(
        listed >= usize::try_from(functions)?,
        "only {listed} tools were listed"
    );
    Ok(Started {
        milliseconds,
        mebibytes,
    })
}

/// A program that is stopped when this is dropped.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        // A program that ended by itself needs no stopping.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The most that was resident at once so far, in MiB: `VmHWM`, proc_pid_status(5).
fn resident(process: u32) -> Result<f64> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let kibibytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let kibibytes: f64 = kibibytes
        .with_context(|| format!("{path} has no `VmHWM`"))?
        .parse()?;
    Ok(kibibytes / 1024.0)
}

fn report(arguments: &Arguments, started: &[Started]) -> Result<String> {
    let spread =
        |figure: fn(&Started) -> f64| Spread::of(started.iter().map(figure)).context("nothing was measured");
    let (time, memory) = (
        spread(|start| start.milliseconds)?,
        spread(|start| start.mebibytes)?,
    );
    let within = |is_within| if is_within { "within" } else { "over" };
    Ok(format!(
        "{} functions are listed {time:.1} ms after the start, {} the budget of {MILLISECONDS} ms\n\
         {memory:.1} MiB were resident at most, {} the budget of {MEBIBYTES} MiB\n",
        arguments.functions,
        within(time.median < MILLISECONDS),
        within(memory.median < MEBIBYTES),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_functions_are_there_each_with_a_name_of_its_own() {
        let interface = interface(100).unwrap();
        let names: BTreeSet<_> = interface
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), 100);
    }

    #[test]
    fn each_figure_is_held_against_its_budget() {
        let arguments = Arguments {
            functions: 100,
            rounds: 1,
        };
        let started = [Started {
            milliseconds: 12.0,
            mebibytes: 30.0,
        }];
        assert_eq!(
            report(&arguments, &started).unwrap(),
            "100 functions are listed 12.0 (12.0-12.0) ms after the start, within the budget of 30 ms\n\
             30.0 (30.0-30.0) MiB were resident at most, over the budget of 20 MiB\n"
        );
    }
}
