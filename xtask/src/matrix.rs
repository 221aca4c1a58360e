//! Every language as host and every language as caller, in separate processes over a network; see `bindings/matrix`.

use std::{
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use toolmesh_testkit::paths::repo_root;

use crate::{running::Running, summary::Summary};

/// A side of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Host,
    Caller,
}

impl Side {
    /// What its program is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Caller => "caller",
        }
    }
}

/// A language, and how its programs are started.
pub(crate) struct Language {
    name: &'static str,
    start: Box<dyn Fn(Side) -> Command>,
}

impl Language {
    /// `start` gives the command of a side's program, without the arguments that all languages are given.
    pub(crate) fn new(name: &'static str, start: impl Fn(Side) -> Command + 'static) -> Self {
        Self {
            name,
            start: Box::new(start),
        }
    }
}

/// How long a handler may take to see that its call was cancelled. What it takes is printed, and is a few milliseconds on a
/// machine with nothing else to do; a fault would be seconds, or never.
const CANCELLED_WITHIN: Duration = Duration::from_secs(5);

/// Runs every pair, and prints how long each handler took to see the cancellation.
pub(crate) fn test(languages: &[Language], summary: &mut Summary) -> Result<()> {
    let (mut passed, mut broken) = (0, Vec::new());
    for host in languages {
        for caller in languages {
            let pair = format!("{} calls {}", caller.name, host.name);
            match run(host, caller) {
                Ok(after) => {
                    println!(
                        "{pair}: ok, cancellation seen after {:.1} ms",
                        after.as_secs_f64() * 1e3
                    );
                    passed += 1;
                }
                Err(error) => {
                    println!("{pair}: {error:#}");
                    broken.push(pair);
                }
            }
        }
    }
    summary.tell(
        broken.is_empty(),
        passed,
        u64::try_from(broken.len()).unwrap_or(u64::MAX),
    );
    ensure!(broken.is_empty(), "pairs of languages: {}", broken.join("; "));
    Ok(())
}

/// Runs one pair; how long the handler took to see the cancellation.
fn run(host: &Language, caller: &Language) -> Result<Duration> {
    let key = key();
    let mut host = Running::start((host.start)(Side::Host).arg(&key))?;
    let place = host.line()?;
    let vectors = repo_root().join("testdata/net/tool_event_vectors.json");
    let mut caller = Running::start((caller.start)(Side::Caller).args([&key, &place]).arg(&vectors))?;
    let report = caller.line()?;
    caller.ends()?;
    host.ends()?;
    let report = serde_json::from_str(&report).with_context(|| format!("the report {report}"))?;
    let vectors = fs::read(&vectors).with_context(|| format!("reading {}", vectors.display()))?;
    check(&report, &serde_json::from_slice(&vectors)?)
}

/// The key of a mesh, in hexadecimal, that nobody else on this machine has.
pub(crate) fn key() -> String {
    let part = |_| format!("{:016x}", RandomState::new().build_hasher().finish());
    (0..4).map(part).collect()
}

/// Compares a report with what every pair has to tell.
fn check(report: &Value, vectors: &Value) -> Result<Duration> {
    same(
        "unary",
        &report["unary"],
        &json!({"n": 18_446_744_073_709_551_616_u128, "text": "é"}),
    )?;
    let steps = json!([
        {"type": "progress", "pct": 50.0, "message": "half"},
        {"type": "delta", "data": {"n": 1}},
        {"type": "delta", "data": {"n": 2}},
        {"type": "result", "data": {"done": true}},
    ]);
    same("stream", &after_start(&report["stream"], "steps")?, &steps)?;
    same("schema_chars", &report["schema_chars"], &json!(100_000))?;
    let error = json!({"kind": "tool_failed", "message": "no such city"});
    same("error", &report["error"], &error)?;
    same("deadline", &report["deadline"], &json!("timeout"))?;
    check_events(&report["events"], &vectors["cases"])?;
    same("cancelled", &report["cancelled"]["kind"], &json!("cancelled"))?;
    let after = report["cancelled"]["seen_after_us"].as_u64();
    let after = Duration::from_micros(after.context("when the cancellation was seen")?);
    ensure!(
        after < CANCELLED_WITHIN,
        "the handler saw the cancellation after {after:?}"
    );
    Ok(after)
}

fn check_events(told: &Value, cases: &Value) -> Result<()> {
    let (told, cases) = (list(told)?, list(cases)?);
    ensure!(
        !cases.is_empty() && told.len() == cases.len(),
        "{} streams for {} vectors",
        told.len(),
        cases.len()
    );
    for (events, case) in told.iter().zip(cases) {
        let is_there = list(events)?.iter().any(|event| is_event(event, &case["wire"]));
        ensure!(is_there, "{} did not come back: {events}", case["name"]);
    }
    Ok(())
}

/// Whether an event is the one that was sent, but that the host numbers the call in a start that has no number.
fn is_event(told: &Value, sent: &Value) -> bool {
    let mut told = plain(told);
    if let Some(members) = told.as_object_mut()
        && sent["type"] == "start"
        && sent.get("call_id").is_none()
    {
        members.remove("call_id");
    }
    told == plain(sent)
}

/// The events of a stream behind its start.
fn after_start(events: &Value, tool: &str) -> Result<Value> {
    let events = list(events)?;
    let start = json!({"type": "start", "tool_id": tool});
    ensure!(
        events.first().is_some_and(|first| is_event(first, &start)),
        "the stream begins with {:?}",
        events.first()
    );
    Ok(events.iter().skip(1).cloned().collect())
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().with_context(|| format!("a list, not {value}"))
}

fn same(what: &str, told: &Value, wanted: &Value) -> Result<()> {
    ensure!(plain(told) == plain(wanted), "{what}: {told} instead of {wanted}");
    Ok(())
}

/// A value with its numbers in one form: some languages write 50.0 as 50.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        Value::Number(number) => {
            let text = number.to_string();
            Value::from(text.strip_suffix(".0").unwrap_or(&text))
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_compared_by_what_they_carry_and_not_by_how_numbers_are_written() {
        let event = json!({"type": "progress", "pct": 50});
        assert!(is_event(&event, &json!({"type": "progress", "pct": 50.0})));
        for other in [
            json!({"type": "progress", "pct": 50.5}),
            json!({"type": "progress"}),
            json!({"type": "progress", "pct": 50, "message": "half"}),
        ] {
            assert!(!is_event(&event, &other), "{other}");
        }
    }

    #[test]
    fn a_start_without_a_number_is_numbered_by_the_host() {
        let start = json!({"type": "start", "tool_id": "steps", "call_id": 7});
        assert!(is_event(&start, &json!({"type": "start", "tool_id": "steps"})));
        assert!(is_event(&start, &start));
        let other = json!({"type": "start", "tool_id": "steps", "call_id": 8});
        assert!(!is_event(&start, &other));
    }

    #[test]
    fn a_stream_that_did_not_come_back_is_told() {
        let cases = json!([{"name": "one", "wire": {"type": "delta", "data": 1}}]);
        assert!(check_events(&json!([[{"type": "delta", "data": 1}]]), &cases).is_ok());
        assert!(check_events(&json!([[{"type": "delta", "data": 2}]]), &cases).is_err());
        assert!(check_events(&json!([]), &cases).is_err());
    }

    #[test]
    fn each_mesh_has_a_key_of_its_own() {
        assert_eq!(key().len(), 64);
        assert_ne!(key(), key());
    }
}
