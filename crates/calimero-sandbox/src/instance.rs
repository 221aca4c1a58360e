//! An application in one context that its owner calls by hand.

use crate::engine::{CallError, Guest, GuestCall, LoadError, Ran};
use crate::limits::Limits;
use crate::random::random;
use crate::space::State;
use crate::verdict::Verdict;

/// An application in one context, for programs that have contexts of their own, such as a node for tests. A clone is
/// another context with the same state. For tools there is [`LocalSource`](crate::LocalSource).
#[derive(Clone, Debug)]
pub struct Instance {
    guest: Guest,
    context: [u8; 32],
    executor: [u8; 32],
    state: State,
}

/// What came of a call.
#[derive(Debug)]
pub struct Called {
    /// What the method returned, JSON; nothing for nothing.
    pub returned: Result<Option<Vec<u8>>, CallError>,
    /// The names and payloads of the events that it emitted; none when it failed.
    pub events: Vec<(String, Vec<u8>)>,
    /// What it logged.
    pub logs: Vec<String>,
}

impl Instance {
    /// Compiles a module; its state is empty until `init` was called.
    ///
    /// # Errors
    /// [`LoadError`] when it does not run here, or there is no randomness for its ids.
    pub fn new(wasm: &[u8], limits: Limits) -> Result<Self, LoadError> {
        let ids = || random().map_err(|error| LoadError::Invalid(error.to_string()));
        Ok(Self {
            guest: Guest::load(wasm, limits)?,
            context: ids()?,
            executor: crate::engine::executor(ids()?),
            state: State::default(),
        })
    }

    /// Calls a method with arguments in JSON. It blocks until the method ends, which the bound of its operations sees to.
    pub fn call(&mut self, method: &str, input: Vec<u8>) -> Called {
        let call = GuestCall {
            context: self.context,
            executor: self.executor,
            method: method.to_owned(),
            input,
        };
        // A thread of its own, which remembers nothing of earlier calls.
        let ran = std::thread::scope(|scope| {
            let thread = scope.spawn(|| self.guest.run(&call, &self.state, &Verdict::default()));
            thread.join()
        });
        let ran = ran.unwrap_or_else(|_| Ran::failed(CallError::Runtime("its thread is gone".to_owned())));
        if let Some(state) = ran.committed {
            self.state = state;
        }
        Called {
            events: if ran.returned.is_ok() {
                ran.events
            } else {
                Vec::new()
            },
            returned: ran.returned,
            logs: ran.logs,
        }
    }
}
