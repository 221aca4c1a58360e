//! What the requests that may ask for input have in common: what a client brings back from the round before, and how
//! the next question goes out.

use toolmesh_json::{Value, View};
use toolmesh_tool::{InputRequired, state::MAX_ROUNDS};

use crate::{
    revision::Failure,
    server::{exchange::Exchange, fault::Fault},
    wire::{Cache, ResultType, write_input_required},
};

/// Most bytes of the state that a call which asks for input hands to the client.
const MAX_STATE_BYTES: usize = 65_536;

/// What was brought back from the round before.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// How many rounds were asked within this very request.
    pub(super) rounds: u32,
    pub(super) responses: Option<Value>,
    pub(super) state: Option<String>,
}

/// What comes after a round that asked.
pub(super) enum Next {
    /// Another round, with what the client answered in-line.
    Again(Brought),
    /// The question, as the answer to this request.
    Answer(Vec<u8>),
}

impl Exchange {
    /// What the client brought back, where the revision has that.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`] when it is of the wrong kind or too long.
    pub(super) fn brought(&self) -> Result<Brought, Failure> {
        if self.asks_in_line() {
            return Ok(Brought::default());
        }
        let state = match self.request.param("requestState") {
            None => None,
            Some(state) => {
                let state = state.as_str().filter(|state| state.len() <= MAX_STATE_BYTES);
                Some(state.ok_or(Failure::InvalidParams)?.to_owned())
            }
        };
        Ok(Brought {
            rounds: 0,
            responses: self.object_param("inputResponses")?,
            state,
        })
    }

    /// Member `name` of the params, an object when it is there.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`].
    pub(super) fn object_param(&self, name: &str) -> Result<Option<Value>, Failure> {
        match self.request.param(name) {
            None => Ok(None),
            Some(value) if value.as_object().is_some() => Ok(Some(View::to_value(value))),
            Some(_) => Err(Failure::InvalidParams),
        }
    }

    /// What a handler may know of this round of the request. Each round has an id of its own, so that a state is never
    /// taken back by the round that gave it.
    pub(super) fn front_of(&self, brought: &Brought) -> toolmesh_tool::FrontInfo {
        let mut front = self.front();
        if brought.rounds > 0 {
            let id = self.request.id.to_value().to_text();
            front.request_id = Some(format!("{id}, round {}", brought.rounds).into());
        }
        front
    }

    /// Asks the client: in-line, after which another round begins, or by a result.
    ///
    /// # Errors
    /// What the asking fails with; [`Failure::UnusableOutput`] after too many rounds.
    pub(super) async fn next_round(&self, rounds: u32, input: InputRequired) -> Result<Next, Fault> {
        if !self.asks_in_line() {
            return self.input_required(&input).map(Next::Answer);
        }
        if rounds >= MAX_ROUNDS {
            return Err(Failure::UnusableOutput.into());
        }
        // A call that gets no answer is not made again: what waits for one somewhere else is told.
        let answers = self
            .ask(&input)
            .await
            .inspect_err(|_| self.cancellation.cancel())?;
        Ok(Next::Again(Brought {
            rounds: rounds + 1,
            responses: Some(answers),
            state: input.state,
        }))
    }

    /// The question as a result.
    ///
    /// # Errors
    /// The capabilities that the client lacks for it; [`Failure::UnusableOutput`] when it cannot be sent.
    pub(super) fn input_required(&self, input: &InputRequired) -> Result<Vec<u8>, Fault> {
        let needed: Vec<_> = input
            .requests
            .values()
            .map(|request| request.capability())
            .collect();
        let missing = self.facts.capabilities.missing(&needed);
        if !missing.is_empty() {
            return Err(Fault::missing_capability(&missing));
        }
        let state = input.state.as_ref();
        let too_long = state.is_some_and(|state| state.len() > MAX_STATE_BYTES);
        if too_long || (input.requests.is_empty() && state.is_none()) {
            return Err(Failure::UnusableOutput.into());
        }
        self.result((ResultType::InputRequired, Cache::None), None, |object| {
            write_input_required(object, input, &self.revision.projection);
            Ok(())
        })
    }
}
