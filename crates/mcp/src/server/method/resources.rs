//! `resources/list`, `resources/templates/list`, and `resources/read`.

use std::sync::Arc;

use toolmesh_tool::{
    Resource, ResourceContents, ResourceTemplate, Round,
    dispatcher::{Operation, ReadRequest},
};

use super::rounds::Next;
use crate::{
    revision::Method,
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, write_contents, write_resource, write_template},
};

/// `resources/list`.
pub(in crate::server) async fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange
        .listed(Method::ListResources, Operation::ListResources)
        .await?;
    let list = List {
        member: "resources",
        generation: catalogue.generation(),
        entries: catalogue.resources(),
        key: |resource: &&Arc<Resource>| resource.uri.clone(),
        write: |out: &mut Vec<u8>, resource: &&Arc<Resource>, projection: &_| {
            write_resource(out, resource, projection);
        },
    };
    list.answer(exchange)
}

/// `resources/templates/list`.
pub(in crate::server) async fn list_templates(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange
        .listed(Method::ListResourceTemplates, Operation::ListTemplates)
        .await?;
    let list = List {
        member: "resourceTemplates",
        generation: catalogue.generation(),
        entries: catalogue.templates(),
        key: |template: &&Arc<ResourceTemplate>| template.template.as_str().to_owned(),
        write: |out: &mut Vec<u8>, template: &&Arc<ResourceTemplate>, projection: &_| {
            write_template(out, template, projection);
        },
    };
    list.answer(exchange)
}

/// `resources/read`. What was read after the client was asked is its own affair, and not to be kept.
pub(in crate::server) async fn read(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let uri = exchange.text_param("uri")?.to_owned();
    let mut brought = exchange.brought()?;
    loop {
        let rounds = brought.rounds;
        let mut request = ReadRequest::new(&uri, exchange.caller.clone());
        request.front = exchange.front_of(&brought);
        request.cancellation = exchange.cancellation.clone();
        request.input_responses = brought.responses;
        request.state = brought.state;
        request.link = exchange.link();
        request.headers.clone_from(&exchange.trace);
        let round = exchange.server.dispatcher().read_round(request).await;
        let input = match round.map_err(|error| Fault::of_read(&error, &uri, exchange.revision))? {
            Round::Done(contents) => return write_read(exchange, &contents),
            Round::InputRequired(input) => input,
        };
        match exchange.next_round(rounds, input).await? {
            Next::Again(next) => brought = next,
            Next::Answer(body) => return Ok(body),
        }
    }
}

fn write_read(exchange: &Exchange, contents: &[ResourceContents]) -> Result<Vec<u8>, Fault> {
    exchange.complete(Cache::Hinted, |object| {
        write_contents(object, contents);
        Ok(())
    })
}
