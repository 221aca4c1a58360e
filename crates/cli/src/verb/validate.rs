//! `toolmesh validate`: can a source be used?

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::{AssembleError, FaultKind, Location},
    inspect::{InspectedEntry, Inspection, validate},
    json::Value,
};

use super::block_on;
use crate::{
    exit_code::ExitCode,
    failure::Failure,
    one_source::OneSource,
    output,
    render::{counted, pretty},
};

/// What `validate` takes.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    source: OneSource,
    /// An entry that cannot become a tool makes the source invalid
    #[arg(long)]
    strict: bool,
    /// How the verdict is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object: `source`, `valid`, `tools`, `problems`, `skipped`
    Json,
}

/// What was found.
struct Verdict {
    source: String,
    tools: usize,
    problems: Vec<String>,
    skipped: Vec<InspectedEntry>,
    strict: bool,
}

pub(crate) fn run(verb: &Validate) -> Result<ExitCode, Failure> {
    let (source, surroundings) = verb.source.resolve()?;
    let verdict = match block_on(async { Ok(validate(&source, &surroundings).await) })? {
        Ok(inspection) => Verdict::of(&inspection, verb.strict),
        Err(error) if error.kind() == FaultKind::Invalid => {
            Verdict::invalid(&source.location, &error, verb.strict)
        }
        Err(error) => return Err(error.into()),
    };
    output::print(&match verb.format {
        Format::Text => verdict.to_text(),
        Format::Json => pretty(verdict.to_value().view()),
    });
    Ok(if verdict.is_valid() {
        ExitCode::Done
    } else {
        ExitCode::Invalid
    })
}

impl Verdict {
    fn of(inspection: &Inspection, strict: bool) -> Self {
        Self {
            source: inspection.source.clone(),
            tools: inspection.tool_count(),
            problems: Vec::new(),
            skipped: inspection.skipped().cloned().collect(),
            strict,
        }
    }

    fn invalid(location: &Location, error: &AssembleError, strict: bool) -> Self {
        let problems = match error {
            AssembleError::Invalid { reason, .. } => vec![reason.clone()],
            AssembleError::Problems { problems, .. } => problems.clone(),
            other => vec![other.to_string()],
        };
        Self {
            source: location.to_string(),
            tools: 0,
            problems,
            skipped: Vec::new(),
            strict,
        }
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty() && (!self.strict || self.skipped.is_empty())
    }

    fn to_text(&self) -> String {
        let verdict = if self.is_valid() { "valid" } else { "invalid" };
        let mut lines = vec![match self.problems.as_slice() {
            [problem] => format!("{}: {verdict}: {problem}", self.source),
            [] => format!(
                "{}: {verdict}: {}",
                self.source,
                counted(self.tools, "tool", "tools")
            ),
            several => format!(
                "{}: {verdict}: {}",
                self.source,
                counted(several.len(), "problem", "problems")
            ),
        }];
        if self.problems.len() > 1 {
            lines.extend(self.problems.iter().map(|problem| format!("  {problem}")));
        }
        for entry in &self.skipped {
            let reason = entry.reason.as_deref().unwrap_or("no reason was given");
            lines.push(format!("  skipped {} {}: {reason}", entry.kind, entry.signature));
        }
        lines.join("\n")
    }

    fn to_value(&self) -> Value {
        let skipped = |entry: &InspectedEntry| {
            Value::object()
                .put("signature", entry.signature.as_str())
                .put("kind", entry.kind.as_str())
                .put(
                    "reason",
                    entry.reason.as_deref().map_or_else(Value::null, Value::from),
                )
                .build()
        };
        Value::object()
            .put("source", self.source.as_str())
            .put("valid", self.is_valid())
            .put("tools", u64::try_from(self.tools).unwrap_or(u64::MAX))
            .put(
                "problems",
                self.problems.iter().map(Value::from).collect::<Value>(),
            )
            .put("skipped", self.skipped.iter().map(skipped).collect::<Value>())
            .build()
    }
}
