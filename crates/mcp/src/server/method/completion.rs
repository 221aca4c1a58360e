//! `completion/complete`.

use toolmesh_json::View;
use toolmesh_tool::{CompletionReference, CompletionRequest};

use super::prompts::text_members;
use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault},
    wire::Cache,
};

/// `completion/complete`.
pub(in crate::server) async fn complete(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let request = completion_request(exchange)?;
    let values = exchange.server.dispatcher().complete(request).await;
    let values = values.map_err(|error| Fault::of_call(&error, Method::Complete))?;
    exchange.complete(Cache::None, |object| {
        object.object("completion", |completion| {
            completion.array("values", |array| {
                values.values().iter().for_each(|value| array.text(value))
            });
            if let Some(total) = values.total() {
                completion.integer("total", u64::try_from(total).unwrap_or(u64::MAX));
            }
            completion.boolean("hasMore", values.has_more());
        });
        Ok(())
    })
}

fn completion_request(exchange: &Exchange) -> Result<CompletionRequest, Failure> {
    let argument = exchange.request.param("argument").ok_or(Failure::InvalidParams)?;
    let settled = exchange
        .request
        .param("context")
        .and_then(|context| context.get("arguments"));
    let reference = reference(exchange.request.param("ref").ok_or(Failure::InvalidParams)?)?;
    let (name, value) = (text(argument, "name")?, text(argument, "value")?);
    Ok(CompletionRequest {
        settled: text_members(settled)?,
        front: exchange.front(),
        cancellation: exchange.cancellation.clone(),
        headers: exchange.trace.clone(),
        ..CompletionRequest::new(reference, name, value, exchange.caller.clone())
    })
}

fn reference(reference: View<'_>) -> Result<CompletionReference, Failure> {
    match reference.get("type").and_then(View::as_str) {
        Some("ref/prompt") => Ok(CompletionReference::Prompt(text(reference, "name")?)),
        Some("ref/resource") => Ok(CompletionReference::Template(text(reference, "uri")?)),
        _ => Err(Failure::InvalidParams),
    }
}

fn text(object: View<'_>, name: &str) -> Result<String, Failure> {
    object
        .get(name)
        .and_then(View::as_str)
        .map(str::to_owned)
        .ok_or(Failure::InvalidParams)
}
