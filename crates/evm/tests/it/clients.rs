//! Generated clients: each language's own checker accepts them, whatever the interface says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolmesh_evm::generate::{GeneratedFile, generate};
use toolmesh_evm::hint::Language;
use toolmesh_evm::{Interface, read};
use toolmesh_testkit::paths;

use crate::mapping::interface;

/// Contracts that are called like something that clients use.
const NAMES_IN_USE: [&str; 10] = [
    "Any",
    "Call",
    "Dict",
    "Event",
    "Options",
    "Promise",
    "Read",
    "String",
    "Transaction",
    "Written",
];

/// The interfaces for which clients are written: all of the corpus, one whose names are hostile, and some that are called
/// like what clients use.
fn interfaces() -> Vec<(String, Interface)> {
    let hostile = r#"[{"type":"function","name":"a","stateMutability":"view","outputs":[],"inputs":[
        {"name":"*/ x \"\"\" \\","type":"uint256"},{"name":"self","type":"bool"},{"name":"options","type":"bool"},{"name":"arguments","type":"bool[]"},
        {"name":"ctx","type":"tuple","internalType":"struct \"); import os; (\"","components":[{"name":"-","type":"bool"},{"name":"class","type":"bytes"},{"name":"Class","type":"int8"}]}]},
        {"type":"function","name":"constructor_","inputs":[]},{"type":"function","name":"Caller","inputs":[]},{"type":"function","name":"new","inputs":[]},{"type":"function","name":"$","inputs":[]},
        {"type":"function","name":"str","inputs":[{"name":"str","type":"string"},{"name":"cast","type":"string"},{"name":"_arguments","type":"string"}],"outputs":[{"type":"string"}]},
        {"type":"function","name":"_toolmesh_call","inputs":[]},{"type":"function","name":"bool","inputs":[{"name":"int","type":"int8"},{"name":"bool","type":"bool"}],"outputs":[{"type":"bool"}]},
        {"type":"function","name":"import","inputs":[{"name":"call","type":"uint8"},{"name":"tx","type":"uint8"},{"name":"list","type":"uint8[2][]"}],"outputs":[{"type":"bool"},{"type":"tuple","components":[{"name":"x","type":"string"}]}]}]"#;
    let mut found: Vec<(String, Interface)> = crate::corpus::interfaces()
        .into_iter()
        .map(|(file, interface)| (file.replace(['/', '.', '-'], "_"), interface))
        .collect();
    let hostile = read(hostile.as_bytes()).unwrap();
    found.extend(NAMES_IN_USE.map(|name| (name.to_owned(), hostile.clone())));
    found.push(("hostile".to_owned(), hostile));
    found
}

/// Writes every client in a folder of its own, and answers the files.
fn written(language: Language, folder: &Path) -> Vec<PathBuf> {
    interfaces()
        .into_iter()
        .map(|(name, interface)| {
            let GeneratedFile { name: file, content } = generate(&interface, language, Some(&name));
            let own = folder.join(&name);
            fs::create_dir_all(&own).unwrap();
            let path = own.join(file);
            fs::write(&path, content).unwrap();
            path
        })
        .collect()
}

fn succeeds(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; `cargo xtask test` installs what it needs"));
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn python_clients_satisfy_the_strict_type_checker_and_can_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let files = written(Language::Python, folder.path());
    let mut mypy = Command::new(paths::python());
    mypy.args(["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir"])
        .arg(folder.path().join("cache"))
        .args(&files);
    succeeds(&mut mypy);
    let import = "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path)";
    succeeds(Command::new(paths::python()).args(["-c", import]).args(&files));
}

#[test]
fn typescript_clients_satisfy_the_strict_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let files = written(Language::TypeScript, folder.path());
    let compiler = paths::node_dir().join("node_modules/typescript/bin/tsc");
    let mut tsc = Command::new(paths::node());
    tsc.arg(compiler)
        .args(["--noEmit", "--strict", "--target", "es2022", "--module", "esnext"])
        .args(&files);
    succeeds(&mut tsc);
}

#[test]
fn go_clients_satisfy_the_vet_tool() {
    let folder = tempfile::tempdir().unwrap();
    written(Language::Go, folder.path());
    fs::write(folder.path().join("go.mod"), "module clients\n\ngo 1.21\n").unwrap();
    let go = paths::find_on_path("go").expect("`go` is not on the PATH: install Go 1.21 or newer");
    succeeds(
        Command::new(go)
            .current_dir(folder.path())
            .env("GOFLAGS", "-mod=mod")
            .env("GOTOOLCHAIN", "local")
            .env("GO111MODULE", "on")
            .args(["vet", "./..."]),
    );
}

/// With `UPDATE_GENERATED=1` the files are written anew.
#[test]
fn rust_clients_are_those_that_this_crate_compiles() {
    for (file, name) in [
        ("examples/token.json", "token"),
        ("testdata/solidity/solc_torture_artifact.json", "torture"),
        ("testdata/solidity/handmade_torture.json", "handmade"),
    ] {
        let generated = generate(&interface(file), Language::Rust, Some(name));
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/generated")
            .join(&generated.name);
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            fs::write(&path, &generated.content).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap();
        assert!(
            committed == generated.content,
            "{} is out of date",
            path.display()
        );
    }
}
