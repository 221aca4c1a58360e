//! `tasks/get`, `tasks/update` and `tasks/cancel` (the extension `io.modelcontextprotocol/tasks`).

use toolmesh_json::View;
use toolmesh_tool::{CallError, ClientCapability, TASKS_EXTENSION, Task, TaskId, dispatcher::TaskRequest};

use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault},
    wire::{Cache, ResultType, write_detailed_task, write_task},
};

/// `tasks/get`.
pub(in crate::server) async fn get(exchange: &mut Exchange) -> Result<Vec<u8>, Fault> {
    let id = task_id(exchange)?;
    let task = read(exchange, id).await;
    let task = task.map_err(|error| Fault::of_call(&error, Method::GetTask))?;
    let whole = write(exchange, &task)?;
    if exchange.lets_out(&whole) {
        return Ok(whole);
    }
    match exchange.task_without_mirror(&task) {
        Some(less) => write(exchange, &less),
        None => Ok(whole),
    }
}

fn write(exchange: &Exchange, task: &Task) -> Result<Vec<u8>, Fault> {
    let poll = exchange.server.dispatcher().task_settings().poll_interval;
    exchange.complete(Cache::None, |object| {
        write_detailed_task(object, task, poll, &exchange.revision.projection)
    })
}

/// `tasks/update`.
pub(in crate::server) async fn update(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let id = task_id(exchange)?;
    let responses = exchange.request.param("inputResponses");
    let responses = responses.filter(|responses| responses.as_object().is_some());
    let responses = responses.ok_or(Failure::InvalidParams)?.to_value();
    let answered = exchange
        .server
        .dispatcher()
        .answer_task(request(exchange, id), responses);
    let answered = answered.await;
    answered.map_err(|error| Fault::of_call(&error, Method::UpdateTask))?;
    exchange.complete(Cache::None, |_| Ok(()))
}

/// `tasks/cancel`.
pub(in crate::server) async fn cancel(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let id = task_id(exchange)?;
    let cancelled = exchange
        .server
        .dispatcher()
        .cancel_task(request(exchange, id))
        .await;
    cancelled.map_err(|error| Fault::of_call(&error, Method::CancelTask))?;
    exchange.complete(Cache::None, |_| Ok(()))
}

/// The answer to a call that became a task.
pub(in crate::server) async fn created(exchange: &Exchange, id: &TaskId) -> Result<Vec<u8>, Fault> {
    let dispatcher = exchange.server.dispatcher();
    let task = dispatcher.created_task(id, &exchange.caller).await;
    let task = task.map_err(|error| Fault::of_call(&error, Method::CallTool))?;
    let poll = dispatcher.task_settings().poll_interval;
    exchange.result((ResultType::Task, Cache::None), None, |object| {
        write_task(object, &task, poll);
        Ok(())
    })
}

/// Reads a task of the caller.
pub(super) async fn read(exchange: &Exchange, id: &str) -> Result<Task, CallError> {
    exchange.server.dispatcher().task(request(exchange, id)).await
}

/// Whether the client declared that it knows tasks.
///
/// # Errors
/// The missing capability.
pub(super) fn needs_extension(exchange: &Exchange) -> Result<(), Fault> {
    let needed = [ClientCapability::Extension(TASKS_EXTENSION.to_owned())];
    match exchange.facts.capabilities.missing(&needed) {
        missing if missing.is_empty() => Ok(()),
        missing => Err(Fault::missing_capability(&missing)),
    }
}

/// The cheap checks of the params, then the capability.
fn task_id(exchange: &Exchange) -> Result<&str, Fault> {
    let id = exchange.request.param("taskId").and_then(View::as_str);
    let id = id.ok_or(Failure::InvalidParams)?;
    needs_extension(exchange)?;
    Ok(id)
}

fn request(exchange: &Exchange, id: &str) -> TaskRequest {
    let mut request = TaskRequest::new(id, exchange.caller.clone());
    request.front = exchange.front();
    request
}
