//! `cargo xtask test`: everything that must hold before a change lands. `.ci/run` calls it, and so does a person.

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use toolmesh_testkit::paths::{TESTS_DIR_VARIABLE, installed_anvil, repo_root, tests_dir};

use crate::{
    bindings,
    cargo::{cargo, check, run as run_command, shown},
    conformance,
    install::install,
    reference::check_pages,
    summary::Summary,
    table::Table,
};

/// Install what the tests need, check the format, lint, build the documentation, run every test
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Run only these steps, in their usual order
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Step>,
    /// After a failed step go on with the next one
    #[arg(long)]
    keep_going: bool,
    /// Handed to `cargo test`: a filter, or `-p CRATE`
    #[arg(last = true)]
    test_arguments: Vec<String>,
}

/// The steps, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// npm packages and the Python environment, when their lists changed; PostgreSQL, when there is none
    Install,
    /// cargo fmt --check
    Format,
    /// cargo clippy, warnings are errors
    Lint,
    /// cargo doc, warnings are errors; and whether the references of the packages of other languages are current
    Doc,
    /// cargo test: unit, integration, documentation, and real-client tests
    Test,
    /// cargo clippy and cargo test of what runs Calimero applications in process; its runtime is in no other step
    Sandbox,
    /// The packages of other languages: built, installed, type-checked, tested
    Bindings,
    /// The official MCP conformance suite, every revision
    Conformance,
}

/// Runs the steps, prints their seconds and one closing line.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let begin = Instant::now();
    let mut report = Report::default();
    let steps = Step::value_variants()
        .iter()
        .filter(|step| wanted(arguments, **step));
    for step in steps {
        let took = Instant::now();
        println!("\n==> {}", step.name());
        let result = step.run(arguments, &mut report.summary);
        report.steps.push((*step, took.elapsed(), result));
        if report.failed() && !arguments.keep_going {
            break;
        }
    }
    report.finish(begin.elapsed())
}

fn wanted(arguments: &Arguments, step: Step) -> bool {
    arguments.only.is_empty() || arguments.only.contains(&step)
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Doc => "doc",
            Self::Test => "test",
            Self::Sandbox => "sandbox",
            Self::Bindings => "bindings",
            Self::Conformance => "conformance",
        }
    }

    fn run(self, arguments: &Arguments, summary: &mut Summary) -> Result<()> {
        match self {
            Self::Install => install(),
            Self::Format => format(),
            Self::Lint => lint(),
            Self::Doc => doc(),
            Self::Test => test(&arguments.test_arguments, summary),
            Self::Sandbox => sandbox(summary),
            Self::Bindings => bindings::test(summary),
            Self::Conformance => conformance::run(&conformance::Arguments::default()),
        }
    }
}

fn format() -> Result<()> {
    run_command(&mut cargo(&["fmt", "--all", "--check"]))?;
    // The benchmarks are a workspace of their own, so that the peers stay out of the product's lock file.
    if repo_root().join("bench").join("Cargo.toml").is_file() {
        run_command(&mut cargo(&[
            "fmt",
            "--all",
            "--check",
            "--manifest-path",
            "bench/Cargo.toml",
        ]))?;
    }
    Ok(())
}

/// Packages with a feature that is not in the default build, and the tests that need it.
const OPTIONAL: [(&str, &str, &str); 1] = [("toolmesh", "otlp", "observing::otlp::")];

fn lint() -> Result<()> {
    let warnings = ["--", "-D", "warnings"];
    run_command(cargo(&["clippy", "--workspace", "--all-targets"]).args(warnings))?;
    for (package, feature, _) in OPTIONAL {
        let mut command = cargo(&["clippy", "-p", package, "--features", feature, "--all-targets"]);
        run_command(command.args(warnings))?;
    }
    Ok(())
}

fn doc() -> Result<()> {
    run_command(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    check_pages()
}

/// The packages that run Calimero applications in process, together with the feature that brings the runtime: built
/// at once, so that what they share is built once more and not twice.
const SANDBOX: [&str; 8] = [
    "-p",
    "toolmesh-calimero-sandbox",
    "-p",
    "toolmesh-calimero-node",
    "-p",
    "toolmesh-cli",
    "--features",
    "toolmesh-cli/calimero-sandbox,toolmesh-calimero-node/sandbox",
];

/// Their tests that need it, by the beginning of the module; the others ran before.
const SANDBOX_TESTS: [&str; 6] = ["--lib", "--test", "it", "--", "application::", "happened::"];

fn sandbox(summary: &mut Summary) -> Result<()> {
    let mut lint = cargo(&["clippy", "--all-targets"]);
    run_command(lint.args(SANDBOX).args(["--", "-D", "warnings"]))?;
    let mut command = cargo(&["test", "--no-fail-fast"]);
    command.args(SANDBOX).args(SANDBOX_TESTS);
    let before = summary.passed();
    run_and_read(command.env(TESTS_DIR_VARIABLE, tests_dir()), summary)?;
    if summary.passed() == before {
        bail!("no test ran");
    }
    Ok(())
}

fn test(arguments: &[String], summary: &mut Summary) -> Result<()> {
    let mut command = cargo(&["test", "--no-fail-fast"]);
    let names_packages = arguments
        .iter()
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"));
    if !names_packages {
        command.arg("--workspace");
    }
    command.args(arguments).env(TESTS_DIR_VARIABLE, tests_dir());
    // The pinned node, whatever else is on the path.
    if let (None, Some(anvil)) = (env::var_os("ANVIL_BIN"), installed_anvil()) {
        command.env("ANVIL_BIN", anvil);
    }
    run_and_read(&mut command, summary)?;
    if !names_packages {
        for (package, feature, tests) in OPTIONAL {
            let mut command = cargo(&[
                "test",
                "-p",
                package,
                "--features",
                feature,
                "--test",
                "it",
                tests,
            ]);
            run_and_read(&mut command, summary)?;
        }
    }
    if !summary.is_ok() {
        bail!("no test ran");
    }
    Ok(())
}

/// Runs the command, shows its standard output line by line, and adds up the closing lines in it.
fn run_and_read(command: &mut Command, summary: &mut Summary) -> Result<()> {
    let shown = shown(command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {shown}"))?;
    let stdout = child
        .stdout
        .take()
        .context("the output of cargo test cannot be read")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("reading the output of cargo test")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        summary.read(&line);
    }
    let status = child.wait().with_context(|| format!("cannot wait for {shown}"))?;
    check(&shown, status)
}

/// What the steps came to.
#[derive(Debug, Default)]
struct Report {
    steps: Vec<(Step, Duration, Result<()>)>,
    summary: Summary,
}

impl Report {
    fn failed(&self) -> bool {
        self.steps.iter().any(|(_, _, result)| result.is_err())
    }

    fn finish(self, took: Duration) -> Result<()> {
        let failed = self.failed();
        println!("\n{}", self.seconds());
        println!("{}", self.summary.line(!failed, took));
        let errors = self
            .steps
            .into_iter()
            .filter_map(|(step, _, result)| Some((step, result.err()?)));
        let errors: Vec<_> = errors
            .map(|(step, error)| format!("step `{}`: {error:#}", step.name()))
            .collect();
        if !errors.is_empty() {
            bail!("{}", errors.join("; "));
        }
        Ok(())
    }

    fn seconds(&self) -> String {
        let mut table = Table::new(&["step", "seconds", ""]);
        for (step, took, result) in &self.steps {
            let verdict = if result.is_ok() { "" } else { "FAILED" };
            table.row([
                step.name().to_owned(),
                format!("{:.1}", took.as_secs_f64()),
                verdict.to_owned(),
            ]);
        }
        table.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_named_at_the_end() {
        let second = Duration::from_secs(1);
        let report = Report {
            steps: vec![
                (Step::Format, second, Ok(())),
                (Step::Lint, second, Err(anyhow::anyhow!("cargo clippy failed"))),
            ],
            summary: Summary::default(),
        };
        assert_eq!(
            report.seconds(),
            "step    seconds\nformat      1.0\nlint        1.0  FAILED\n"
        );
        assert_eq!(
            report.finish(second).unwrap_err().to_string(),
            "step `lint`: cargo clippy failed"
        );
    }

    #[test]
    #[cfg(unix)]
    fn the_closing_lines_of_a_command_are_read_as_it_runs() {
        let mut summary = Summary::default();
        let line =
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        run_and_read(Command::new("echo").arg(line), &mut summary).unwrap();
        assert!(summary.is_ok());
        assert!(run_and_read(&mut Command::new("false"), &mut summary).is_err());
    }
}
