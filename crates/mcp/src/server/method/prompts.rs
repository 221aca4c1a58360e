//! `prompts/list` and `prompts/get`.

use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_json::View;
use toolmesh_tool::{
    Prompt, PromptOutput, Round,
    dispatcher::{Operation, PromptRequest},
};

use super::rounds::Next;
use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, write_prompt, write_prompt_output},
};

/// `prompts/list`.
pub(in crate::server) async fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange
        .listed(Method::ListPrompts, Operation::ListPrompts)
        .await?;
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
    let name = exchange.text_param("name")?.to_owned();
    let arguments = text_members(exchange.request.param("arguments"))?;
    let mut brought = exchange.brought()?;
    loop {
        let rounds = brought.rounds;
        let mut request = PromptRequest::new(&name, arguments.clone(), exchange.caller.clone());
        request.front = exchange.front_of(&brought);
        request.cancellation = exchange.cancellation.clone();
        request.input_responses = brought.responses;
        request.state = brought.state;
        request.link = exchange.link();
        request.headers.clone_from(&exchange.trace);
        let round = exchange.server.dispatcher().prompt_round(request).await;
        let input = match round.map_err(|error| Fault::of_call(&error, Method::GetPrompt))? {
            Round::Done(output) => return write_output(exchange, &output),
            Round::InputRequired(input) => input,
        };
        match exchange.next_round(rounds, input).await? {
            Next::Again(next) => brought = next,
            Next::Answer(body) => return Ok(body),
        }
    }
}

fn write_output(exchange: &Exchange, output: &PromptOutput) -> Result<Vec<u8>, Fault> {
    exchange.complete(Cache::None, |object| {
        write_prompt_output(object, output, &exchange.revision.projection)
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
