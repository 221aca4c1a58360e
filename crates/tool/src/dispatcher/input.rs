//! Steps 8 and 16: the state that a call brings back is opened, and what it asks for goes out with its state protected.

use toolmesh_json::Value;

use super::{Confirmation, Shared};
use crate::{
    CallContext, CallError, CatalogueTool, InputRequest, InputRequired, MAX_INPUT_KEY_BYTES,
    MAX_INPUT_REQUESTS, MAX_STATE_BYTES, Outcome, Tool, check_form,
    state::{OpenedState, RequestStateMode, SealError, StateBinding, StateProtector, bound_parameters},
};

/// What a call brought back from its earlier rounds, verified as far as its tool's mode goes.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// What the handler gave in the round before.
    pub(super) state: Option<String>,
    /// A person confirmed the call already.
    pub(super) confirmed: bool,
    opened: Option<OpenedState>,
}

impl Earlier {
    /// Whether the call answers a round whose state this dispatcher sealed for the same tool and arguments.
    pub(super) fn was_asked(&self) -> bool {
        self.opened.is_some()
    }
}

impl Shared {
    /// Opens the state that came with a call.
    pub(super) fn earlier(
        &self,
        context: &CallContext,
        found: &CatalogueTool,
        state: Option<String>,
    ) -> Result<Earlier, CallError> {
        let Some(state) = state else {
            return Ok(Earlier::default());
        };
        if seals(self.confirmation, found.tool()) {
            let protector = self.protector()?;
            let parameters = parameters(context, found);
            let opened = protector
                .open(
                    &self.binding(context, &parameters),
                    context.front().request_id.as_ref(),
                    &state,
                )
                .map_err(|_| CallError::RefusedState)?;
            return Ok(Earlier {
                state: opened.state.clone(),
                confirmed: opened.confirmed,
                opened: Some(opened),
            });
        }
        let passes = found.tool().request_state_mode() == RequestStateMode::ApplicationProtected
            && state.len() <= MAX_STATE_BYTES;
        if !passes {
            return Err(CallError::RefusedState);
        }
        Ok(Earlier {
            state: Some(state),
            ..Earlier::default()
        })
    }

    /// What the client is asked, with the state in the form in which it travels.
    pub(super) fn ask(
        &self,
        context: &CallContext,
        found: &CatalogueTool,
        earlier: &Earlier,
        input: InputRequired,
    ) -> Outcome {
        match self.protect(context, found, earlier, input) {
            Ok(input) => input.into(),
            Err(error) => error.into(),
        }
    }

    fn protect(
        &self,
        context: &CallContext,
        found: &CatalogueTool,
        earlier: &Earlier,
        mut input: InputRequired,
    ) -> Result<InputRequired, CallError> {
        let mode = found.tool().request_state_mode();
        let length = input.state.as_ref().map_or(0, String::len);
        match mode {
            RequestStateMode::None if input.state.is_some() => {
                return Err(unusable("the tool gave a state and declared none"));
            }
            RequestStateMode::ApplicationProtected if length > MAX_STATE_BYTES => {
                return Err(unusable("the tool's state is too long"));
            }
            _ => {}
        }
        if seals(self.confirmation, found.tool()) {
            let parameters = parameters(context, found);
            let sealed = self.protector()?.seal(
                &self.binding(context, &parameters),
                earlier.opened.as_ref(),
                context.front().request_id.as_ref(),
                input.state.take(),
                earlier.confirmed,
            );
            input.state = Some(sealed.map_err(seal_error)?);
        }
        Ok(input)
    }

    pub(super) fn protector(&self) -> Result<&StateProtector, CallError> {
        self.state_protector.as_deref().ok_or(CallError::StateUnavailable)
    }

    pub(super) fn binding<'a>(&'a self, context: &'a CallContext, parameters: &'a Value) -> StateBinding<'a> {
        let front = context.front();
        StateBinding {
            endpoint: &self.endpoint,
            revision: front.revision.as_deref().unwrap_or_default(),
            method: if front.method.is_empty() {
                "tools/call"
            } else {
                &front.method
            },
            authenticated: context.caller().identity.is_some(),
            partition: &context.caller().partition,
            parameters,
        }
    }
}

/// Checks what a tool's handler asks for: it asks for nothing that it did not declare.
pub(super) fn check_requests(tool: &Tool, input: &InputRequired) -> Result<(), CallError> {
    check_shape(input)?;
    let declared = tool.input_declarations();
    let undeclared = |request: &&InputRequest| declared.iter().all(|known| known.kind != request.kind());
    match input.requests.values().find(undeclared) {
        None => Ok(()),
        Some(request) => Err(CallError::InvalidOutput(format!(
            "the tool asked for {:?} and did not declare it",
            request.kind()
        ))),
    }
}

/// Checks the bounds and forms of what is asked for.
pub(super) fn check_shape(input: &InputRequired) -> Result<(), CallError> {
    if input.requests.is_empty() && input.state.is_none() {
        return Err(unusable("the handler asked for nothing and gave no state"));
    }
    if input.requests.len() > MAX_INPUT_REQUESTS {
        return Err(unusable("the handler asked for too much at once"));
    }
    for (key, request) in &input.requests {
        if key.is_empty() || key.len() > MAX_INPUT_KEY_BYTES {
            return Err(unusable(
                "a key of the handler's input requests is empty or too long",
            ));
        }
        if let InputRequest::Elicitation { schema, .. } = request {
            check_form(schema.view()).map_err(|error| CallError::InvalidOutput(error.to_string()))?;
        }
    }
    Ok(())
}

/// Whether the state of the tool's calls is sealed here: because the tool wants it, or because a confirmation has to
/// be remembered over the rounds that follow it.
fn seals(confirmation: Confirmation, tool: &Tool) -> bool {
    tool.request_state_mode() == RequestStateMode::FrameworkProtected || confirmation.asks(tool)
}

/// The params of the call as they are bound.
fn parameters(context: &CallContext, found: &CatalogueTool) -> Value {
    let parameters = Value::object()
        .put("name", found.name().as_str())
        .put("arguments", context.raw_arguments().clone())
        .put_opt("_meta", context.front().meta.clone())
        .build();
    bound_parameters(parameters.view())
}

fn unusable(why: &str) -> CallError {
    CallError::InvalidOutput(why.to_owned())
}

pub(super) fn seal_error(error: SealError) -> CallError {
    match error {
        SealError::NoRandomness => CallError::StateUnavailable,
        SealError::TooLarge | SealError::TooManyRounds | SealError::Expired => {
            CallError::InvalidOutput(error.to_string())
        }
    }
}
