//! The C interface and the Go module over it: a program in C over the header alone, the module's own tests, and the archive in
//! an empty module.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use toolmesh_testkit::paths::{find_on_path, repo_root};

use crate::{
    cargo::{run, shown},
    package::go::{Library, module_archive},
    summary::Summary,
};

/// What tests use the library of, and where they are.
const C_PROGRAM: &str = "crates/ffi/tests/c/program.c";
const MODULE: &str = "bindings/go";

/// What links a program in C against the static library, besides it.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lm", "-ldl", "-lpthread"];

/// Tests the C interface and the Go module.
pub(crate) fn test(summary: &mut Summary) -> Result<()> {
    let library = Library::build(false)?;
    let folder = tempfile::tempdir().context("making a folder for programs")?;
    test_c(&library, folder.path(), summary).context("testing the C interface")?;
    test_module(&library, summary).context("testing the Go module")?;
    test_archive(folder.path()).context("using the archive of the Go module")
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

/// Runs `go vet`, the tests and the example, linked against the library where Cargo built it.
fn test_module(library: &Library, summary: &mut Summary) -> Result<()> {
    let module = repo_root().join(MODULE);
    let unformatted = Command::new(go()?.with_file_name("gofmt"))
        .arg("-l")
        .arg(&module)
        .output()
        .context("running gofmt")?;
    if !unformatted.status.success() || !unformatted.stdout.is_empty() {
        bail!(
            "gofmt would change: {}",
            String::from_utf8_lossy(&unformatted.stdout)
        );
    }
    run(in_module(&module, library)?.args(["vet", "./..."]))?;
    let mut tests = in_module(&module, library)?;
    tests.args(["test", "-count=1", "-v", "./..."]);
    let output = tests
        .output()
        .with_context(|| format!("cannot run {}", shown(&tests)))?;
    let told = String::from_utf8_lossy(&output.stdout);
    print!("{told}{}", String::from_utf8_lossy(&output.stderr));
    let (passed, failed) = (lines(&told, "--- PASS"), lines(&told, "--- FAIL"));
    summary.tell(output.status.success(), passed, failed);
    if !output.status.success() || passed == 0 {
        bail!("go test: {}", output.status);
    }
    run(in_module(&module, library)?.args(["run", "./examples/quickstart"]))
}

/// Unpacks the archive, and builds and runs the example from a module that has nothing but it; no network is asked.
fn test_archive(folder: &Path) -> Result<()> {
    let archive = module_archive(false)?;
    run(Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .arg("-C")
        .arg(folder))?;
    let user = folder.join("user");
    fs::create_dir(&user).context("making an empty module")?;
    let example = repo_root().join(MODULE).join("examples/quickstart/main.go");
    fs::copy(example, user.join("main.go")).context("copying the example")?;
    let module = "module user\n\ngo 1.24\n\nrequire toolmesh v0.0.0\n\nreplace toolmesh => ../toolmesh\n";
    fs::write(user.join("go.mod"), module).context("writing go.mod")?;
    let mut program = offline(Command::new(go()?));
    run(program.current_dir(&user).args(["run", "."]))
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
fn offline(mut command: Command) -> Command {
    command
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        .env("CGO_ENABLED", "1");
    command
}

fn go() -> Result<PathBuf> {
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
    fn the_folder_of_a_module_is_where_the_page_says() {
        assert!(repo_root().join(MODULE).join("go.mod").is_file());
        assert!(repo_root().join(C_PROGRAM).is_file());
    }
}
