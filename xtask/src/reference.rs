//! `cargo xtask reference`: the API reference of each language's package, a page each, from what its sources say of themselves:
//! docstrings in Python, type declarations for Node, `go doc` in Go. Nothing is built for it.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};
use clap::Args;
use toolmesh_testkit::paths::{node, python, repo_root};

use crate::{
    bindings::go::{go, offline},
    cargo::{check, shown},
};

/// What the page of a package is called, beside its README.
pub(crate) const PAGE: &str = "REFERENCE.md";

/// Write the API reference of the Python, Node and Go packages from their sources
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Write nothing, and fail when a page is not what its sources say
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.check {
        return check_pages();
    }
    for language in Language::ALL {
        let place = language.place();
        fs::write(&place, language.page()?).with_context(|| format!("writing {}", place.display()))?;
        println!("{}", place.display());
    }
    Ok(())
}

/// Fails when a page is not what its sources say.
pub(crate) fn check_pages() -> Result<()> {
    for language in Language::ALL {
        let place = language.place();
        let there = fs::read_to_string(&place).with_context(|| format!("reading {}", place.display()))?;
        if there != language.page()? {
            bail!(
                "{} is not what its sources say: run `cargo xtask reference`",
                place.display()
            );
        }
    }
    Ok(())
}

/// A language whose package has a page.
#[derive(Debug, Clone, Copy)]
enum Language {
    Python,
    Node,
    Go,
}

impl Language {
    const ALL: [Self; 3] = [Self::Python, Self::Node, Self::Go];

    fn folder(self) -> PathBuf {
        repo_root().join("bindings").join(match self {
            Self::Python => "python",
            Self::Node => "node",
            Self::Go => "go",
        })
    }

    fn place(self) -> PathBuf {
        self.folder().join(PAGE)
    }

    fn page(self) -> Result<String> {
        let writers = repo_root().join("bindings/reference");
        match self {
            Self::Python => told(
                Command::new(python())
                    .arg(writers.join("python.py"))
                    .arg(self.folder().join("python/toolmesh")),
            ),
            Self::Node => told(
                Command::new(node())
                    .arg(writers.join("node.mjs"))
                    .arg(self.folder().join("lib/index.d.cts")),
            ),
            Self::Go => {
                let mut doc = offline(Command::new(go()?));
                Ok(go_page(&told(
                    doc.current_dir(self.folder()).args(["doc", "-all", "."]),
                )?))
            }
        }
    }
}

fn told(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {shown}"))?;
    check(&shown, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("what {shown} prints"))
}

fn go_page(doc: &str) -> String {
    format!(
        "# API reference of Toolmesh for Go\n\nWritten by `cargo xtask reference`: what `go doc -all` tells of the package. How \
         things go together is in the\n[README](README.md).\n\n```go\n{}\n```\n",
        doc.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_go_is_what_go_doc_tells_in_a_block() {
        let page = go_page("package toolmesh\n\nfunc A()\n\n");
        assert!(page.ends_with("\n\n```go\npackage toolmesh\n\nfunc A()\n```\n"));
    }
}
