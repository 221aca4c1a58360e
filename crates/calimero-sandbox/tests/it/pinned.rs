//! The lock file.

use std::collections::BTreeMap;

use toolmesh_calimero_sandbox::RUNTIME_VERSION;

/// The reader of manifests, an oracle of other tests, which shares nothing with the runtime.
const ORACLE: (&str, &str) = ("calimero-wasm-abi", "1.0.0-rc.8");

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The crates of Calimero in the lock file with their versions.
fn locked() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let lock = read("../../Cargo.lock");
    let value = |line: Option<&str>, key: &str| {
        let text = line?.strip_prefix(&format!("{key} = \""))?;
        Some(text.strip_suffix('"')?.to_owned())
    };
    for package in lock.split("[[package]]\n").skip(1) {
        let mut lines = package.lines();
        let name = value(lines.next(), "name").unwrap();
        let version = value(lines.next(), "version").unwrap();
        let is_oracle = (name.as_str(), version.as_str()) == ORACLE;
        if name.starts_with("calimero-") && !is_oracle {
            found.entry(name).or_default().push(version);
        }
    }
    found
}

#[test]
fn every_crate_of_the_runtime_in_the_lock_file_is_of_the_one_version() {
    let locked = locked();
    assert!(locked.contains_key("calimero-runtime"), "{locked:?}");
    for (name, versions) in locked {
        assert_eq!(versions, [RUNTIME_VERSION], "{name}");
    }
}

#[test]
fn every_crate_of_the_runtime_in_the_lock_file_is_pinned_in_the_manifest() {
    let manifest = read("Cargo.toml");
    for name in locked().into_keys() {
        let pin = format!("{name} = {{ version = \"={RUNTIME_VERSION}\", optional = true }}");
        assert!(manifest.lines().any(|line| line == pin), "{pin}");
    }
}
