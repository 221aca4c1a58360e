//! `tools/list` and `tools/call`.

use futures_util::StreamExt as _;
use toolmesh_json::Value;
use toolmesh_tool::{
    CallError, CallItem, CallRequest, CatalogueTool, ClientCapability, ContentBlock, FrontRefusal, Outcome,
    TextContent, Tool, ToolEvent, ToolResult,
    dispatcher::{FrontCheck, Operation},
};

use super::{
    compact::{Turned, turn},
    deltas::Deltas,
    rounds::{Brought, Next},
    tasks,
};
use crate::{
    revision::{ArgumentFailure, Failure, Method, NOT_OFFERED},
    server::{exchange::Exchange, fault::Fault, page::List},
    wire::{Cache, ResultType, can_carry, is_offered, write_tool, write_tool_result},
};

/// `tools/list`.
pub(in crate::server) async fn list(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let catalogue = exchange.listed(Method::ListTools, Operation::ListTools).await?;
    let projection = &exchange.revision.projection;
    if let Some(compact) = exchange.server.compact_form() {
        let catalogue = compact.catalogue();
        let list = List {
            member: "tools",
            generation: catalogue.generation(),
            entries: catalogue.listed_tools(),
            key: |tool: &&CatalogueTool| tool.name().as_str().to_owned(),
            write: |out: &mut Vec<u8>, tool: &&CatalogueTool, projection: &_| {
                write_tool(out, tool, projection)
            },
        };
        return list.answer(exchange);
    }
    let list = List {
        member: "tools",
        generation: catalogue.generation(),
        entries: catalogue
            .tools()
            .filter(|tool| is_offered(tool.tool(), projection)),
        key: |tool: &&CatalogueTool| tool.name().as_str().to_owned(),
        write: |out: &mut Vec<u8>, tool: &&CatalogueTool, projection: &_| write_tool(out, tool, projection),
    };
    list.answer(exchange)
}

/// `tools/call`.
pub(in crate::server) async fn call(exchange: &mut Exchange) -> Result<Vec<u8>, Fault> {
    // Cheap checks of the params first; everything about the tool itself is the dispatcher's.
    let arguments = exchange.object_param("arguments")?;
    let mut arguments = arguments.unwrap_or_else(|| Value::object().build());
    if !exchange.has_sound_progress_token() {
        return Err(Failure::InvalidParams.into());
    }
    if let Some(answer) = in_compact_form(exchange, &mut arguments).await? {
        return Ok(answer);
    }
    let mut brought = exchange.brought()?;
    loop {
        let rounds = brought.rounds;
        let request = call_request(exchange, arguments.clone(), brought)?;
        let outcome = run(exchange, request).await;
        let Outcome::InputRequired(input) = outcome else {
            return answer(exchange, outcome).await;
        };
        match Box::pin(exchange.next_round(rounds, input)).await? {
            Next::Again(next) => brought = next,
            Next::Answer(body) => return Ok(body),
        }
    }
}

/// Answers a call of one of the tools that stand for the catalogue; the call of another tool goes on as that one's.
async fn in_compact_form(exchange: &mut Exchange, arguments: &mut Value) -> Result<Option<Vec<u8>>, Fault> {
    let Some(compact) = exchange.server.compact_form().cloned() else {
        return Ok(None);
    };
    let name = exchange.text_param("name")?.to_owned();
    match Box::pin(turn(exchange, &compact, &name, arguments)).await? {
        None => Ok(None),
        Some(Turned::Answered(result)) => write_completed(exchange, &result).map(Some),
        Some(Turned::Mismatch) => {
            let result = ToolResult::error_text("The arguments do not fit the tool's schema.");
            write_mismatch(exchange, &result).map(Some)
        }
        Some(Turned::Call(params)) => {
            exchange.request.params = Some(params);
            // Headers repeat the arguments of the tool that the client knows, not of the one that is meant.
            exchange.parameters = None;
            if let Some(meant) = exchange.object_param("arguments")? {
                *arguments = meant;
            }
            Ok(None)
        }
    }
}

async fn answer(exchange: &mut Exchange, outcome: Outcome) -> Result<Vec<u8>, Fault> {
    match outcome {
        Outcome::Completed(result) => {
            let result = with_text_alone(exchange, with_promised_shape(exchange, result));
            write_completed(exchange, &result)
        }
        Outcome::TaskCreated(id) => Box::pin(tasks::created(exchange, &id)).await,
        Outcome::Failed(CallError::InvalidArguments(result)) => write_mismatch(exchange, &result),
        Outcome::Failed(error) => Err(failed(exchange, &error)),
        Outcome::InputRequired(input) => exchange.input_required(&input),
    }
}

/// A client that was to confirm a call and cannot be asked is told which ability that takes.
fn failed(exchange: &Exchange, error: &CallError) -> Fault {
    let form = [ClientCapability::ElicitationForm];
    match error {
        CallError::InputUnavailable if !exchange.asks_in_line() => {
            match exchange.facts.capabilities.missing(&form) {
                missing if missing.is_empty() => Failure::InputUnavailable.into(),
                missing => Fault::missing_capability(&missing),
            }
        }
        _ => Fault::of_call(error, Method::CallTool),
    }
}

fn call_request(exchange: &mut Exchange, arguments: Value, brought: Brought) -> Result<CallRequest, Failure> {
    let check = front_check(exchange, &arguments);
    let name = exchange.text_param("name")?;
    let mut request = CallRequest::new(name, arguments, exchange.caller.clone())
        .front(exchange.front_of(&brought))
        .headers(exchange.trace.clone())
        .link(exchange.link());
    // Who asks in-line may call once more for the same request.
    let cancellation = exchange.cancellation.clone();
    request = match exchange.asks_in_line() {
        true => request.cancellation(cancellation),
        false => request.own_cancellation(cancellation),
    };
    if let Some(check) = check {
        request = request.front_check(check);
    }
    if let Some(responses) = brought.responses {
        request = request.input_responses(responses);
    }
    if let Some(state) = brought.state {
        request = request.state(state);
    }
    Ok(request)
}

/// This front's own check of the found tool: mirrored headers, or whether the revision knows such tools at all.
fn front_check(exchange: &mut Exchange, arguments: &Value) -> Option<FrontCheck> {
    if let Some(parameters) = exchange.parameters.take() {
        let arguments = arguments.clone();
        return Some(Box::new(move |tool: &Tool| parameters.check(tool, &arguments)));
    }
    let projection = &exchange.revision.projection;
    (!projection.extensions).then(|| -> FrontCheck {
        Box::new(move |tool: &Tool| match is_offered(tool, projection) {
            true => Ok(()),
            false => Err(FrontRefusal {
                key: NOT_OFFERED,
                reason: "the revision does not know such tools".to_owned(),
            }),
        })
    })
}

/// Makes the call; as a stream only when somebody wants to hear of its progress, or when its partial output has to be
/// kept.
async fn run(exchange: &mut Exchange, request: CallRequest) -> Outcome {
    if exchange.progress.is_none() && !streams(exchange) {
        return exchange.server.dispatcher().call(request).await;
    }
    Box::pin(streamed(exchange, request)).await
}

/// Makes the call as a stream.
async fn streamed(exchange: &mut Exchange, request: CallRequest) -> Outcome {
    let mut deltas = Deltas::default();
    let mut stream = exchange.server.dispatcher().stream(request);
    while let Some(item) = stream.next().await {
        match item {
            CallItem::Event(ToolEvent::Delta { data }) => deltas.add(&data),
            CallItem::Event(event) => {
                if let Some(sink) = &mut exchange.progress {
                    sink.tell(&event).await;
                }
            }
            CallItem::Ended(Outcome::Completed(result)) => return deltas.join(result).into(),
            CallItem::Ended(outcome) => return outcome,
        }
    }
    Outcome::Failed(CallError::Internal(
        "the stream of a call ended without an outcome".to_owned(),
    ))
}

/// Whether the tool says of itself that it gives partial output.
fn streams(exchange: &Exchange) -> bool {
    let catalogue = exchange.server.dispatcher().toolbox().snapshot();
    let name = exchange.text_param("name").unwrap_or_default();
    let found = catalogue
        .has_streaming_tools()
        .then(|| catalogue.tool(name, None));
    found.flatten().is_some_and(|tool| tool.tool().streaming())
}

/// Clients check structured content against the published output schema, also that of a tool error (the TypeScript
/// SDK then refuses the whole result). A tool error whose details have another shape tells them as text alone.
fn with_promised_shape(exchange: &Exchange, mut result: ToolResult) -> ToolResult {
    let Some(details) = result.structured.take_if(|_| result.is_error) else {
        return result;
    };
    let catalogue = exchange.catalogue();
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

/// A result whose structured content the revision cannot carry is its text, when the tool says that this is enough.
fn with_text_alone(exchange: &Exchange, mut result: ToolResult) -> ToolResult {
    let projection = &exchange.revision.projection;
    let fits = |structured: &Value| can_carry(structured, projection);
    if result.content.is_empty() || result.structured.as_ref().is_none_or(fits) {
        return result;
    }
    let catalogue = exchange.catalogue();
    let name = exchange.text_param("name").unwrap_or_default();
    if catalogue
        .tool(name)
        .is_some_and(|tool| tool.tool().text_suffices())
    {
        result.structured = None;
    }
    result
}

/// A text that only repeats the structured content is left out where both would be more than may leave.
fn write_completed(exchange: &mut Exchange, result: &ToolResult) -> Result<Vec<u8>, Fault> {
    let whole = write_result(exchange, result)?;
    if result.structured.is_none() || exchange.lets_out(&whole) {
        return Ok(whole);
    }
    let name = exchange.text_param("name").unwrap_or_default();
    match exchange.without_mirror(name, result) {
        Some(less) => write_result(exchange, &less),
        None => Ok(whole),
    }
}

fn write_result(exchange: &Exchange, result: &ToolResult) -> Result<Vec<u8>, Fault> {
    exchange.result(
        (ResultType::Complete, Cache::None),
        result.meta.as_ref(),
        |object| write_tool_result(object, result, &exchange.revision.projection),
    )
}

/// Arguments that do not fit.
fn write_mismatch(exchange: &mut Exchange, result: &ToolResult) -> Result<Vec<u8>, Fault> {
    match exchange.revision.argument_failure {
        ArgumentFailure::ProtocolError => Err(Failure::InvalidArguments.into()),
        ArgumentFailure::ToolError => write_completed(exchange, result),
    }
}
