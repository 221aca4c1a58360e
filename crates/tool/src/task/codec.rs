//! Tasks as columns of text, for stores that keep them so.
//!
//! The JSON is this library's own: records are read by the servers that wrote them and by newer ones, never by
//! clients. A member that is missing reads as its default, so that a newer server reads older records.

use std::time::{Duration, SystemTime};

use indexmap::IndexMap;
use semver::Version;
use toolmesh_json::{Limits, OutputLimits, Value, View, parse_with, write_value_within};

use super::{
    Task, TaskCall, TaskFailure, TaskOutcome, TaskState, TaskStep,
    content_codec::{read_result, write_result},
};
use crate::{Caller, ClientCapabilities, InputRequest, InputRequired, Transport};

/// Why a record cannot be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It would be larger than can be read again.
    #[error("the {0} is larger than a record may be")]
    TooLarge(&'static str),
    /// It is no record, or one of a newer version.
    #[error("the {0} is not one that this version wrote")]
    Unreadable(&'static str),
}

/// A task as columns of text. Identifiers, times, lease, token and revision are columns of their own kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredColumns {
    /// `working`, `input_required`, `completed`, `failed` or `cancelled`.
    pub state: &'static str,
    /// What is asked, the result, or the failure: JSON; `None` when the state says it all.
    pub detail: Option<String>,
    /// Everything else that changes: JSON.
    pub work: String,
}

impl StoredColumns {
    /// The changing part of a task.
    ///
    /// # Errors
    /// [`RecordError::TooLarge`].
    pub fn of(task: &Task) -> Result<Self, RecordError> {
        let (state, detail) = match &task.state {
            TaskState::Working => ("working", None),
            TaskState::InputRequired(input) => ("input_required", Some(write_input(input))),
            TaskState::Ended(TaskOutcome::Completed(result)) => ("completed", Some(write_result(result))),
            TaskState::Ended(TaskOutcome::Failed(failure)) => ("failed", Some(write_failure(failure))),
            TaskState::Ended(TaskOutcome::Cancelled) => ("cancelled", None),
        };
        Ok(Self {
            state,
            detail: detail.map(|detail| text("detail", &detail)).transpose()?,
            work: text("work", &write_work(task))?,
        })
    }

    /// The column of what never changes.
    ///
    /// # Errors
    /// [`RecordError::TooLarge`].
    pub fn call(call: &TaskCall) -> Result<String, RecordError> {
        text("call", &write_call(call))
    }

    /// Reads the column of what never changes.
    ///
    /// # Errors
    /// [`RecordError::Unreadable`].
    pub fn read_call(call: &str) -> Result<TaskCall, RecordError> {
        read("call", call, read_call)
    }

    /// Reads the changing part into `task`.
    ///
    /// # Errors
    /// [`RecordError::Unreadable`].
    pub fn read_into(
        task: &mut Task,
        state: &str,
        detail: Option<&str>,
        work: &str,
    ) -> Result<(), RecordError> {
        let unreadable = RecordError::Unreadable("state");
        task.state = match (state, detail) {
            ("working", _) => TaskState::Working,
            ("cancelled", _) => TaskState::Ended(TaskOutcome::Cancelled),
            ("input_required", Some(detail)) => TaskState::InputRequired(read("detail", detail, read_input)?),
            ("completed", Some(detail)) => {
                TaskState::Ended(TaskOutcome::Completed(read("detail", detail, read_result)?))
            }
            ("failed", Some(detail)) => {
                TaskState::Ended(TaskOutcome::Failed(read("detail", detail, read_failure)?))
            }
            _ => return Err(unreadable),
        };
        read("work", work, |work| read_work(task, work))
    }

    /// Milliseconds since 1970, as stores count time.
    #[must_use]
    pub fn millis(at: SystemTime) -> i64 {
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    /// The time of so many milliseconds since 1970; 1970 for those before.
    #[must_use]
    pub fn time(millis: i64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

/// The text of a value, unless it could not be read again.
fn text(what: &'static str, value: &Value) -> Result<String, RecordError> {
    let mut out = Vec::new();
    write_value_within(&mut out, value.view(), &OutputLimits::new(Limits::durable()))
        .map_err(|_| RecordError::TooLarge(what))?;
    String::from_utf8(out).map_err(|_| RecordError::TooLarge(what))
}

fn read<T>(
    what: &'static str,
    text: &str,
    read: impl FnOnce(View<'_>) -> Option<T>,
) -> Result<T, RecordError> {
    let unreadable = RecordError::Unreadable(what);
    let value = parse_with(text.as_bytes(), &Limits::durable()).map_err(|_| unreadable.clone())?;
    read(value.view()).ok_or(unreadable)
}

pub(super) fn owned(value: View<'_>, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn flag(value: View<'_>, name: &str) -> bool {
    value.get(name).and_then(View::as_bool) == Some(true)
}

fn count(value: View<'_>, name: &str) -> u32 {
    let number = value.get(name).and_then(View::as_u64).unwrap_or(0);
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Value {
    let texts = texts.into_iter();
    texts.map(Value::from).collect::<Vec<_>>().into()
}

pub(super) fn read_texts(value: Option<View<'_>>) -> Vec<String> {
    let items = value.and_then(View::as_array);
    items
        .into_iter()
        .flat_map(|items| items.iter())
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn write_work(task: &Task) -> Value {
    let step = match task.step {
        TaskStep::Start => "start",
        TaskStep::Answered => "answered",
        TaskStep::Resume => "resume",
    };
    Value::object()
        .put("step", step)
        .put("rounds", task.rounds)
        .put("resumes", task.resumes)
        .put_opt("statusMessage", task.status_message.as_deref())
        .put_opt("checkpoint", task.checkpoint.as_deref())
        .put_opt("handlerState", task.handler_state.as_deref())
        .put_opt("answers", task.answers_value())
        .build()
}

fn read_work(task: &mut Task, work: View<'_>) -> Option<()> {
    task.step = match work.get("step")?.as_str()? {
        "start" => TaskStep::Start,
        "answered" => TaskStep::Answered,
        "resume" => TaskStep::Resume,
        _ => return None,
    };
    task.rounds = count(work, "rounds");
    task.resumes = count(work, "resumes");
    task.status_message = owned(work, "statusMessage");
    task.checkpoint = owned(work, "checkpoint");
    task.handler_state = owned(work, "handlerState");
    task.answers = match work.get("answers").and_then(View::as_object) {
        None => IndexMap::new(),
        Some(answers) => answers
            .iter()
            .map(|(key, answer)| (key.to_owned(), answer.detach()))
            .collect(),
    };
    Some(())
}

fn write_failure(failure: &TaskFailure) -> Value {
    Value::object()
        .put("code", failure.code.as_str())
        .put("message", failure.message.as_str())
        .build()
}

fn read_failure(value: View<'_>) -> Option<TaskFailure> {
    Some(TaskFailure {
        code: owned(value, "code")?,
        message: owned(value, "message")?,
    })
}

fn write_input(input: &InputRequired) -> Value {
    let mut requests = Value::object();
    for (key, request) in &input.requests {
        requests.insert(key.as_str(), request.to_value());
    }
    Value::object()
        .put("requests", requests)
        .put_opt("state", input.state.as_deref())
        .build()
}

fn read_input(value: View<'_>) -> Option<InputRequired> {
    let requests = value.get("requests")?.as_object()?;
    let requests = requests
        .iter()
        .map(|(key, request)| Some((key.to_owned(), InputRequest::from_value(request)?)));
    Some(InputRequired {
        requests: requests.collect::<Option<_>>()?,
        state: owned(value, "state"),
    })
}

fn write_call(call: &TaskCall) -> Value {
    Value::object()
        .put("tool", call.tool.as_str())
        .put("version", call.version.to_string())
        .put("arguments", call.arguments.clone())
        .put("caller", write_caller(&call.caller))
        .put_opt("revision", call.revision.as_deref())
        .put("capabilities", write_capabilities(&call.capabilities))
        .put("idempotencyKey", call.idempotency_key.as_str())
        .build()
}

fn read_call(value: View<'_>) -> Option<TaskCall> {
    Some(TaskCall {
        tool: owned(value, "tool")?,
        version: Version::parse(value.get("version")?.as_str()?).ok()?,
        arguments: value.get("arguments")?.detach(),
        caller: read_caller(value.get("caller")?)?,
        revision: owned(value, "revision"),
        capabilities: read_capabilities(value.get("capabilities")?),
        idempotency_key: owned(value, "idempotencyKey").unwrap_or_default(),
    })
}

const TRANSPORTS: [(Transport, &str); 5] = [
    (Transport::Stdio, "stdio"),
    (Transport::Http, "http"),
    (Transport::Mesh, "mesh"),
    (Transport::CommandLine, "command_line"),
    (Transport::InProcess, "in_process"),
];

fn write_caller(caller: &Caller) -> Value {
    let known = TRANSPORTS
        .iter()
        .find(|(transport, _)| *transport == caller.transport);
    Value::object()
        .put_opt("identity", caller.identity.as_deref())
        .put("partition", caller.partition.as_str())
        .put("transport", known.map_or("in_process", |(_, name)| name))
        .put("onBehalfOf", texts(&caller.on_behalf_of))
        .build()
}

fn read_caller(value: View<'_>) -> Option<Caller> {
    let name = value.get("transport")?.as_str()?;
    let (transport, _) = TRANSPORTS.iter().find(|(_, known)| *known == name)?;
    Some(Caller {
        identity: owned(value, "identity"),
        partition: owned(value, "partition")?,
        transport: *transport,
        on_behalf_of: read_texts(value.get("onBehalfOf")),
        address: None,
    })
}

fn write_capabilities(capabilities: &ClientCapabilities) -> Value {
    Value::object()
        .put("elicitationForm", capabilities.elicitation_form)
        .put("elicitationUrl", capabilities.elicitation_url)
        .put("sampling", capabilities.sampling)
        .put("roots", capabilities.roots)
        .put("extensions", texts(&capabilities.extensions))
        .build()
}

fn read_capabilities(value: View<'_>) -> ClientCapabilities {
    ClientCapabilities {
        elicitation_form: flag(value, "elicitationForm"),
        elicitation_url: flag(value, "elicitationUrl"),
        sampling: flag(value, "sampling"),
        roots: flag(value, "roots"),
        extensions: read_texts(value.get("extensions")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ToolResult,
        task::{content_codec::tests::every_block, memory::tests::new_task},
    };

    fn json(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).unwrap()
    }

    fn comes_back(task: &Task) {
        let columns = StoredColumns::of(task).unwrap();
        let mut read = Task {
            state: TaskState::Working,
            status_message: None,
            step: TaskStep::Start,
            checkpoint: None,
            handler_state: None,
            answers: IndexMap::new(),
            rounds: 0,
            resumes: 0,
            ..task.clone()
        };
        StoredColumns::read_into(&mut read, columns.state, columns.detail.as_deref(), &columns.work).unwrap();
        assert_eq!(read, *task);
    }

    fn task() -> Task {
        Task {
            status_message: Some("half\u{0}way".into()),
            step: TaskStep::Answered,
            checkpoint: Some("c".into()),
            handler_state: Some("h".into()),
            answers: IndexMap::from([("k".to_owned(), json(r#"{"n":1.10}"#))]),
            rounds: 3,
            resumes: 2,
            ..Task::new(new_task("a"), SystemTime::now())
        }
    }

    #[test]
    fn a_task_comes_back_from_its_columns_in_every_state() {
        let input = InputRequired {
            requests: IndexMap::from([
                ("a".to_owned(), InputRequest::Roots),
                ("b".to_owned(), InputRequest::Sampling(json(r#"{"x":1}"#))),
                (
                    "c".to_owned(),
                    InputRequest::Elicitation {
                        message: "m".into(),
                        schema: json(r#"{"type":"object"}"#),
                    },
                ),
                (
                    "d".to_owned(),
                    InputRequest::ElicitationUrl {
                        message: "m".into(),
                        url: "https://example.com".into(),
                        elicitation_id: "i".into(),
                    },
                ),
            ]),
            state: Some("s".into()),
        };
        let failure = TaskFailure {
            code: "internal".into(),
            message: "The tool failed.".into(),
        };
        for state in [
            TaskState::Working,
            TaskState::InputRequired(input),
            TaskState::Ended(TaskOutcome::Completed(every_block())),
            TaskState::Ended(TaskOutcome::Failed(failure)),
            TaskState::Ended(TaskOutcome::Cancelled),
        ] {
            comes_back(&Task { state, ..task() });
        }
    }

    #[test]
    fn a_call_comes_back_from_its_column() {
        let call = TaskCall {
            caller: Caller {
                on_behalf_of: vec!["gateway".into()],
                ..Caller::authenticated("me", Transport::Http)
            },
            revision: Some("2026-07-28".into()),
            capabilities: ClientCapabilities {
                elicitation_form: true,
                extensions: vec!["x".into()],
                ..ClientCapabilities::default()
            },
            idempotency_key: "k".into(),
            arguments: json(r#"{"b":18446744073709551616,"a":1.0}"#),
            ..new_task("a").call
        };
        let column = StoredColumns::call(&call).unwrap();
        assert_eq!(StoredColumns::read_call(&column), Ok(call));
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let limit = Limits::durable().string_units();
        for (units, fits) in [(limit, true), (limit + 1, false)] {
            let result = ToolResult::text("x".repeat(units));
            let task = Task {
                state: TaskState::Ended(TaskOutcome::Completed(result)),
                ..task()
            };
            assert_eq!(StoredColumns::of(&task).is_ok(), fits, "{units}");
        }
    }

    #[test]
    fn a_record_of_another_version_is_refused() {
        let mut task = task();
        for (state, detail, work) in [
            ("paused", None, r#"{"step":"start"}"#),
            ("failed", None, r#"{"step":"start"}"#),
            ("failed", Some("{}"), r#"{"step":"start"}"#),
            ("working", None, r#"{"step":"leap"}"#),
            ("working", None, "{"),
        ] {
            let read = StoredColumns::read_into(&mut task, state, detail, work);
            assert!(matches!(read, Err(RecordError::Unreadable(_))), "{state} {work}");
        }
        assert!(StoredColumns::read_call("{}").is_err());
    }
}
