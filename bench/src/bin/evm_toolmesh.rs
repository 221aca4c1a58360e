//! From the bytes of interfaces to tools that can be called: read, mapped, both schemas of each compiled.
//!
//! The interfaces of a folder are taken again and again until there are so many functions as are asked for. Prints one
//! line of JSON: how many interfaces and functions, and the milliseconds of each stage in each round, in this thread's
//! processor time.

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use toolmesh_evm::{Interface, read, tools};

/// Measures reading and mapping.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder with the interfaces
    #[arg(long)]
    folder: PathBuf,
    /// How many functions are mapped in a round
    #[arg(long)]
    functions: usize,
    /// How many rounds are measured
    #[arg(long)]
    rounds: u32,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let files = enough(&arguments.folder, arguments.functions)?;
    // The first round is for the caches.
    round(&files)?;
    let mut functions = 0;
    let mut read_milliseconds = Vec::new();
    let mut map_milliseconds = Vec::new();
    for _ in 0..arguments.rounds {
        let round = round(&files)?;
        functions = round.functions;
        read_milliseconds.push(round.read);
        map_milliseconds.push(round.map);
    }
    let figures: Value = json!({
        "interfaces": files.len(),
        "functions": functions,
        "read_milliseconds": read_milliseconds,
        "map_milliseconds": map_milliseconds,
    });
    println!("{figures}");
    Ok(())
}

/// The files of a folder that are interfaces with functions, repeated until they have enough of these.
fn enough(folder: &Path, functions: usize) -> Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut usable = Vec::new();
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        let count = read(&bytes).map_or(0, |interface| interface.functions().count());
        if count > 0 {
            usable.push((bytes, count));
        }
    }
    ensure!(!usable.is_empty(), "no interface in {}", folder.display());
    let mut files = Vec::new();
    let mut left = functions;
    for (bytes, count) in usable.iter().cycle() {
        if left == 0 {
            break;
        }
        files.push(bytes.clone());
        left = left.saturating_sub(*count);
    }
    Ok(files)
}

struct Round {
    functions: usize,
    read: f64,
    map: f64,
}

fn round(files: &[Vec<u8>]) -> Result<Round> {
    let begin = milliseconds();
    let interfaces: Vec<Interface> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let between = milliseconds();
    let mut functions = 0;
    for interface in &interfaces {
        for mapped in black_box(tools(interface, None)) {
            ensure!(mapped.tool.is_ok(), "a function without a tool");
            functions += 1;
        }
    }
    Ok(Round {
        functions,
        read: between - begin,
        map: milliseconds() - between,
    })
}

/// This thread's processor time, so that whatever else runs on the machine disturbs little.
fn milliseconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let milliseconds = time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6;
    milliseconds
}
