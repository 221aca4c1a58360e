//! `toolmesh schema`: JSON Schema documents, checked and used.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, Subcommand};
use toolmesh::{
    json::{self, Value},
    schema::{
        CompileOptions, Draft, Evaluation, EvaluationOutcome, Formats, Profile, Registry, Schema as Compiled,
    },
};

use crate::{exit_code::ExitCode, failure::Failure, output, sources::missing};

/// What `schema` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Schema {
    /// Check whether a document is a schema
    Check(Check),
    /// Check whether a JSON value fits a schema
    Validate(Validate),
}

/// What `schema check` takes.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The schema
    #[arg(value_name = "FILE")]
    schema: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

/// What `schema validate` takes.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The schema
    schema: PathBuf,
    /// The JSON value
    instance: PathBuf,
    /// Tell what the answer cost
    #[arg(long)]
    meter: bool,
    #[command(flatten)]
    reading: Reading,
}

/// How a schema is read.
#[derive(Debug, Args)]
struct Reading {
    /// The keywords that a schema may use: profile-1 or 2020-12
    #[arg(long, value_name = "PROFILE", default_value = "2020-12")]
    profile: Profile,
    /// The draft of a document without $schema: 2020-12 or draft-07
    #[arg(long, value_name = "DRAFT", default_value = "2020-12")]
    draft: Draft,
    /// Let `format` assert what it says, instead of describing it
    #[arg(long)]
    formats: bool,
    /// A document that the schema may refer to: its URI, `=`, and a file
    #[arg(long, value_name = "URI=FILE", value_parser = referable)]
    refer: Vec<(String, PathBuf)>,
}

/// The two sides of `URI=FILE`; the URI may have `=` in it, the file's name not.
fn referable(text: &str) -> Result<(String, PathBuf), String> {
    match text.rsplit_once('=') {
        Some((uri, file)) if !uri.is_empty() && !file.is_empty() => Ok((uri.to_owned(), file.into())),
        _ => Err("write a URI, `=`, and a file: https://example.com/unit.json=unit.json".to_owned()),
    }
}

impl Reading {
    /// The options, or why a document that may be referred to is none.
    fn options(&self) -> Result<Result<CompileOptions, String>, Failure> {
        let mut registry = Registry::new();
        for (uri, file) in &self.refer {
            match parsed(file)? {
                Ok(document) => registry = registry.with(uri, document),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let formats = if self.formats {
            Formats::Assert
        } else {
            Formats::Annotate
        };
        let options = CompileOptions::default()
            .with_default_draft(self.draft)
            .with_formats(formats);
        Ok(Ok(options.with_registry(registry)))
    }
}

pub(crate) fn run(verb: &Schema) -> Result<ExitCode, Failure> {
    match verb {
        Schema::Check(verb) => check(verb),
        Schema::Validate(verb) => validate(verb),
    }
}

fn check(verb: &Check) -> Result<ExitCode, Failure> {
    Ok(match compiled(&verb.schema, &verb.reading)? {
        Ok(schema) => {
            output::print(&format!(
                "{}: a valid schema ({})",
                verb.schema.display(),
                rules(&schema)
            ));
            for unknown in schema.unknown_keywords() {
                let place = unknown.location();
                output::print(&format!(
                    "  `{}` at {place} is no keyword of the draft and checks nothing",
                    unknown.keyword()
                ));
            }
            ExitCode::Done
        }
        Err(reason) => {
            output::print(&reason);
            ExitCode::Invalid
        }
    })
}

/// What a schema was read by: Profile 1, or the draft that it says it is written in.
fn rules(schema: &Compiled) -> &'static str {
    match schema.profile() {
        Profile::Profile1 => Profile::Profile1.as_str(),
        _ => schema.draft().as_str(),
    }
}

fn validate(verb: &Validate) -> Result<ExitCode, Failure> {
    let schema = match compiled(&verb.schema, &verb.reading)? {
        Ok(schema) => schema,
        Err(reason) => {
            output::complain(&reason);
            return Ok(ExitCode::Invalid);
        }
    };
    let instance = match parsed(&verb.instance)? {
        Ok(instance) => instance,
        Err(reason) => return Err(Failure::BadArguments(reason)),
    };
    let started = Instant::now();
    let evaluation = schema.evaluate(&instance);
    let time = started.elapsed();
    let shown = verb.instance.display().to_string();
    output::print(&verdict(&shown, evaluation.outcome()));
    if verb.meter {
        output::print(&meter(&evaluation, time));
    }
    Ok(if evaluation.is_valid() {
        ExitCode::Done
    } else {
        ExitCode::Failed
    })
}

fn verdict(instance: &str, outcome: &EvaluationOutcome) -> String {
    match outcome {
        EvaluationOutcome::Valid => format!("{instance}: valid"),
        EvaluationOutcome::LimitExceeded(limit) => {
            format!("{instance}: refused: the check would take too much ({limit})")
        }
        EvaluationOutcome::Invalid(found) => {
            let mut lines = vec![format!("{instance}: invalid")];
            for diagnostic in found.iter() {
                let place = diagnostic.instance().to_string();
                let place = if place.is_empty() {
                    "the root".to_owned()
                } else {
                    place
                };
                lines.push(format!(
                    "  {place}: expected {} ({})",
                    diagnostic.expected(),
                    diagnostic.code()
                ));
            }
            if found.is_truncated() {
                lines.push("  and more".to_owned());
            }
            lines.join("\n")
        }
    }
}

fn meter(evaluation: &Evaluation, time: Duration) -> String {
    format!(
        "operations {}, references followed {}, open at once {}, time {} us",
        evaluation.operations(),
        evaluation.reference_traversals(),
        evaluation.peak_pending(),
        time.as_micros()
    )
}

/// A compiled schema, or why the document is none.
fn compiled(path: &Path, reading: &Reading) -> Result<Result<Compiled, String>, Failure> {
    let document = match parsed(path)? {
        Ok(document) => document,
        Err(reason) => return Ok(Err(reason)),
    };
    let options = match reading.options()? {
        Ok(options) => options,
        Err(reason) => return Ok(Err(reason)),
    };
    let profile = reading.profile;
    let compiled = Compiled::compile_with(document, profile, &options);
    Ok(compiled.map_err(|error| format!("{}: not a valid schema ({profile}): {error}", path.display())))
}

/// The JSON of a file, or why it is none.
fn parsed(path: &Path) -> Result<Result<Value, String>, Failure> {
    let unreadable = |error: std::io::Error| Failure::Unreadable {
        what: path.display().to_string(),
        reason: missing(&error),
    };
    let bytes = std::fs::read(path).map_err(unreadable)?;
    Ok(json::parse(&bytes).map_err(|error| {
        let (line, column) = error.locate(&bytes);
        format!(
            "{}, line {line}, column {column}: {}",
            path.display(),
            error.kind()
        )
    }))
}
