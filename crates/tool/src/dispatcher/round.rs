//! Prompts and resources that ask their client first: what comes back is verified, what goes out is sealed.

use std::future::Future;

use toolmesh_json::Value;

use super::{
    Shared,
    input::{check_shape, seal_error},
};
use crate::{
    CallContext, CallError, InputRequired, Round,
    state::{OpenedState, bound_parameters},
};

impl Shared {
    /// Runs one round: opens the state that the request brought, and seals the one that goes out. A state is always sealed
    /// here: nothing else says who would protect it.
    pub(super) async fn round<T, F>(
        &self,
        context: CallContext,
        state: Option<&str>,
        parameters: Value,
        run: impl FnOnce(CallContext) -> F,
    ) -> Result<Round<T>, CallError>
    where
        F: Future<Output = Result<Round<T>, CallError>>,
    {
        let parameters = bound_parameters(parameters.view());
        let opened = state
            .map(|state| self.open(&context, &parameters, state))
            .transpose()?;
        let verified = opened.as_ref().and_then(|opened| opened.state.clone());
        match run(context.with_state(verified)).await? {
            Round::Done(done) => Ok(Round::Done(done)),
            Round::InputRequired(input) => {
                check_shape(&input)?;
                let input = self.seal(&context, &parameters, opened.as_ref(), input)?;
                Ok(Round::InputRequired(input))
            }
        }
    }

    fn open(&self, context: &CallContext, parameters: &Value, state: &str) -> Result<OpenedState, CallError> {
        let binding = self.binding(context, parameters);
        self.protector()?
            .open(&binding, context.front().request_id.as_ref(), state)
            .map_err(|_| CallError::RefusedState)
    }

    fn seal(
        &self,
        context: &CallContext,
        parameters: &Value,
        before: Option<&OpenedState>,
        mut input: InputRequired,
    ) -> Result<InputRequired, CallError> {
        if before.is_none() && input.state.is_none() {
            return Ok(input);
        }
        let binding = self.binding(context, parameters);
        let request_id = context.front().request_id.as_ref();
        let sealed = self
            .protector()?
            .seal(&binding, before, request_id, input.state.take(), false)
            .map_err(seal_error)?;
        input.state = Some(sealed);
        Ok(input)
    }
}
