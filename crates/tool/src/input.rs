//! Asking the client for more while a call is under way.

use indexmap::IndexMap;
use toolmesh_json::Value;

use crate::ClientCapability;

/// One thing that the client is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// Its user fills in a form.
    Elicitation {
        /// What the user is told.
        message: String,
        /// The form: a flat object schema (MCP `requestedSchema`).
        schema: Value,
    },
    /// Its model completes a prompt; the object is MCP's `sampling/createMessage` params.
    Sampling(Value),
    /// It lists its roots.
    Roots,
}

impl InputRequest {
    /// The client ability that this request needs.
    #[must_use]
    pub fn capability(&self) -> ClientCapability {
        match self {
            Self::Elicitation { .. } => ClientCapability::ElicitationForm,
            Self::Sampling(_) => ClientCapability::Sampling,
            Self::Roots => ClientCapability::Roots,
        }
    }
}

/// A call that goes on when the client answers: it is made again with the answers and the state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputRequired {
    /// What is asked, by key; the answers come back under the same keys.
    pub requests: IndexMap<String, InputRequest>,
    /// What the client hands back untouched; opaque to it.
    pub state: Option<String>,
}

impl InputRequired {
    /// Asks for one thing under `key`.
    pub fn one(key: impl Into<String>, request: InputRequest) -> Self {
        Self {
            requests: IndexMap::from([(key.into(), request)]),
            state: None,
        }
    }

    /// Adds the state that comes back with the answers.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }
}
