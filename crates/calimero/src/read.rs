//! Bytes to an application: a manifest (JSON), a WebAssembly module that carries one, or a bundle (`.mpk`).
//!
//! Reading is tolerant: unknown keys, kinds and replicated types are taken as they come, because newer toolchains add
//! them; what cannot be used is kept with its reason. [`validate`](crate::validate) is the strict side.

mod archive;
mod bundle;
mod manifest;
mod metadata;
mod types;
mod wasm;

use toolmesh_json::Value;

use crate::model::{Application, ServiceModule};
use crate::validate::{Problem, problems};

pub use archive::{MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES};
pub use bundle::MAX_SERVICES;
pub use manifest::{MAX_METHODS, MAX_TYPES, manifest, manifest_value};
pub(crate) use manifest::{major_version, parse_json};
pub(crate) use metadata::Metadata;
pub use wasm::{MAX_SECTIONS, SECTION, embedded_manifest};

/// Why bytes are no application.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A manifest is not JSON.
    #[error("{what} is not JSON: line {line}, column {column}: {reason}")]
    NotJson {
        /// Which document.
        what: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// Why.
        reason: String,
    },
    /// The document is no manifest.
    #[error("this is no Calimero manifest: {0}")]
    NotAManifest(String),
    /// The manifest is of a version that is not known here.
    #[error(
        "the manifest is of version `{0}`; known is wasm-abi/1 and its minor versions. Build the application with a \
         toolchain of this major version"
    )]
    UnsupportedVersion(String),
    /// The manifest has more entries than are taken.
    #[error("the manifest has more than {max} {what}")]
    TooMany {
        /// Entries of what.
        what: &'static str,
        /// How many are taken.
        max: usize,
    },
    /// The module is damaged.
    #[error("this is no sound WebAssembly module: {0}")]
    Wasm(&'static str),
    /// The module carries no manifest.
    #[error(
        "the WebAssembly module carries no manifest (custom section `{SECTION}`); build it with `cargo mero build`, \
         or give its abi.json"
    )]
    NoEmbeddedManifest,
    /// The bundle cannot be read.
    #[error("the bundle cannot be read: {0}")]
    Bundle(String),
    /// The bundle has no manifest of any service.
    #[error("the bundle holds no interface: neither an abi.json nor a WebAssembly module that carries one")]
    NothingInBundle,
}

/// Whether the bytes look like something that [`read`] reads: a gzip archive, a WebAssembly module, or JSON whose
/// `schema_version` is that of a manifest.
#[must_use]
pub fn recognises(bytes: &[u8]) -> bool {
    if archive::recognises(bytes) || wasm::recognises(bytes) {
        return true;
    }
    // Cheap before exact: other JSON is not parsed twice for nothing.
    let mentions = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    mentions(b"\"schema_version\"")
        && parse_json(bytes, "it").is_ok_and(|value| manifest::is_manifest(value.view()))
}

/// Reads an application; `name` is its package unless the bytes themselves say one.
///
/// # Errors
/// [`ReadError`] when the bytes are no manifest, no module that carries one, and no bundle of such.
pub fn read(bytes: &[u8], name: &str) -> Result<Application, ReadError> {
    if archive::recognises(bytes) {
        return bundle::read(bytes, name);
    }
    let manifest = manifest_value(document(bytes)?.view())?;
    Ok(Application::of_manifest(name, manifest))
}

/// The module of each service that has one, with the service's name as [`read`] gives it; a manifest alone has none.
///
/// # Errors
/// [`ReadError`] when a bundle cannot be read.
pub fn modules(bytes: &[u8]) -> Result<Vec<ServiceModule>, ReadError> {
    if archive::recognises(bytes) {
        return bundle::modules(bytes);
    }
    let module = wasm::recognises(bytes).then(|| ServiceModule {
        service: None,
        wasm: bytes.into(),
    });
    Ok(module.into_iter().collect())
}

/// Everything that the manifests in these bytes break of their format's rules; in a bundle, each with its service's
/// name in front.
///
/// # Errors
/// As [`read`], for what cannot be read at all.
pub fn check(bytes: &[u8]) -> Result<Vec<Problem>, ReadError> {
    if archive::recognises(bytes) {
        return bundle::check(bytes);
    }
    let document = document(bytes)?;
    let found = problems(document.view());
    // What is no manifest at all is told by reading, in better words.
    manifest_value(document.view()).map(|_| found)
}

/// The JSON of the one manifest in bytes that are a manifest or a module.
fn document(bytes: &[u8]) -> Result<Value, ReadError> {
    if wasm::recognises(bytes) {
        wasm::embedded_document(bytes)
    } else {
        parse_json(bytes, "the manifest")
    }
}
