//! The order of steps of a tool call.

use std::{pin::pin, sync::Arc, time::Instant};

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tracing::Instrument;

use super::{
    FrontCheck, Next, Operation, Shared, arguments, guard::guard, input::check_requests, observe,
    observe::Asked, output::tell_of_refusal, request::CallParts,
};
use crate::{
    CallContext, CallContextBuilder, CallError, Caller, Catalogue, CatalogueTool, FrontInfo, Outcome,
    ToolEvent,
};

impl Shared {
    /// Makes a call; its events go to `events` when somebody reads them.
    pub(super) async fn run(
        &self,
        mut request: Box<CallParts>,
        events: Option<mpsc::Sender<ToolEvent>>,
    ) -> Outcome {
        let began = Instant::now();
        let catalogue = self.toolbox.snapshot();
        let found = match self.find(&mut request, &catalogue).await {
            Ok(found) => found,
            Err(error) => {
                let operation = Operation::CallTool(&request.tool);
                self.refused(&asked(&request, operation, began), &error);
                return error.into();
            }
        };
        let name = found.name().as_str();
        let asked = asked(&request, Operation::CallTool(name), began);
        let (watch, span) = (self.observe(&asked, name), asked.span(name));
        watch.admitted();
        let outcome = match self.limit(&request.caller, found) {
            Ok(()) => self.enter(request, found, events, &watch).instrument(span).await,
            Err(error) => error.into(),
        };
        tell_of_refusal(name, &outcome);
        watch.call_ended(&outcome);
        outcome
    }

    /// Steps 1 to 4.
    async fn find<'a>(
        &self,
        request: &mut CallParts,
        catalogue: &'a Arc<Catalogue>,
    ) -> Result<&'a CatalogueTool, CallError> {
        self.admit(&request.caller, Operation::CallTool(&request.tool))
            .await?;
        let found = catalogue
            .tool(&request.tool, request.version.as_ref())
            .filter(|tool| tool.tool().revisions().has(request.front.revision.as_deref()))
            .filter(|tool| {
                self.visibility
                    .as_ref()
                    .is_none_or(|see| see.tool(&request.caller, tool))
            })
            .ok_or(CallError::UnknownTool)?;
        check_front(request.front_check.take(), found)?;
        check_capabilities(&request.front, found)?;
        Ok(found)
    }

    /// Step 5.
    fn limit(&self, caller: &Caller, found: &CatalogueTool) -> Result<(), CallError> {
        self.limit_request(caller)?;
        self.limit_tool(caller, found)
    }

    /// Steps 6 and 7, and the rest within them.
    async fn enter(
        &self,
        request: Box<CallParts>,
        found: &CatalogueTool,
        events: Option<mpsc::Sender<ToolEvent>>,
        watch: &observe::Watch,
    ) -> Outcome {
        let cancellation = request.token();
        let pass = match self.gate.enter(request.timeout, &cancellation).await {
            Ok(pass) => pass,
            Err(error) => return error.into(),
        };
        let (arguments, state) = (request.arguments.clone(), request.state);
        let context = CallContextBuilder {
            caller: request.caller,
            cancellation: cancellation.clone(),
            deadline: Some(pass.deadline),
            events: events.clone(),
            link: request.link,
            watch: watch.clone(),
            headers: request.headers,
            front: request.front,
            raw_arguments: request.arguments,
            input_responses: request.input_responses,
            state: None,
            idempotency_key: request.idempotency_key,
            task: None,
            task_creation: None,
        };
        let context = context.build();
        if let Some(events) = &events {
            let start = ToolEvent::Start {
                tool_id: found.name().to_string(),
                call_id: None,
                metadata: None,
            };
            // The queue is empty, and a reader that went away is told by the token.
            let _ = events.try_send(start);
        }
        // Pinned once and then only pointed to: whoever takes a future by value keeps a copy's room for it.
        let rest = pin!(self.rest(&context, found, arguments, state, watch));
        let ended = match &self.interceptor {
            None => guard(rest, pass.deadline, &cancellation).await,
            Some(interceptor) => {
                let work = interceptor.intercept(&context, found, Next::new(rest.boxed()));
                guard(work, pass.deadline, &cancellation).await
            }
        };
        ended.unwrap_or_else(Outcome::from)
    }

    /// Steps 8 to 16.
    async fn rest(
        &self,
        context: &CallContext,
        found: &CatalogueTool,
        arguments: toolmesh_json::Value,
        state: Option<String>,
        watch: &observe::Watch,
    ) -> Outcome {
        let mut earlier = match self.earlier(context, found, state) {
            Ok(earlier) => earlier,
            Err(error) => return error.into(),
        };
        let verified = match earlier.state.take() {
            None => context.clone(),
            Some(state) => context.with_state(Some(state)),
        };
        let policy = (!earlier.confirmed)
            .then(|| self.confirmation.check(context, found, earlier.was_asked()))
            .flatten();
        match policy {
            Some(Outcome::InputRequired(input)) => return self.ask(context, found, &earlier, input),
            Some(outcome) => return self.finish(context, found, outcome),
            None => earlier.confirmed = self.confirmation.asks(found.tool()),
        }
        let outcome = match arguments::check(found.tool(), arguments, watch) {
            Err(error) => error.into(),
            Ok(arguments) => {
                watch.started();
                self.handle(verified, found, arguments).await
            }
        };
        match outcome {
            Outcome::InputRequired(input) => match check_requests(found.tool(), &input) {
                Ok(()) => self.ask(context, found, &earlier, input),
                Err(error) => error.into(),
            },
            outcome => self.finish(context, found, outcome),
        }
    }
}

fn asked<'a>(request: &'a CallParts, operation: Operation<'a>, began: Instant) -> Asked<'a> {
    Asked {
        caller: &request.caller,
        operation,
        front: &request.front,
        headers: &request.headers,
        began,
    }
}

/// Step 3.
fn check_front(check: Option<FrontCheck>, found: &CatalogueTool) -> Result<(), CallError> {
    match check {
        None => Ok(()),
        Some(check) => check(found.tool()).map_err(CallError::FrontRefused),
    }
}

/// Step 4.
fn check_capabilities(front: &FrontInfo, found: &CatalogueTool) -> Result<(), CallError> {
    let missing = front.capabilities.missing(found.tool().needed_capabilities());
    if missing.is_empty() {
        Ok(())
    } else {
        Err(CallError::MissingCapability(missing))
    }
}
