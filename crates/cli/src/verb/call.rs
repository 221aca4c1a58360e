//! `toolmesh call`: one call of one tool.

use std::{
    io::Read as _,
    pin::pin,
    time::{Duration, Instant},
};

use clap::Args;
use futures_util::StreamExt as _;
use toolmesh::{
    assemble::{Assembler, Assembly, Location},
    config::{Config, Environment, parse_duration},
    json::{self, Limits, Value},
    tool::{
        CallError, CallItem, CallRequest, Caller, Catalogue, ContentBlock, Dispatcher, Outcome, ToolEvent,
        ToolResult, Transport, dispatcher::CallLimits,
    },
};

use super::{block_on, callable, nobody, reached};
use crate::{
    exit_code::ExitCode,
    failure::Failure,
    interrupt, output,
    sources::SourceFlags,
    status_line::{StatusLine, bar},
};

/// The most bytes of arguments that are read from standard input.
const MAX_ARGUMENT_BYTES: u64 = 16 << 20;

/// The most tools that a hint names.
const MAX_HINTS: usize = 8;

/// What `call` takes.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool's name, or another name that it answers to
    tool: String,
    /// The arguments, if the first of these starts with `{` or is `-` (standard input); else and after them, sources
    #[arg(value_name = "ARGS|SOURCE")]
    rest: Vec<String>,
    /// Print every event of the call as a line of JSON
    #[arg(long)]
    stream: bool,
    /// The longest time that the call may take, such as 500ms, 30s or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    #[command(flatten)]
    flags: SourceFlags,
}

pub(crate) fn run(verb: &Call) -> Result<ExitCode, Failure> {
    let (arguments, sources) = split(&verb.rest);
    let environment = Environment::of_process();
    let config = verb.flags.configuration(sources, &environment)?;
    let arguments = read_arguments(arguments, &config)?;
    block_on(async {
        let mut assembler = callable(config, environment);
        if let Some(deadline) = verb.timeout {
            assembler = assembler.limits(CallLimits {
                deadline,
                ..CallLimits::default()
            });
        }
        let began = Instant::now();
        let assembly = opened(assembler, verb.timeout).await?;
        let dispatcher = assembly.dispatcher();
        if dispatcher.toolbox().snapshot().tool(&verb.tool, None).is_none() {
            return Err(no_such_tool(&verb.tool, &assembly));
        }
        let stop = interrupt::listen()?;
        let mut request = CallRequest::new(&verb.tool, arguments, Caller::anonymous(Transport::CommandLine))
            .cancellation(stop);
        if let Some(timeout) = verb.timeout {
            request = request.timeout(timeout.saturating_sub(began.elapsed()));
        }
        match verb.stream {
            true => print_events(dispatcher, request).await,
            false => print_result(dispatcher, request).await,
        }
    })
}

/// Opens the sources. The time limit covers that too: a node may keep silent.
async fn opened(assembler: Assembler, timeout: Option<Duration>) -> Result<Assembly, Failure> {
    let Some(timeout) = timeout else {
        return reached(assembler.start().await?);
    };
    match tokio::time::timeout(timeout, assembler.start()).await {
        Ok(started) => reached(started?),
        Err(_) => Err(Failure::OpeningTookTooLong { timeout }),
    }
}

/// Says that a tool is not there, and which ones are like it.
pub(super) fn no_such_tool(name: &str, assembly: &Assembly) -> Failure {
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let wanted = plain(name);
    let like = catalogue
        .listed_tools()
        .map(|entry| entry.name().as_str())
        .find(|known| plain(known) == wanted);
    let hint = match like {
        Some(known) => format!(" (`{known}`?)"),
        None => overloads(name, &catalogue)
            .or_else(|| nobody(assembly.mesh()))
            .map_or_else(String::new, |hint| format!(" ({hint})")),
    };
    Failure::NoSuchTool {
        name: name.chars().take(128).collect(),
        hint,
    }
}

/// The tools of the functions that all have this name in the source, as a hint.
fn overloads(name: &str, catalogue: &Catalogue) -> Option<String> {
    let signature = format!("{name}(");
    let named = catalogue.listed_tools().filter(|entry| {
        let mut aliases = entry.aliases().iter();
        aliases.any(|alias| alias.starts_with(&signature))
    });
    let names: Vec<String> = named
        .take(MAX_HINTS)
        .map(|entry| format!("`{}`", entry.name()))
        .collect();
    (!names.is_empty()).then(|| format!("several functions have this name: {}?", names.join(", ")))
}

/// A name without what people get wrong in it: letter case and separators.
fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The arguments, when the first word is some, and the sources.
fn split(rest: &[String]) -> (Option<&str>, &[String]) {
    match rest.split_first() {
        Some((first, sources)) if first == "-" || first.starts_with('{') => (Some(first), sources),
        _ => (None, rest),
    }
}

fn read_arguments(text: Option<&str>, config: &Config) -> Result<Value, Failure> {
    let bytes = match text {
        None => return Ok(Value::object().build()),
        Some("-")
            if config
                .sources
                .iter()
                .any(|source| source.location == Location::Stdin) =>
        {
            return Err(Failure::usage(
                "standard input can be read once; give the source or the arguments in another way",
            ));
        }
        Some("-") => stdin()?,
        Some(text) => text.as_bytes().to_vec(),
    };
    // They are of whoever calls, and no stranger's.
    let parsed = json::parse_with(&bytes, &Limits::ceiling());
    parsed.map_err(|error| {
        let (line, column) = error.locate(&bytes);
        Failure::BadArguments(format!(
            "the arguments cannot be read: line {line}, column {column}: {}; give one JSON object",
            error.kind()
        ))
    })
}

fn stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_ARGUMENT_BYTES + 1)
        .read_to_end(&mut bytes);
    let unreadable = |reason| Failure::Unreadable {
        what: "standard input".to_owned(),
        reason,
    };
    match read {
        Err(error) => Err(unreadable(error.to_string())),
        Ok(count) if u64::try_from(count).unwrap_or(u64::MAX) > MAX_ARGUMENT_BYTES => {
            Err(Failure::BadArguments(format!(
                "the arguments are larger than {MAX_ARGUMENT_BYTES} bytes"
            )))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Makes the call. On a terminal a person sees meanwhile how it goes.
async fn outcome(dispatcher: &Dispatcher, request: CallRequest) -> Result<Outcome, Failure> {
    let Some(mut line) = StatusLine::of_terminal() else {
        return Ok(dispatcher.call(request).await);
    };
    let mut call = dispatcher.stream(request);
    while let Some(item) = call.next().await {
        match item {
            CallItem::Event(ToolEvent::Progress { pct, message }) => {
                let message = message.unwrap_or_default();
                line.tell(&pct.map_or_else(|| message.clone(), |percent| bar(percent, &message)));
            }
            CallItem::Event(_) => {}
            CallItem::Ended(outcome) => return Ok(outcome),
        }
    }
    Err(CallError::Internal("a call that ended without an outcome".to_owned()).into())
}

async fn print_result(dispatcher: &Dispatcher, request: CallRequest) -> Result<ExitCode, Failure> {
    let outcome = outcome(dispatcher, request).await?;
    if let Some(failure) = Failure::of(&outcome) {
        return Err(failure);
    }
    match outcome {
        Outcome::Completed(result) => {
            output::print_foreign(&shown(result));
            Ok(ExitCode::Done)
        }
        Outcome::Failed(error) => Err(error.into()),
        ended => {
            output::print_foreign(&ToolEvent::from(ended).to_value().to_text());
            Ok(ExitCode::Done)
        }
    }
}

/// The structured result alone, or the text when there is none.
fn shown(result: ToolResult) -> String {
    let text = result.joined_text();
    let Some(structured) = result.structured else {
        let others = result
            .content
            .iter()
            .filter(|block| !matches!(block, ContentBlock::Text(_)))
            .count();
        if others > 0 {
            output::tell(&format!(
                "{others} part(s) of the result are no text and are not shown"
            ));
        }
        return text;
    };
    structured.to_text()
}

async fn print_events(dispatcher: &Dispatcher, request: CallRequest) -> Result<ExitCode, Failure> {
    let mut call = dispatcher.stream(request);
    let mut closed = pin!(output::closed());
    // Where nobody reads on, leaving drops the call, which cancels it.
    while !output::is_over() {
        let item = tokio::select! {
            biased;
            () = &mut closed => break,
            item = call.next() => item,
        };
        match item {
            Some(CallItem::Event(event)) => output::print_foreign(&event.to_value().to_text()),
            Some(CallItem::Ended(outcome)) => return print_end(outcome),
            None => return Ok(ExitCode::Failed),
        }
    }
    Ok(ExitCode::Done)
}

/// The last event of a stream stands on standard output whatever it is; the exit code and standard error say the rest.
fn print_end(outcome: Outcome) -> Result<ExitCode, Failure> {
    let failure = Failure::of(&outcome);
    let (event, failure) = match (outcome, failure) {
        (Outcome::Failed(error), None) => (ToolEvent::from(&error), Some(error.into())),
        (outcome, failure) => (ToolEvent::from(outcome), failure),
    };
    output::print_foreign(&event.to_value().to_text());
    failure.map_or(Ok(ExitCode::Done), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_arguments_only_when_it_looks_like_them() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            split(&words("{} a.json")),
            (Some("{}"), words("a.json").as_slice())
        );
        assert_eq!(split(&words("- a.json")), (Some("-"), words("a.json").as_slice()));
        assert_eq!(
            split(&words("a.json b.json")),
            (None, words("a.json b.json").as_slice())
        );
        assert_eq!(split(&[]), (None, [].as_slice()));
    }
}
