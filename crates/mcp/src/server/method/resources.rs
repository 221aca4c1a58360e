//! `resources/list`, `resources/templates/list`, and `resources/read`.

use std::sync::Arc;

use toolmesh_tool::{Resource, ResourceTemplate, dispatcher::ReadRequest};

use crate::{
    revision::Method,
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, write_contents, write_resource, write_template},
};

/// `resources/list`.
pub(in crate::server) fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
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
pub(in crate::server) fn list_templates(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
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

/// `resources/read`.
pub(in crate::server) async fn read(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let mut request = ReadRequest::new(exchange.text_param("uri")?, exchange.caller.clone());
    request.front = exchange.front();
    request.cancellation = exchange.cancellation.clone();
    let contents = exchange.server.dispatcher().read_resource(request).await;
    let contents = contents.map_err(|error| Fault::of_call(&error, Method::ReadResource))?;
    exchange.complete(Cache::Hinted, |object| {
        write_contents(object, &contents);
        Ok(())
    })
}
