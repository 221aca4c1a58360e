//! `toolmesh generate`: typed client code for the tools of a source.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::interface,
    evm::{
        generate::{GeneratedFile, NOTICE, generate},
        hint::Language,
    },
};

use super::block_on;
use crate::{exit_code::ExitCode, failure::Failure, one_source::OneSource, output};

/// What `generate` takes.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    #[command(flatten)]
    source: OneSource,
    /// The language of the client
    #[arg(long, value_enum)]
    lang: Lang,
    /// The folder that the file is written to; it is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// What the client is called (default: after the contract)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write over a file that is not a generated one
    #[arg(short, long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Lang {
    /// Python 3.9 and later, with `typing`
    Python,
    /// TypeScript
    Typescript,
    /// Rust, with `serde` and `serde_json`
    Rust,
    /// Go
    Go,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::Python => Self::Python,
            Lang::Typescript => Self::TypeScript,
            Lang::Rust => Self::Rust,
            Lang::Go => Self::Go,
        }
    }
}

pub(crate) fn run(verb: &Generate) -> Result<ExitCode, Failure> {
    let (source, surroundings) = verb.source.resolve()?;
    let interface = block_on(async { Ok(interface(&source, &surroundings).await?) })?;
    let name = verb.name.as_deref().or(interface.contract_name.as_deref());
    // A file called `token.json` is a better name than none.
    let name = name.unwrap_or(&source.name);
    let file = generate(&interface, verb.lang.into(), Some(name));
    let path = verb.output.join(&file.name);
    if !verb.force && !may_replace(&path)? {
        return Err(Failure::usage(format!(
            "{} is there already and was not generated; give another folder, or --force to write over it",
            path.display()
        )));
    }
    write(&verb.output, &file)?;
    output::print(&path.display().to_string());
    Ok(ExitCode::Done)
}

/// Whether there is no file, or one that was generated.
fn may_replace(path: &Path) -> Result<bool, Failure> {
    match fs::read(path) {
        Ok(bytes) => {
            let mut first = bytes.split(|byte| *byte == b'\n').take(2);
            Ok(first.any(|line| line.ends_with(NOTICE.as_bytes())))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(reason) => Err(Failure::System {
            what: "the file that is to be written cannot be looked at",
            reason,
        }),
    }
}

/// Writes the file, whole or not at all.
fn write(folder: &Path, file: &GeneratedFile) -> Result<(), Failure> {
    let unfinished = folder.join(format!(".{}.unfinished", file.name));
    let written = fs::create_dir_all(folder).and_then(|()| {
        let mut out = fs::File::create(&unfinished)?;
        out.write_all(file.content.as_bytes())?;
        fs::rename(&unfinished, folder.join(&file.name))
    });
    written.map_err(|reason| {
        let _ = fs::remove_file(&unfinished);
        Failure::System {
            what: "the client could not be written",
            reason,
        }
    })
}
