//! Whether the server serves, and how much.

use toolmesh_json::Value;
use toolmesh_tool::{Dispatcher, dispatcher::Load};

/// Tells how a dispatcher is.
#[derive(Debug, Clone)]
pub struct Health {
    dispatcher: Dispatcher,
}

/// How a dispatcher is, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthState {
    /// Tools in the catalogue.
    pub tools: usize,
    /// Changes of the catalogue so far.
    pub generation: u64,
    /// Calls that run and wait.
    pub load: Load,
}

impl Health {
    /// Of this dispatcher.
    #[must_use]
    pub fn new(dispatcher: Dispatcher) -> Self {
        Self { dispatcher }
    }

    /// How it is now.
    #[must_use]
    pub fn state(&self) -> HealthState {
        let catalogue = self.dispatcher.toolbox().snapshot();
        HealthState {
            tools: catalogue.listed_tools().len(),
            generation: catalogue.generation(),
            load: self.dispatcher.load(),
        }
    }
}

impl HealthState {
    /// `{"status":"ok","tools":2,"generation":3,"running":0,"queued":0}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Value::object()
            .put("status", "ok")
            .put("tools", number(self.tools))
            .put("generation", self.generation)
            .put("running", number(self.load.running))
            .put("queued", number(self.load.queued))
            .build()
    }
}
