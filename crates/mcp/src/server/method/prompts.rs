//! `prompts/list` and `prompts/get`.

use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_json::View;
use toolmesh_tool::{Prompt, dispatcher::PromptRequest};

use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, write_prompt, write_prompt_output},
};

/// `prompts/list`.
pub(in crate::server) fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
    let list = List {
        member: "prompts",
        generation: catalogue.generation(),
        entries: catalogue.prompts(),
        key: |prompt: &&Arc<Prompt>| prompt.name.as_str().to_owned(),
        write: |out: &mut Vec<u8>, prompt: &&Arc<Prompt>, projection: &_| {
            write_prompt(out, prompt, projection)
        },
    };
    list.answer(exchange)
}

/// `prompts/get`.
pub(in crate::server) async fn get(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let name = exchange.text_param("name")?;
    let arguments = text_members(exchange.request.param("arguments"))?;
    let mut request = PromptRequest::new(name, arguments, exchange.caller.clone());
    request.front = exchange.front();
    request.cancellation = exchange.cancellation.clone();
    let output = exchange.server.dispatcher().get_prompt(request).await;
    let output = output.map_err(|error| Fault::of_call(&error, Method::GetPrompt))?;
    exchange.complete(Cache::None, |object| {
        write_prompt_output(object, &output, &exchange.revision.projection)
    })
}

/// The members of an object whose values are all texts; none when there is no object.
pub(super) fn text_members(object: Option<View<'_>>) -> Result<IndexMap<String, String>, Failure> {
    let Some(object) = object else {
        return Ok(IndexMap::new());
    };
    let members = object.as_object().ok_or(Failure::InvalidParams)?.iter();
    members
        .map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())))
        .collect::<Option<_>>()
        .ok_or(Failure::InvalidParams)
}
