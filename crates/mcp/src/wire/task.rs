//! Tasks (the extension `io.modelcontextprotocol/tasks`).

use std::time::Duration;

use toolmesh_tool::{Task, TaskFailure, TaskOutcome, TaskState};

use super::{
    Inexpressible, ObjectWriter, content::write_meta, input::write_request, time::rfc3339, write_tool_result,
};
use crate::revision::Projection;

/// The code of a failed task whose failure has no code of its own on the wire.
const INTERNAL_ERROR: i64 = -32603;

/// Writes what is told of a task wherever it is told of.
pub(crate) fn write_task(object: &mut ObjectWriter<'_>, task: &Task, poll: Duration) {
    object.text("taskId", task.id.as_str());
    object.text("status", status(task));
    object.text_opt("statusMessage", task.status_message.as_deref());
    object.text("createdAt", &rfc3339(task.created_at));
    object.text("lastUpdatedAt", &rfc3339(task.updated_at));
    match task.time_to_live {
        Some(time) => object.integer("ttlMs", millis(time)),
        None => object.raw("ttlMs", b"null"),
    }
    object.integer("pollIntervalMs", millis(poll));
}

/// Writes a task with what it asks for, or with how it ended.
///
/// # Errors
/// [`Inexpressible`] when the revision cannot express the result.
pub(crate) fn write_detailed_task(
    object: &mut ObjectWriter<'_>,
    task: &Task,
    poll: Duration,
    projection: &Projection,
) -> Result<(), Inexpressible> {
    write_task(object, task, poll);
    match &task.state {
        TaskState::InputRequired(_) => object.object("inputRequests", |requests| {
            for (key, request) in &task.outstanding() {
                write_request(requests.foreign_member(key), request, projection);
            }
        }),
        TaskState::Ended(TaskOutcome::Completed(result)) => {
            let mut written = Ok(());
            object.object("result", |object| {
                object.text("resultType", "complete");
                written = write_tool_result(object, result, projection);
                write_meta(object, result.meta.as_ref());
            });
            written?;
        }
        TaskState::Ended(TaskOutcome::Failed(failure)) => write_failure(object, failure),
        _ => {}
    }
    Ok(())
}

fn write_failure(object: &mut ObjectWriter<'_>, failure: &TaskFailure) {
    object.object("error", |error| {
        error.signed("code", INTERNAL_ERROR);
        error.text("message", &failure.message);
    });
}

fn status(task: &Task) -> &'static str {
    match &task.state {
        TaskState::Working => "working",
        TaskState::InputRequired(_) => "input_required",
        TaskState::Ended(TaskOutcome::Completed(_)) => "completed",
        TaskState::Ended(TaskOutcome::Failed(_)) => "failed",
        TaskState::Ended(TaskOutcome::Cancelled) => "cancelled",
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
