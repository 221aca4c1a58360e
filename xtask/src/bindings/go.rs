//! The C interface and the Go module over it: a program in C over the header alone, the module's own tests, and the archive
//! beside an empty module.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use toolmesh_testkit::paths::{find_on_path, repo_root};

use super::{Counts, matrix_folder, run_and_count, surroundings::Surroundings};
use crate::{
    cargo::run,
    matrix::{Language, Side},
    package::go::{Library, module_archive},
    summary::Summary,
};

/// What tests use the library of, and where they are.
const C_PROGRAM: &str = "crates/ffi/tests/c/program.c";
const MODULE: &str = "bindings/go";

/// Where the sources in Go are, which `gofmt` looks at.
const SOURCES: [&str; 3] = [MODULE, "bindings/matrix", "bindings/bench"];

/// What links a program in C against the static library, besides it.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lm", "-ldl", "-lpthread"];

/// Tests the C interface and the Go module; how its programs of the matrix are started.
pub(super) fn test(surroundings: &Surroundings, summary: &mut Summary) -> Result<Language> {
    let library = Library::build(false)?;
    let folder = tempfile::tempdir().context("making a folder for programs")?;
    test_c(&library, folder.path(), summary).context("testing the C interface")?;
    test_module(&library, surroundings, summary).context("testing the Go module")?;
    matrix_programs().context("using the archive of the Go module")
}

/// The programs of the matrix, and the example before them, built from a module that has nothing but the archive.
fn matrix_programs() -> Result<Language> {
    let user = User::with(&module_archive(false)?)?;
    let example = repo_root().join(MODULE).join("examples/quickstart/main.go");
    run(&mut Command::new(user.build("quickstart", &example)?))?;
    for side in [Side::Host, Side::Caller] {
        user.build(side.name(), &matrix_folder().join(format!("{}.go", side.name())))?;
    }
    Ok(Language::new("Go", move |side| {
        Command::new(user.program(side.name()))
    }))
}

/// An empty module beside the unpacked archive; dropping it removes both.
#[derive(Debug)]
pub(crate) struct User(TempDir);

impl User {
    /// Unpacks the archive, and makes a module that requires what is in it.
    pub(crate) fn with(archive: &Path) -> Result<Self> {
        let folder = tempfile::tempdir().context("making a folder for a Go module")?;
        run(Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(folder.path()))?;
        let user = Self(folder);
        fs::create_dir(user.folder()).context("making an empty module")?;
        let module = "module user\n\ngo 1.24\n\nrequire toolmesh v0.0.0\n\nreplace toolmesh => ../toolmesh\n";
        fs::write(user.folder().join("go.mod"), module).context("writing go.mod")?;
        Ok(user)
    }

    /// Vets and builds a program of one file; no network is asked. Where it is.
    pub(crate) fn build(&self, name: &str, source: &Path) -> Result<PathBuf> {
        let package = self.folder().join(name);
        fs::create_dir(&package).with_context(|| format!("making a folder for {name}"))?;
        fs::copy(source, package.join("main.go")).with_context(|| format!("copying {}", source.display()))?;
        let package = format!("./{name}");
        run(offline(Command::new(go()?))
            .current_dir(self.folder())
            .args(["vet", &package]))?;
        let program = self.program(name);
        run(offline(Command::new(go()?))
            .current_dir(self.folder())
            .args(["build", "-o"])
            .arg(&program)
            .arg(&package))?;
        Ok(program)
    }

    /// Where a program is that was built.
    fn program(&self, name: &str) -> PathBuf {
        self.folder().join(name).join("program")
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("user")
    }
}

/// Compiles the program in C against the shared library and against the static one, with every warning an error, and runs it.
fn test_c(library: &Library, folder: &Path, summary: &mut Summary) -> Result<()> {
    for (name, file) in [("shared", &library.shared), ("static", &library.archive)] {
        let program = folder.join(name);
        run(Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
            .arg(&program)
            .arg("-I")
            .arg(library.header_folder())
            .arg(repo_root().join(C_PROGRAM))
            .arg(file)
            .args(SYSTEM_LIBRARIES))?;
        let output = Command::new(&program)
            .env("LD_LIBRARY_PATH", library.folder())
            .output()
            .with_context(|| format!("running the program in C, {name}"))?;
        let told = String::from_utf8_lossy(&output.stdout);
        print!("{told}");
        summary.tell(
            output.status.success(),
            lines(&told, "ok: "),
            lines(&told, "FAILED: "),
        );
        if !output.status.success() {
            bail!("the program in C, {name}: {}", output.status);
        }
    }
    Ok(())
}

/// Runs `gofmt`, `go vet`, the tests and the example, linked against the library where Cargo built it.
fn test_module(library: &Library, surroundings: &Surroundings, summary: &mut Summary) -> Result<()> {
    check_format()?;
    let module = repo_root().join(MODULE);
    run(in_module(&module, library)?.args(["vet", "./..."]))?;
    let mut tests = in_module(&module, library)?;
    tests.args(["test", "-count=1", "-v", "./..."]);
    run_and_count(surroundings.tell(&mut tests), summary, |told| Counts {
        passed: lines(told, "--- PASS"),
        failed: lines(told, "--- FAIL"),
    })?;
    run(in_module(&module, library)?.args(["run", "./examples/quickstart"]))
}

/// Every source in Go is as `gofmt` writes it.
fn check_format() -> Result<()> {
    let unformatted = Command::new(go()?.with_file_name("gofmt"))
        .arg("-l")
        .args(SOURCES.map(|folder| repo_root().join(folder)))
        .output()
        .context("running gofmt")?;
    if !unformatted.status.success() || !unformatted.stdout.is_empty() {
        bail!(
            "gofmt would change: {}{}",
            String::from_utf8_lossy(&unformatted.stdout),
            String::from_utf8_lossy(&unformatted.stderr)
        );
    }
    Ok(())
}

/// The `go` command in the module of the repository.
fn in_module(module: &Path, library: &Library) -> Result<Command> {
    let folder = library.folder().display().to_string();
    let mut command = offline(Command::new(go()?));
    command
        .current_dir(module)
        // The shared library is taken where both are: a test binary is linked in a moment then.
        .env("CGO_LDFLAGS", format!("-L{folder} -Wl,-rpath,{folder}"));
    Ok(command)
}

/// Without network and without another toolchain than the one that is here.
pub(crate) fn offline(mut command: Command) -> Command {
    command
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        .env("CGO_ENABLED", "1");
    command
}

pub(crate) fn go() -> Result<PathBuf> {
    let installed = Path::new("/usr/local/go/bin/go");
    find_on_path("go")
        .or_else(|| installed.is_file().then(|| installed.to_owned()))
        .context("`go` is not on the PATH: install Go 1.24 or newer")
}

/// How many lines begin so, whatever stands before in spaces.
fn lines(told: &str, start: &str) -> u64 {
    let found = told.lines().filter(|line| line.trim_start().starts_with(start));
    u64::try_from(found.count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_go_are_counted_by_their_closing_lines() {
        let told = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/part (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\n";
        assert_eq!((lines(told, "--- PASS"), lines(told, "--- FAIL")), (2, 1));
    }

    #[test]
    fn what_is_built_is_where_this_looks_for_it() {
        assert!(repo_root().join(MODULE).join("go.mod").is_file());
        assert!(repo_root().join(C_PROGRAM).is_file());
    }
}
