//! The runtime: a module compiled with its bounds, and one call of it.

mod failure;
mod meter;
mod storage;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use calimero_runtime::errors::FunctionCallError;
use calimero_runtime::logic::{Outcome, VMLimits};
use calimero_runtime::{Constraint, Engine, Module};
use tracing::subscriber::{NoSubscriber, with_default};
use wasmer::LinkError;
use wasmer::sys::{CompilerConfig, Cranelift, EngineBuilder, Features};

pub use failure::{CallError, LoadError};

use crate::limits::Limits;
use crate::space::State;
use crate::verdict::Verdict;
use meter::Meter;
use storage::{Bounds, Shelf};

/// A method that no module has: calling it only puts a module together.
const NO_METHOD: &str = "__toolmesh_no_such_method";

/// A module, compiled and known to fit the runtime.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    module: Module,
    limits: Limits,
}

/// One call of a method.
#[derive(Clone, Debug)]
pub(crate) struct GuestCall {
    pub(crate) context: [u8; 32],
    pub(crate) executor: [u8; 32],
    pub(crate) method: String,
    /// The arguments, JSON.
    pub(crate) input: Vec<u8>,
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Ran {
    /// What the method returned, JSON; nothing for nothing.
    pub(crate) returned: Result<Option<Vec<u8>>, CallError>,
    /// The state, when the application committed a change.
    pub(crate) committed: Option<State>,
    /// The names and payloads of what it emitted.
    pub(crate) events: Vec<(String, Vec<u8>)>,
    pub(crate) logs: Vec<String>,
    /// The methods that it wanted called in other contexts.
    pub(crate) cross_calls: Vec<String>,
}

impl Guest {
    /// Compiles a module and puts it together once, so that one which does not fit is refused before it is offered.
    /// This takes as long as compiling takes: call it where blocking is allowed.
    ///
    /// # Errors
    /// [`LoadError`] when the module is too large, damaged, without bounds, or wants functions that this runtime does
    /// not have.
    pub(crate) fn load(wasm: &[u8], limits: Limits) -> Result<Self, LoadError> {
        if wasm.len() > limits.module_bytes {
            return Err(LoadError::TooLarge {
                bytes: wasm.len(),
                max: limits.module_bytes,
            });
        }
        let compile = || engine(limits).compile(wasm).map_err(failure::not_compiled);
        let module = quietly(compile).map_err(LoadError::Invalid)??;
        let guest = Self { module, limits };
        guest.fits()?;
        Ok(guest)
    }

    /// Whether the module can be put together.
    fn fits(&self) -> Result<(), LoadError> {
        let call = GuestCall {
            context: [0; 32],
            executor: [0; 32],
            method: NO_METHOD.to_owned(),
            input: Vec::new(),
        };
        let verdict = Verdict::default();
        let state = State::default();
        let bounds = Bounds::new(&state, self.limits.state_bytes, &verdict);
        let outcome = self.outcome(&call, &mut state.clone(), &bounds);
        match outcome.map_err(LoadError::Invalid)?.returns {
            Ok(_) | Err(FunctionCallError::MethodResolutionError(_)) => Ok(()),
            Err(FunctionCallError::LinkError {
                source: LinkError::Import(module, name, reason),
            }) => Err(failure::not_linked(&module, &name, &reason)),
            // What a module does while it is put together fails as a call does.
            returns => match failure::returned(returns, bounds.halt(), &self.limits) {
                Ok(_) => Ok(()),
                Err(error) => Err(LoadError::Invalid(error.to_string())),
            },
        }
    }

    /// Runs a method on a copy of `state`; a call that was given up ends at its next look into the state. It blocks
    /// until the method ends: call it on a thread of its own, which remembers nothing of earlier calls.
    pub(crate) fn run(&self, call: &GuestCall, state: &State, verdict: &Verdict) -> Ran {
        let mut draft = state.clone();
        let bounds = Bounds::new(state, self.limits.state_bytes, verdict);
        let outcome = match self.outcome(call, &mut draft, &bounds) {
            Ok(outcome) => outcome,
            Err(message) => return Ran::failed(CallError::Runtime(message)),
        };
        let returned = failure::returned(outcome.returns, bounds.halt(), &self.limits);
        let commits = returned.is_ok() && outcome.root_hash.is_some();
        // A change without a record of it could not reach the other members of a context, so a node refuses it.
        let is_recorded = !outcome.artifact.is_empty();
        Ran {
            returned: match commits && !is_recorded {
                true => Err(CallError::NothingRecorded),
                false => returned,
            },
            committed: (commits && is_recorded).then_some(draft),
            events: outcome
                .events
                .into_iter()
                .map(|event| (event.kind, event.data))
                .collect(),
            logs: outcome.logs,
            cross_calls: outcome.xcalls.into_iter().map(|call| call.function).collect(),
        }
    }

    /// What the runtime says of a call; its own words when it failed itself.
    fn outcome(&self, call: &GuestCall, draft: &mut State, bounds: &Bounds<'_>) -> Result<Outcome, String> {
        let mut public = Shelf {
            space: &mut draft.public,
            index: Some(&mut draft.index),
            bounds,
        };
        let mut private = Shelf {
            space: &mut draft.private,
            index: None,
            bounds,
        };
        let run = || {
            self.module.run(
                call.context.into(),
                call.executor.into(),
                &call.method,
                &call.input,
                &mut public,
                Some(&mut private),
                None,
            )
        };
        quietly(run)?.map_err(|error| error.to_string())
    }
}

impl Ran {
    pub(crate) fn failed(error: CallError) -> Self {
        Self {
            returned: Err(error),
            committed: None,
            events: Vec::new(),
            logs: Vec::new(),
            cross_calls: Vec::new(),
        }
    }
}

/// The key by which an application knows who calls: of a fresh pair, whose private half nobody has.
pub(crate) fn executor(secret: [u8; 32]) -> [u8; 32] {
    *calimero_primitives::identity::PrivateKey::from(secret).public_key()
}

/// An engine whose modules count their operations.
fn engine(limits: Limits) -> Engine {
    let mut compiler = Cranelift::default();
    compiler.push_middleware(Arc::new(Meter::new(limits)));
    let mut features = Features::new();
    features.threads(false);
    let engine = EngineBuilder::new(compiler).set_features(Some(features)).engine();
    Engine::new(engine.into(), runtime_limits(limits))
}

/// The bounds that the runtime itself holds to.
fn runtime_limits(limits: Limits) -> VMLimits {
    let bytes = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let mut runtime = VMLimits {
        max_module_size: bytes(limits.module_bytes),
        max_memory_pages: limits.memory_pages,
        max_registers_capacity: MAX_REGISTERS_BYTES,
        ..VMLimits::default()
    };
    if let Ok(size) = MAX_REGISTER_BYTES.validate() {
        runtime.max_register_size = size;
    }
    runtime
}

/// The most bytes in one register of the runtime, through which all bytes go in and out of an application: as much as
/// its memory takes.
const MAX_REGISTER_BYTES: u64 = 64 << 20;

/// The most bytes in all registers of a call.
const MAX_REGISTERS_BYTES: u64 = 256 << 20;

/// Runs something of the runtime. It panics where it is surprised; that is its failure, not this process's. It also
/// logs what it is given, arguments among it, which nobody asked for.
fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let caught = catch_unwind(AssertUnwindSafe(|| with_default(NoSubscriber::default(), run)));
    caught.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "the runtime failed without a word".to_owned())
    })
}
