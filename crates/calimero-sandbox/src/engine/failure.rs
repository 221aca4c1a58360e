//! Why a module is not offered, and why a call failed.

use std::time::Duration;

use calimero_runtime::errors::{FunctionCallError, HostError, MethodResolutionError, WasmTrap};
use toolmesh_calimero::guest_message;
use wasmer_types::CompileError;

use super::meter::reason_of;
use super::storage::Halt;
use crate::limits::{Limits, MAX_ERROR_BYTES};

/// Why a module is not offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It is too large.
    #[error("the module has {bytes} bytes; at most {max} are compiled")]
    TooLarge {
        /// How large it is.
        bytes: usize,
        /// How large it may be.
        max: usize,
    },
    /// It wants something of the runtime that this one does not have.
    #[error(
        "the application imports `{name}`, which this runtime ({version}) does not have: it is built for a newer node, or \
         for a much older one. Serve it from such a node (`calimero:URL`), or build it with the SDK of this runtime",
        version = crate::RUNTIME_VERSION
    )]
    MissingImport {
        /// The module and the name of the import, `env.name`.
        name: String,
    },
    /// It wants something of the runtime in another form.
    #[error(
        "the application imports `{name}` in another form than this runtime ({version}) has: it is built for another \
         node. Serve it from such a node (`calimero:URL`)",
        version = crate::RUNTIME_VERSION
    )]
    OtherImport {
        /// The module and the name of the import.
        name: String,
    },
    /// It is damaged, or exceeds a bound.
    #[error("the module cannot be run: {0}")]
    Invalid(String),
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The module has no such method.
    #[error("the application's module has no method \"{0}\"")]
    MethodNotFound(String),
    /// The application said no: the bytes of its error, JSON.
    #[error("{}", in_words(.0))]
    Application(Vec<u8>),
    /// The application broke off.
    #[error("{0}")]
    Trap(String),
    /// It used up its operations.
    #[error(
        "the call was ended after {0} operations, the most that one may take; nothing was changed. It may loop without \
         end, or do too much at once"
    )]
    Operations(u64),
    /// It would store too much.
    #[error("the call was ended: the state would be larger than {0} bytes; nothing was changed")]
    StateFull(usize),
    /// It took too long.
    #[error("the call was ended because it took longer than {0:?}; nothing was changed")]
    Overdue(Duration),
    /// It returned too much.
    #[error("the method returned {bytes} bytes; at most {max} are taken. Nothing was changed")]
    OutputTooLarge {
        /// How much.
        bytes: usize,
        /// How much is taken.
        max: usize,
    },
    /// It said no at too great a length.
    #[error(
        "the application failed with {bytes} bytes of words; at most {MAX_ERROR_BYTES} are told. Nothing was changed"
    )]
    ErrorTooLarge {
        /// How many.
        bytes: usize,
    },
    /// It changed the state without saying what changed.
    #[error(
        "the application changed its state without a record of the change, which a node refuses; nothing was changed"
    )]
    NothingRecorded,
    /// The runtime failed.
    #[error("the runtime failed: {0}")]
    Runtime(String),
}

/// What an application said: told as a node tells it, so that one function understands both.
fn in_words(json: &[u8]) -> String {
    guest_message(&format!("{json:?}")).unwrap_or_else(|| "the application failed without a word".to_owned())
}

/// Why a module was not compiled.
pub(super) fn not_compiled(error: FunctionCallError) -> LoadError {
    match error {
        FunctionCallError::CompilationError { source } => LoadError::Invalid(match source {
            CompileError::MiddlewareError(refusal) => reason_of(&refusal).to_owned(),
            other => other.to_string(),
        }),
        other => LoadError::Invalid(other.to_string()),
    }
}

/// Why a module could not be put together.
pub(super) fn not_linked(module: &str, name: &str, reason: &wasmer_types::ImportError) -> LoadError {
    let name = format!("{module}.{name}");
    match reason {
        wasmer_types::ImportError::UnknownImport(_) => LoadError::MissingImport { name },
        _ => LoadError::OtherImport { name },
    }
}

/// What a call returned, in our words.
pub(super) fn returned(
    returns: Result<Option<Vec<u8>>, FunctionCallError>,
    halt: Option<Halt>,
    limits: &Limits,
) -> Result<Option<Vec<u8>>, CallError> {
    match halt {
        Some(Halt::Full) => return Err(CallError::StateFull(limits.state_bytes)),
        Some(Halt::Overdue) => return Err(CallError::Overdue(limits.call_time)),
        None => {}
    }
    match returns {
        Ok(Some(output)) if output.len() > limits.output_bytes => Err(CallError::OutputTooLarge {
            bytes: output.len(),
            max: limits.output_bytes,
        }),
        Ok(output) => Ok(output),
        Err(error) => Err(failed(error, limits)),
    }
}

fn failed(error: FunctionCallError, limits: &Limits) -> CallError {
    let error = in_our_words(error, limits);
    let bytes = match &error {
        CallError::Application(json) => json.len(),
        CallError::Trap(text) => text.len(),
        _ => 0,
    };
    match bytes > MAX_ERROR_BYTES {
        true => CallError::ErrorTooLarge { bytes },
        false => error,
    }
}

fn in_our_words(error: FunctionCallError, limits: &Limits) -> CallError {
    match error {
        FunctionCallError::MethodResolutionError(MethodResolutionError::MethodNotFound { name }) => {
            CallError::MethodNotFound(name)
        }
        FunctionCallError::ExecutionError(json) => CallError::Application(json),
        // Only the meter raises it: see there.
        FunctionCallError::WasmTrap(WasmTrap::UnalignedAtomic) => CallError::Operations(limits.operations),
        FunctionCallError::WasmTrap(trap) => CallError::Trap(format!("the application broke off: {trap}")),
        FunctionCallError::HostError(error @ HostError::Panic { .. }) => CallError::Trap(error.to_string()),
        other => CallError::Trap(format!("the application broke off: {other}")),
    }
}
