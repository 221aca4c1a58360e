//! `cargo xtask corpus DIR`: runs `toolmesh inspect` over every interface in a folder and tells what became of each.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::{
    cargo::{build_toolmesh, cargo, run as run_command, target_dir},
    table::Table,
};

/// The endings of files that are looked at.
const ENDINGS: [&str; 5] = ["json", "abi", "txt", "wasm", "mpk"];

/// The highest exit code of the command line's contract; anything above it is a crash.
const HIGHEST_EXIT_CODE: i32 = 7;

/// What the command says before the names of the contracts, each in backticks, of an input that holds several.
const SEVERAL: &str = ": several contracts: ";

/// How many characters of a reason or an error are shown.
const SHOWN: usize = 100;

/// Inspect every interface in a folder: functions, tools, reasons, errors; and what providers make of the tools
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder; every .json, .abi, .txt, .wasm and .mpk file in it and below
    folder: PathBuf,
    /// Use a release build
    #[arg(long)]
    release: bool,
    /// Leave out the table of model providers
    #[arg(long)]
    no_providers: bool,
}

/// The test that translates every tool of a folder for every provider and checks what each would refuse.
const PROVIDER_TEST: &str = "corpus::the_table_of_providers_has_no_fault";

/// Prints the table; fails on a crash, or on a function that is neither a tool nor has a reason.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut files = BTreeSet::new();
    collect(&arguments.folder, &mut files)?;
    if files.is_empty() {
        bail!(
            "{} holds no .json, .abi, .txt, .wasm or .mpk file",
            arguments.folder.display()
        );
    }
    let toolmesh = build_toolmesh(arguments.release)?;
    let mut report = Report::new();
    for file in &files {
        let shown = file
            .strip_prefix(&arguments.folder)
            .unwrap_or(file)
            .display()
            .to_string();
        let verdict = judge(&inspect(&toolmesh, file, None)?);
        let contracts = verdict.contracts();
        if contracts.is_empty() {
            report.add(&shown, &verdict);
        }
        for contract in contracts {
            let (_, name) = contract.rsplit_once(':').unwrap_or(("", contract));
            let output = inspect(&toolmesh, file, Some(contract))?;
            report.add(&format!("{shown} {name}"), &judge(&output));
        }
    }
    let inspected = report.finish();
    if !arguments.no_providers {
        providers(&arguments.folder)?;
    }
    inspected
}

/// The tools of the folder, translated in safe mode for every provider.
fn providers(folder: &Path) -> Result<()> {
    let folder = folder
        .canonicalize()
        .with_context(|| format!("reading {}", folder.display()))?;
    let table = target_dir()?.join("provider-table.txt");
    let mut test = cargo(&[
        "test",
        "--quiet",
        "--package",
        "toolmesh-provider",
        "--test",
        "it",
    ]);
    test.args(["--", "--exact", PROVIDER_TEST]).stdout(Stdio::null());
    test.env("TOOLMESH_CORPUS", folder)
        .env("TOOLMESH_PROVIDER_TABLE", &table);
    let tested = run_command(&mut test);
    // The table is there also when a provider would refuse something.
    let text = fs::read_to_string(&table).with_context(|| format!("reading {}", table.display()))?;
    println!("\n{text}");
    tested
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry
            .with_context(|| format!("reading {}", folder.display()))?
            .path();
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            collect(&path, files)?;
        } else if ENDINGS.contains(&ending) {
            files.insert(path);
        }
    }
    Ok(())
}

fn inspect(toolmesh: &Path, file: &Path, contract: Option<&str>) -> Result<Output> {
    let mut command = Command::new(toolmesh);
    command
        .arg("inspect")
        .arg(file)
        .args(["--format", "json"])
        .stdin(Stdio::null());
    if let Some(contract) = contract {
        command.args(["--contract", contract]);
    }
    command
        .output()
        .with_context(|| format!("cannot run {}", toolmesh.display()))
}

/// What `inspect` made of one file.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// It is an interface.
    Interface {
        kind: String,
        functions: usize,
        tools: usize,
        reasons: Vec<String>,
        lost: Vec<String>,
    },
    /// It is not, and the command said so.
    Refused { code: i32, sentence: String },
    /// The command broke its contract.
    Crashed { how: String },
}

impl Verdict {
    /// The contracts of an input that holds several, of which one has to be chosen.
    fn contracts(&self) -> Vec<&str> {
        match self {
            Self::Refused { sentence, .. } => {
                let listed = sentence.split_once(SEVERAL).map(|(_, rest)| rest);
                let names = listed.and_then(|rest| rest.split(';').next()).unwrap_or_default();
                names.split('`').skip(1).step_by(2).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn judge(output: &Output) -> Verdict {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let sentence = stderr
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned();
    match output.status.code() {
        Some(0) => match serde_json::from_slice(&output.stdout) {
            Ok(report) => interface(&report),
            Err(error) => Verdict::Crashed {
                how: format!("exit 0, but no JSON on stdout: {error}"),
            },
        },
        Some(code) if code <= HIGHEST_EXIT_CODE && output.stdout.is_empty() && !sentence.is_empty() => {
            Verdict::Refused { code, sentence }
        }
        Some(code) if code <= HIGHEST_EXIT_CODE => Verdict::Crashed {
            how: format!("exit {code} without a sentence on stderr, or with output on stdout"),
        },
        _ => Verdict::Crashed {
            how: format!("{}: {sentence}", output.status),
        },
    }
}

fn interface(report: &Value) -> Verdict {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let Some(functions) = report.get("functions").and_then(Value::as_array) else {
        return Verdict::Crashed {
            how: "the report has no list of functions".to_owned(),
        };
    };
    let tools = functions
        .iter()
        .filter(|function| text(function, "tool").is_some())
        .count();
    let others = || {
        functions
            .iter()
            .filter(|function| text(function, "tool").is_none())
    };
    let has_reason = |function: &Value| text(function, "reason").is_some_and(|reason| !reason.is_empty());
    let signature = |function: &Value| text(function, "signature").unwrap_or_else(|| function.to_string());
    Verdict::Interface {
        kind: text(report, "kind").unwrap_or_default(),
        functions: functions.len(),
        tools,
        reasons: others().filter_map(|function| text(function, "reason")).collect(),
        lost: others()
            .filter(|function| !has_reason(function))
            .map(signature)
            .collect(),
    }
}

/// The table and its totals.
struct Report {
    table: Table,
    interfaces: usize,
    refused: usize,
    functions: usize,
    tools: usize,
    reasons: usize,
    faults: Vec<String>,
}

impl Report {
    fn new() -> Self {
        let table = Table::new(&[
            "file",
            "kind",
            "functions",
            "tools",
            "reasons",
            "exit",
            "first reason, or the error",
        ]);
        Self {
            table,
            interfaces: 0,
            refused: 0,
            functions: 0,
            tools: 0,
            reasons: 0,
            faults: Vec::new(),
        }
    }

    fn add(&mut self, file: &str, verdict: &Verdict) {
        match verdict {
            Verdict::Interface {
                kind,
                functions,
                tools,
                reasons,
                lost,
            } => {
                let first = reasons
                    .first()
                    .map(|reason| shortened(reason))
                    .unwrap_or_default();
                let counts = [*functions, *tools, reasons.len()].map(|count| count.to_string());
                self.row(file, kind, counts, "0", first);
                self.interfaces += 1;
                self.functions += functions;
                self.tools += tools;
                self.reasons += reasons.len();
                self.faults.extend(
                    lost.iter()
                        .map(|signature| format!("{file}: {signature} is lost")),
                );
            }
            Verdict::Refused { code, sentence } => {
                self.row(
                    file,
                    "-",
                    Default::default(),
                    &code.to_string(),
                    shortened(sentence),
                );
                self.refused += 1;
            }
            Verdict::Crashed { how } => {
                self.row(file, "-", Default::default(), "crash", shortened(how));
                self.faults.push(format!("{file}: {how}"));
            }
        }
    }

    fn row(&mut self, file: &str, kind: &str, counts: [String; 3], exit: &str, note: String) {
        let [functions, tools, reasons] = counts;
        let cells = [
            file.to_owned(),
            kind.to_owned(),
            functions,
            tools,
            reasons,
            exit.to_owned(),
            note,
        ];
        self.table.row(cells);
    }

    fn finish(self) -> Result<()> {
        print!("{}", self.table.render());
        println!(
            "\n{} interfaces with {} functions: {} tools, {} reasons; {} files refused; {} faults",
            self.interfaces,
            self.functions,
            self.tools,
            self.reasons,
            self.refused,
            self.faults.len()
        );
        if !self.faults.is_empty() {
            bail!("{}", self.faults.join("\n       "));
        }
        Ok(())
    }
}

fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str(" ...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_function_without_tool_and_reason_is_a_fault() {
        let verdict = interface(&json!({
            "kind": "abi",
            "functions": [
                {"signature": "a()", "tool": "a", "reason": null},
                {"signature": "b(fixed128x18)", "tool": null, "reason": "fixed-point numbers are not supported"},
                {"signature": "c()", "tool": null, "reason": null},
            ],
        }));
        let mut report = Report::new();
        report.add("x.json", &verdict);
        assert_eq!((report.functions, report.tools, report.reasons), (3, 1, 1));
        assert_eq!(report.finish().unwrap_err().to_string(), "x.json: c() is lost");
    }

    #[test]
    fn a_refusal_with_its_sentence_is_no_fault() {
        let mut report = Report::new();
        report.add(
            "x.json",
            &Verdict::Refused {
                code: 4,
                sentence: "x.json is not JSON".to_owned(),
            },
        );
        assert!(report.finish().is_ok());
    }

    #[test]
    fn an_input_with_several_contracts_is_inspected_contract_by_contract() {
        let refused = |sentence: &str| Verdict::Refused {
            code: 4,
            sentence: sentence.to_owned(),
        };
        let several = refused(
            "toolmesh: x.json: several contracts: `a.sol:A`, `b.sol:B`; choose one with `--contract NAME` (or `FILE.sol:NAME`)",
        );
        assert_eq!(several.contracts(), ["a.sol:A", "b.sol:B"]);
        assert!(refused("toolmesh: `a:b` is not JSON").contracts().is_empty());
    }

    #[cfg(unix)]
    fn judged(script: &str) -> Verdict {
        judge(&Command::new("sh").args(["-c", script]).output().unwrap())
    }

    #[test]
    #[cfg(unix)]
    fn a_panic_a_signal_and_a_silent_failure_are_crashes() {
        for script in [
            "echo panicked >&2; exit 101",
            "kill -9 $$",
            "exit 4",
            "echo out; echo no >&2; exit 4",
            "true",
        ] {
            assert!(matches!(judged(script), Verdict::Crashed { .. }), "{script}");
        }
        let sentence = "no".to_owned();
        assert_eq!(
            judged("echo no >&2; exit 4"),
            Verdict::Refused { code: 4, sentence }
        );
    }
}
