//! What the contenders of the JSON benchmark share: the documents, and how a codec is measured on them.
//!
//! Time is this thread's processor time, so that whatever else runs on the machine disturbs little. Memory is what the process
//! grows by for each value that is kept, allocator and all.

use std::{fmt::Write, fs, hint::black_box, io};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// Measures one codec on one document, prints one line of JSON.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// Which codec
    #[arg(long)]
    codec: String,
    /// Which document: `large` or `small`
    #[arg(long)]
    document: String,
    /// Processor time of a measurement
    #[arg(long, default_value_t = 500)]
    milliseconds: u32,
}

/// One codec: a name and what it does with a document that it can read.
pub struct Codec {
    /// The name that it is asked for by.
    pub name: &'static str,
    /// Reads the document into a full value and drops that.
    pub parse: fn(&[u8]),
    /// Reads the document once and answers what writes it: the length of the text, which is dropped.
    pub writer: fn(&[u8]) -> Box<dyn Fn() -> usize>,
    /// Reads the document into a full value and keeps that for good.
    pub keep: fn(&[u8]),
}

/// Measures the codec that the command line asks for.
pub fn run(codecs: &[Codec]) -> Result<()> {
    let arguments = Arguments::parse();
    let codec = codecs
        .iter()
        .find(|codec| codec.name == arguments.codec)
        .context("no such codec")?;
    let document = document(&arguments.document).context("no such document")?;
    let write = (codec.writer)(document.as_bytes());
    ensure!(write() > document.len() / 2, "the codec writes less than it read");
    let time = |action: &dyn Fn()| rate(action, document.len(), arguments.milliseconds);
    let memory = memory(codec, &document)?;
    let parse = time(&|| (codec.parse)(black_box(document.as_bytes())));
    let written = time(&|| {
        black_box(write());
    });
    println!(
        "{}",
        json!({"bytes": document.len(), "parse_mb_s": parse, "write_mb_s": written, "memory_bytes": memory})
    );
    Ok(())
}

/// The document of this name.
fn document(name: &str) -> Option<String> {
    match name {
        "large" => Some(large()),
        "small" => Some(small()),
        _ => None,
    }
}

/// About 1.8 MB: an array of small objects, as a paged answer of an indexer is.
fn large() -> String {
    let mut text = String::from("[");
    for index in 0_u64..13_500 {
        let separator = if index == 0 { "" } else { "," };
        let (active, whole, cents, tag) = (
            index.is_multiple_of(2),
            index * 7 % 1_000,
            index % 100,
            index % 13,
        );
        let owner = index * 7_919;
        // Writing to a text does not fail.
        let _ = write!(
            text,
            r#"{separator}{{"id":{index},"name":"item number {index}","active":{active},"price":{whole}.{cents:02},"tags":["a{tag}","b"],"owner":"0x{owner:040x}"}}"#
        );
    }
    text + "]"
}

/// About 300 bytes: a `tools/call`.
fn small() -> String {
    concat!(
        r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"transfer","arguments":{"#,
        r#""to":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","amount":"1000000000000000000","simulate":false},"#,
        r#""_meta":{"progressToken":"abc-123","io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""clientInfo":{"name":"x","version":"1.0.0"}}}}"#
    )
    .to_owned()
}

/// Megabytes a second: the median of batches of some milliseconds each.
fn rate(action: &dyn Fn(), bytes: usize, milliseconds: u32) -> f64 {
    let seconds = f64::from(milliseconds) / 1e3;
    let start = cpu_seconds();
    let mut warm_up = 0_u32;
    while warm_up < 3 || cpu_seconds() - start < seconds / 5.0 {
        action();
        warm_up += 1;
    }
    let one = (cpu_seconds() - start) / f64::from(warm_up);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive count"
    )]
    let batch = (0.005 / one).ceil() as u32;
    let mut rates = Vec::new();
    let start = cpu_seconds();
    while rates.len() < 5 || cpu_seconds() - start < seconds {
        let before = cpu_seconds();
        (0..batch).for_each(|_| action());
        let total = bytes as f64 * f64::from(batch);
        rates.push(total / (cpu_seconds() - before) / 1e6);
    }
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Bytes a kept value takes.
fn memory(codec: &Codec, document: &str) -> Result<f64> {
    let count = (64 << 20) / document.len() / 4;
    // What the allocator keeps for later is there already.
    (codec.keep)(document.as_bytes());
    let before = resident_bytes()?;
    (0..count).for_each(|_| (codec.keep)(document.as_bytes()));
    Ok((resident_bytes()? - before) / count as f64)
}

fn resident_bytes() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or_else(|| io::Error::other("the system does not tell the memory of a process"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1_024.0)
}
