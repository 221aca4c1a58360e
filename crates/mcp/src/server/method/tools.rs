//! `tools/list` and `tools/call`.

use futures_util::StreamExt as _;
use toolmesh_json::{Value, View};
use toolmesh_tool::{
    CallError, CallItem, CallRequest, CatalogueTool, ContentBlock, InputRequired, Outcome, TextContent, Tool,
    ToolResult,
};

use crate::{
    revision::{ArgumentFailure, Failure, Method},
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, ResultType, write_input_required, write_tool, write_tool_result},
};

/// Most bytes of the state that a call which asks for input hands to the client.
const MAX_STATE_BYTES: usize = 65_536;

/// `tools/list`.
pub(in crate::server) fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
    let list = List {
        member: "tools",
        generation: catalogue.generation(),
        entries: catalogue.tools(),
        key: |tool: &&CatalogueTool| tool.name().as_str().to_owned(),
        write: |out: &mut Vec<u8>, tool: &&CatalogueTool, projection: &_| write_tool(out, tool, projection),
    };
    list.answer(exchange)
}

/// `tools/call`.
pub(in crate::server) async fn call(exchange: &mut Exchange) -> Result<Vec<u8>, Fault> {
    let request = call_request(exchange)?;
    match run(exchange, request).await {
        Outcome::Completed(result) => write_completed(exchange, &with_promised_shape(exchange, result)),
        Outcome::InputRequired(input) => write_input(exchange, &input),
        Outcome::TaskCreated(_) => Err(Failure::UnusableOutput.into()),
        Outcome::Failed(CallError::InvalidArguments(result)) => write_mismatch(exchange, &result),
        Outcome::Failed(error) => Err(Fault::of_call(&error, Method::CallTool)),
    }
}

/// The cheap checks of the params; everything about the tool itself is the dispatcher's.
fn call_request(exchange: &Exchange) -> Result<CallRequest, Failure> {
    let name = exchange.text_param("name")?;
    let arguments = object_param(exchange, "arguments")?.unwrap_or_else(|| Value::object().build());
    if !exchange.has_sound_progress_token() {
        return Err(Failure::InvalidParams);
    }
    let mut request = CallRequest::new(name, arguments, exchange.caller.clone())
        .front(exchange.front())
        .cancellation(exchange.cancellation.clone());
    if exchange.revision.projection.interactive {
        if let Some(responses) = object_param(exchange, "inputResponses")? {
            request = request.input_responses(responses);
        }
        if let Some(state) = exchange.request.param("requestState") {
            let state = state.as_str().filter(|state| state.len() <= MAX_STATE_BYTES);
            request = request.state(state.ok_or(Failure::InvalidParams)?);
        }
    }
    Ok(request)
}

fn object_param(exchange: &Exchange, name: &str) -> Result<Option<Value>, Failure> {
    match exchange.request.param(name) {
        None => Ok(None),
        Some(value) if value.as_object().is_some() => Ok(Some(View::to_value(value))),
        Some(_) => Err(Failure::InvalidParams),
    }
}

/// Makes the call; as a stream only when somebody wants to hear of its progress.
async fn run(exchange: &mut Exchange, request: CallRequest) -> Outcome {
    let dispatcher = exchange.server.dispatcher().clone();
    let Some(sink) = &mut exchange.progress else {
        return dispatcher.call(request).await;
    };
    let mut stream = dispatcher.stream(request);
    while let Some(item) = stream.next().await {
        match item {
            CallItem::Event(event) => sink.tell(&event).await,
            CallItem::Ended(outcome) => return outcome,
        }
    }
    Outcome::Failed(CallError::Internal(
        "the stream of a call ended without an outcome".to_owned(),
    ))
}

/// Clients check structured content against the published output schema, also that of a tool error (the TypeScript
/// SDK then refuses the whole result). A tool error whose details have another shape tells them as text alone.
fn with_promised_shape(exchange: &Exchange, mut result: ToolResult) -> ToolResult {
    let Some(details) = result.structured.take_if(|_| result.is_error) else {
        return result;
    };
    let catalogue = exchange.server.dispatcher().visible_catalogue(&exchange.caller);
    let name = exchange.text_param("name").unwrap_or_default();
    let tool = catalogue.tool(name).map(CatalogueTool::tool);
    if tool
        .and_then(Tool::output_schema)
        .is_none_or(|schema| schema.evaluate(&details).is_valid())
    {
        result.structured = Some(details);
        return result;
    }
    if tool.is_some_and(|tool| !tool.mirror_structured_content()) {
        result
            .content
            .push(ContentBlock::Text(TextContent::new(details.to_text())));
    }
    result
}

fn write_completed(exchange: &Exchange, result: &ToolResult) -> Result<Vec<u8>, Fault> {
    exchange.result(
        (ResultType::Complete, Cache::None),
        result.meta.as_ref(),
        |object| write_tool_result(object, result, &exchange.revision.projection),
    )
}

/// Arguments that do not fit.
fn write_mismatch(exchange: &Exchange, result: &ToolResult) -> Result<Vec<u8>, Fault> {
    match exchange.revision.argument_failure {
        ArgumentFailure::ProtocolError => Err(Failure::InvalidArguments.into()),
        ArgumentFailure::ToolError => write_completed(exchange, result),
    }
}

fn write_input(exchange: &Exchange, input: &InputRequired) -> Result<Vec<u8>, Fault> {
    if !exchange.revision.projection.interactive {
        return Err(Failure::InputUnavailable.into());
    }
    let needed: Vec<_> = input
        .requests
        .values()
        .map(|request| request.capability())
        .collect();
    let missing = exchange.facts.capabilities.missing(&needed);
    if !missing.is_empty() {
        return Err(Fault::missing_capability(&missing));
    }
    let too_long = input
        .state
        .as_ref()
        .is_some_and(|state| state.len() > MAX_STATE_BYTES);
    if too_long || (input.requests.is_empty() && input.state.is_none()) {
        return Err(Failure::UnusableOutput.into());
    }
    exchange.result((ResultType::InputRequired, Cache::None), None, |object| {
        write_input_required(object, input);
        Ok(())
    })
}
