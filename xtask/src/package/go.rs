//! The Go module as an archive: its sources, the header, and the library for this system.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use toolmesh_testkit::paths::repo_root;

use crate::{
    cargo::{cargo, run, target_dir},
    install::start_over,
};

/// What Cargo calls the package and its library.
const PACKAGE: &str = "toolmesh-ffi";
const LIBRARY: &str = "toolmesh_ffi";

/// The library of the C interface, as Cargo builds it.
pub(crate) struct Library {
    /// The static one.
    pub(crate) archive: PathBuf,
    /// The shared one.
    pub(crate) shared: PathBuf,
}

impl Library {
    /// Builds both.
    pub(crate) fn build(release: bool) -> Result<Self> {
        let profile: &[&str] = if release { &["--release"] } else { &[] };
        // Without the Rust library, which only its tests use: with it, link-time optimisation would have everything under it
        // compiled once more, in another way than for the other packages.
        let libraries = ["--lib", "--crate-type", "staticlib,cdylib"];
        run(cargo(&["rustc", "--quiet", "--locked", "--package", PACKAGE])
            .args(libraries)
            .args(profile))?;
        let folder = target_dir()?.join(if release { "release" } else { "debug" });
        let shared = format!("{}{LIBRARY}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        Ok(Self {
            archive: folder.join(format!("lib{LIBRARY}.a")),
            shared: folder.join(shared),
        })
    }

    /// Where both are.
    pub(crate) fn folder(&self) -> &Path {
        self.shared.parent().unwrap_or(&self.shared)
    }

    /// Where the header is.
    pub(crate) fn header_folder(&self) -> PathBuf {
        repo_root().join("crates/ffi/include")
    }
}

/// Builds the archive: the folder `toolmesh` is the Go module with `lib/` (the static library, which programs are linked with),
/// `shared/` (the shared one, for other languages) and `include/`.
pub(crate) fn module_archive(release: bool) -> Result<PathBuf> {
    let library = Library::build(release)?;
    let folder = super::folder_of(release, super::GO)?;
    start_over(&folder)?;
    let module = folder.join("toolmesh");
    copy_module(&repo_root().join("bindings/go"), &module)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&repo_root().join(licence), &module)?;
    }
    copy(
        &library.header_folder().join("toolmesh.h"),
        &module.join("include"),
    )?;
    for (file, place) in [(&library.archive, "lib"), (&library.shared, "shared")] {
        let copied = copy(file, &module.join(place))?;
        run(Command::new("strip").arg("--strip-debug").arg(copied))?;
    }
    let system = format!("{}-{}", env::consts::OS, env::consts::ARCH);
    let archive = folder.join(format!(
        "toolmesh-go-{}-{system}.tar.gz",
        env!("CARGO_PKG_VERSION")
    ));
    // The fastest compression for tests, which unpack it at once.
    let compression = if release { "gzip -9" } else { "gzip -1" };
    run(Command::new("tar")
        .arg("--use-compress-program")
        .arg(compression)
        .arg("-cf")
        .arg(&archive)
        .arg("-C")
        .arg(&folder)
        .arg("toolmesh"))?;
    fs::remove_dir_all(&module).context("removing what was packed")?;
    Ok(archive)
}

/// Copies the sources of the module, without its tests, which need the repository.
fn copy_module(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    for entry in from
        .read_dir()
        .with_context(|| format!("reading {}", from.display()))?
    {
        let path = entry.context("reading a folder")?.path();
        if path.is_dir() {
            copy_module(&path, &to.join(path.file_name().unwrap_or_default()))?;
        } else if !path.to_string_lossy().ends_with("_test.go") {
            copy(&path, to)?;
        }
    }
    Ok(())
}

/// Copies a file into a folder, which is made when it is not there; where the copy is.
fn copy(file: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let copied = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &copied).with_context(|| format!("copying {}", file.display()))?;
    Ok(copied)
}
