//! Telling JavaScript how something ended.

use std::future::Future;

use napi::{Status, bindgen_prelude::FnArgs, threadsafe_function::ThreadsafeFunction};
use napi_derive::napi;
use tokio::task::AbortHandle;
use toolmesh_embed::{Fault, json::Value, runtime};

use crate::program::Held;

/// `(fault, value)`: one of both, as JSON texts; the fault is `{"kind", "message", "status"}`. Both `null` is success without
/// a value.
pub(crate) type Ended = FnArgs<(Option<String>, Option<String>)>;

/// A callback that is told the end, on the thread of its program, which does not end before: somebody waits for this.
pub(crate) type Told = Telling<false>;

/// The same for what a program does not wait for: its serving of others, and a watch in the background. When nothing else is
/// left to do it ends, and the callback is not called.
pub(crate) type ToldIfRunning = Telling<true>;

type Telling<const LETS_END: bool> = Held<ThreadsafeFunction<Ended, (), Ended, Status, false, LETS_END>>;

/// Something that runs.
#[napi]
pub struct Pending(AbortHandle);

#[napi]
impl Pending {
    /// Gives it up: the callback is not called any more, unless it is being called already.
    #[napi]
    pub fn cancel(&self) {
        self.0.abort();
    }
}

/// Begins something, and tells its end.
pub(crate) fn start<const LETS_END: bool>(
    what: impl Future<Output = Result<Option<String>, Fault>> + Send + 'static,
    told: Telling<LETS_END>,
) -> napi::Result<Pending> {
    let runtime = runtime().map_err(|fault| thrown(&fault))?;
    let task = runtime.spawn(async move {
        let ended = match what.await {
            Ok(value) => (None, value),
            Err(fault) => (Some(text_of(&fault)), None),
        };
        told.call(ended.into());
    });
    Ok(Pending(task.abort_handle()))
}

/// A fault as an exception, whose message is the JSON text that `lib/` turns into a typed error.
pub(crate) fn thrown(fault: &Fault) -> napi::Error {
    napi::Error::new(Status::GenericFailure, text_of(fault))
}

fn text_of(fault: &Fault) -> String {
    Value::object()
        .put("kind", fault.kind.as_str())
        .put("message", fault.message.as_str())
        .put_opt("status", fault.status.map(u32::from))
        .build()
        .to_text()
}
