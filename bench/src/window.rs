//! The time that counts: how long it was, what the server's process spent in it, and how long the calls took.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The kernel tells CPU time in hundredths of a second (`USER_HZ`), on every platform of Linux that is in use.
const TICKS_PER_SECOND: f64 = 100.0;

/// The time that counts, while it lasts.
#[derive(Debug)]
pub struct Window {
    process: u32,
    begin: Instant,
    server_cpu: f64,
    own_cpu: f64,
}

/// A window that has ended: seconds each.
#[derive(Debug)]
pub struct Elapsed {
    wall: f64,
    server_cpu: f64,
    own_cpu: f64,
}

impl Window {
    /// Begins to count the time of the server's process.
    ///
    /// # Errors
    /// When the system does not tell the time of the process.
    pub fn open(process: u32) -> Result<Self> {
        let server_cpu = cpu_seconds(process)?;
        Ok(Self {
            process,
            begin: Instant::now(),
            server_cpu,
            own_cpu: cpu_seconds(std::process::id())?,
        })
    }

    /// Ends.
    ///
    /// # Errors
    /// As [`Window::open`].
    pub fn close(self) -> Result<Elapsed> {
        Ok(Elapsed {
            wall: self.begin.elapsed().as_secs_f64(),
            server_cpu: cpu_seconds(self.process)? - self.server_cpu,
            own_cpu: cpu_seconds(std::process::id())? - self.own_cpu,
        })
    }
}

impl Elapsed {
    /// The figures of so many events that came one after the other.
    #[must_use]
    pub fn figures_of_events(&self, count: u64) -> Value {
        let count_of = count as f64;
        json!({
            "events": count,
            "events_per_second": count_of / self.wall,
            "cpu_microseconds_per_event": self.server_cpu * 1e6 / count_of,
        })
    }

    /// The figures of the calls whose durations, in tenths of a microsecond, are given.
    ///
    /// # Errors
    /// When there are none.
    pub fn figures(&self, latencies: &mut [u32]) -> Result<Value> {
        ensure!(!latencies.is_empty(), "no answer came in time");
        latencies.sort_unstable();
        let count = f64::from(u32::try_from(latencies.len()).context("too many calls to count")?);
        Ok(json!({
            "requests": latencies.len(),
            "requests_per_second": count / self.wall,
            "p50_microseconds": percentile(latencies, 50),
            "p99_microseconds": percentile(latencies, 99),
            "cpu_microseconds_per_request": self.server_cpu * 1e6 / count,
            "load_cpu_microseconds_per_request": self.own_cpu * 1e6 / count,
        }))
    }
}

/// The time since `begin` in tenths of a microsecond.
#[must_use]
pub fn tenths_since(begin: Instant) -> u32 {
    u32::try_from(begin.elapsed().as_nanos() / 100).unwrap_or(u32::MAX)
}

/// User and system time of a process with all its threads: fields 14 and 15 of /proc/PID/stat, proc_pid_stat(5).
fn cpu_seconds(process: u32) -> Result<f64> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    // The program's name (field 2) is in parentheses and may hold anything; field 3 follows the last one.
    let (_, fields) = stat
        .rsplit_once(')')
        .with_context(|| format!("{path} has an unknown form"))?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
}

/// A percentile of sorted tenths of a microsecond, in microseconds.
fn percentile(sorted: &[u32], percent: usize) -> f64 {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).map_or(0.0, |tenths| f64::from(*tenths) / 10.0)
}
