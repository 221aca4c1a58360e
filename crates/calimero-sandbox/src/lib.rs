//! Runs a Calimero application's WebAssembly in process, without a node. It has many dependencies, so it stands apart
//! and is optional (feature `calimero-sandbox` of `toolmesh`).
//!
//! Nothing runs yet; what is settled is the runtime that it will embed.

/// The one version of the Calimero runtime's crates that may be linked: a newer `calimero-primitives` in the lock file
/// breaks `calimero-crypto`, so every one of them is pinned to it exactly.
pub const RUNTIME_VERSION: &str = "0.11.0-rc.5";

#[cfg(test)]
mod tests {
    #[test]
    fn no_other_version_of_the_runtime_is_in_the_lock_file() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
        let mut lines = lock.lines();
        while let Some(line) = lines.next() {
            // The reader of manifests is an oracle of tests and shares nothing with the runtime.
            if line.starts_with("name = \"calimero-") && line != "name = \"calimero-wasm-abi\"" {
                let version = lines.next().unwrap_or_default();
                assert_eq!(
                    version,
                    format!("version = \"{}\"", super::RUNTIME_VERSION),
                    "{line}"
                );
            }
        }
    }
}
