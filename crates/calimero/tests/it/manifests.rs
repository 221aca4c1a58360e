//! The committed manifests.

use std::path::{Path, PathBuf};

use toolmesh_calimero::{Application, MappedMethod, Mapping, read, tools};
use toolmesh_tool::Tool;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/calimero")
}

/// The bytes of a committed manifest.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.json"))).unwrap()
}

/// A committed manifest as an application of that name.
pub(crate) fn application(name: &str) -> Application {
    read(&bytes(name), name).unwrap()
}

/// The names of all committed manifests, in order.
pub(crate) fn all() -> Vec<String> {
    let paths = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// An application with these named types and methods, both JSON.
pub(crate) fn made(types: &str, methods: &str) -> Application {
    let manifest =
        format!(r#"{{"schema_version":"wasm-abi/1","types":{types},"methods":{methods},"events":[]}}"#);
    read(manifest.as_bytes(), "com.example.app").unwrap()
}

/// What became of each method.
pub(crate) fn mapped(application: &Application) -> Vec<MappedMethod> {
    tools(std::slice::from_ref(application), &[], &Mapping::default(), None)
}

/// The tool of a method.
pub(crate) fn tool(application: &Application, method: &str) -> Tool {
    let found = mapped(application)
        .into_iter()
        .find(|mapped| mapped.name == method);
    found.unwrap().tool.unwrap()
}
