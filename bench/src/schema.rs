//! What the contenders of the schema benchmark share: schemas, values, and how a validator is measured on them.
//!
//! Time is this thread's processor time, so that whatever else runs on the machine disturbs little.

use std::{fmt::Write, hint::black_box};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// Measures one validator on one case, prints one line of JSON.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// Which validator
    #[arg(long)]
    validator: String,
    /// Which case: see [`case`]
    #[arg(long)]
    case: String,
    /// Processor time of a measurement
    #[arg(long, default_value_t = 300)]
    milliseconds: u32,
}

/// What a validator says about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It fits.
    Valid,
    /// It does not fit.
    Invalid,
    /// The work that it takes is beyond the validator's bounds.
    Refused,
}

/// A schema and a value, both read, to compile and to judge again and again.
pub struct Prepared {
    /// Compiles the schema and drops what comes out.
    pub compile: Box<dyn Fn()>,
    /// Judges the value by a schema that was compiled once.
    pub judge: Box<dyn Fn() -> Answer>,
}

/// One validator: a name, and how it takes a schema and a value as JSON text.
pub struct Validator {
    /// The name that it is asked for by.
    pub name: &'static str,
    /// Reads both and compiles the schema once.
    pub prepare: fn(&str, &str) -> Prepared,
}

/// Measures the validator that the command line asks for.
pub fn run(validators: &[Validator]) -> Result<()> {
    let arguments = Arguments::parse();
    let validator = validators
        .iter()
        .find(|validator| validator.name == arguments.validator)
        .context("no such validator")?;
    let (schema, value, wanted) = case(&arguments.case).context("no such case")?;
    let prepared = (validator.prepare)(&schema, &value);
    let answer = (prepared.judge)();
    ensure!(
        answer == wanted || answer == Answer::Refused,
        "the answer is {answer:?}"
    );
    let compile = nanoseconds(&*prepared.compile, arguments.milliseconds);
    let judge = nanoseconds(
        &|| {
            black_box((prepared.judge)());
        },
        arguments.milliseconds,
    );
    println!(
        "{}",
        json!({"compile_ns": compile, "judge_ns": judge, "refused": answer == Answer::Refused})
    );
    Ok(())
}

/// A case by its name: schema, value, right answer.
fn case(name: &str) -> Option<(String, String, Answer)> {
    Some(match name {
        "transfer" => (TRANSFER.to_owned(), TRANSFER_ARGUMENTS.to_owned(), Answer::Valid),
        "transfer-invalid" => {
            let wrong = TRANSFER_ARGUMENTS.replace("\"gas_limit\":21000", "\"gas_limit\":-1");
            (TRANSFER.to_owned(), wrong, Answer::Invalid)
        }
        "search" => (SEARCH.to_owned(), SEARCH_ARGUMENTS.to_owned(), Answer::Valid),
        "search-invalid" => {
            let wrong = SEARCH_ARGUMENTS.replace("\"eu-west\"", "\"moon\"");
            (SEARCH.to_owned(), wrong, Answer::Invalid)
        }
        "large" => (ROWS.to_owned(), rows(), Answer::Valid),
        "deep" => (
            r##"{"type":"array","items":{"$ref":"#"}}"##.to_owned(),
            format!("{}{}", "[".repeat(120), "]".repeat(120)),
            Answer::Valid,
        ),
        "exponential" => (exponential(20), "1".to_owned(), Answer::Invalid),
        _ => return None,
    })
}

/// What a contract's function becomes: members by name, patterns, nothing else.
const TRANSFER: &str = r#"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "to": {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$", "description": "the receiver"},
        "amount": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,77})$", "description": "in wei"},
        "gas_limit": {"type": "integer", "minimum": 0, "maximum": 30000000},
        "memo": {"type": "string", "maxLength": 256},
        "simulate": {"type": "boolean", "default": false}
    },
    "required": ["to", "amount"],
    "additionalProperties": false
}"#;
const TRANSFER_ARGUMENTS: &str = r#"{"to":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","amount":"1000000000000000000","gas_limit":21000,"memo":"rent","simulate":false}"#;

/// A search with nested members, a reference, choices and lists.
const SEARCH: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 1000}, {"type": "null"}]},
        "routing": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "enum": ["us-east", "us-west", "eu-west", "ap-south"]},
                "replicas": {"type": "array", "items": {"$ref": "#/$defs/replica"}}
            },
            "required": ["region"],
            "additionalProperties": false
        },
        "filters": {"type": "object", "additionalProperties": {"type": "string"}}
    },
    "required": ["query"],
    "additionalProperties": false,
    "$defs": {
        "replica": {
            "type": "object",
            "properties": {"host": {"type": "string"}, "weight": {"type": "integer", "minimum": 0}},
            "required": ["host", "weight"],
            "additionalProperties": false
        }
    }
}"##;
const SEARCH_ARGUMENTS: &str = r#"{"query":"blue shoes","limit":20,"routing":{"region":"eu-west","replicas":[{"host":"a.example","weight":1},{"host":"b.example","weight":2},{"host":"c.example","weight":3}]},"filters":{"color":"blue","size":"42"}}"#;

const ROWS: &str = r#"{
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "active": {"type": "boolean"},
            "price": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": "string"}
        },
        "required": ["id", "name"],
        "additionalProperties": false
    }
}"#;

/// About 2 MB: an array of objects.
fn rows() -> String {
    let mut text = String::from("[");
    for index in 0_u64..10_000 {
        let separator = if index == 0 { "" } else { "," };
        let (active, cents, note) = (index.is_multiple_of(2), index % 100, "n".repeat(80));
        // Writing to a text does not fail.
        let _ = write!(
            text,
            r#"{separator}{{"id":{index},"name":"item number {index}","active":{active},"price":{index}.{cents:02},"tags":["a","b"],"note":"{note} {index:020}"}}"#
        );
    }
    text + "]"
}

/// Two branches a level, none of which fits.
fn exponential(levels: u32) -> String {
    let level = |level: u32| {
        let next = level + 1;
        format!(r##""n{level}":{{"anyOf":[{{"$ref":"#/$defs/n{next}"}},{{"$ref":"#/$defs/n{next}"}}]}}"##)
    };
    let levels_text: Vec<String> = (0..levels).map(level).collect();
    format!(
        r##"{{"$ref":"#/$defs/n0","$defs":{{{},"n{levels}":{{"type":"string"}}}}}}"##,
        levels_text.join(",")
    )
}

/// The median of batches of some milliseconds each, for one action.
fn nanoseconds(action: &dyn Fn(), milliseconds: u32) -> f64 {
    let seconds = f64::from(milliseconds) / 1e3;
    let start = cpu_seconds();
    let mut warm_up = 0_u32;
    while warm_up < 2 || cpu_seconds() - start < seconds / 5.0 {
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
    let mut times = Vec::new();
    let start = cpu_seconds();
    while times.len() < 3 || cpu_seconds() - start < seconds {
        let before = cpu_seconds();
        (0..batch).for_each(|_| action());
        times.push((cpu_seconds() - before) / f64::from(batch) * 1e9);
    }
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
