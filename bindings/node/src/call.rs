//! A call in the hands of a JavaScript handler.

use std::{collections::HashMap, sync::Arc};

use napi::{Status, threadsafe_function::ThreadsafeFunction};
use napi_derive::napi;
use toolmesh_embed::HandlerFailure;

use crate::{
    program::Held,
    telling::{Pending, ToldIfRunning, start, thrown},
};

/// A call that a handler has begun.
#[napi]
pub struct Call(Arc<toolmesh_embed::Call>);

/// A watch on the end of a call.
#[napi]
pub struct CancelWatch(Option<toolmesh_embed::CancelWatch>);

impl Call {
    pub(crate) fn of(call: toolmesh_embed::Call) -> Self {
        Self(Arc::new(call))
    }
}

#[napi]
impl Call {
    /// The arguments as JSON.
    #[napi(getter)]
    pub fn arguments(&self) -> &str {
        self.0.arguments()
    }

    /// Who asks, as JSON.
    #[napi(getter)]
    pub fn caller(&self) -> String {
        self.0.caller()
    }

    /// Milliseconds left.
    #[napi(getter)]
    pub fn deadline_ms(&self) -> Option<f64> {
        // A deadline is at most an hour.
        self.0
            .deadline_ms()
            .map(|left| u32::try_from(left).unwrap_or(u32::MAX).into())
    }

    /// Headers, names in lower case.
    #[napi(getter)]
    pub fn headers(&self) -> HashMap<String, String> {
        self.0.headers().iter().cloned().collect()
    }

    /// The key by which tries of one call know each other.
    #[napi(getter)]
    pub fn idempotency_key(&self) -> &str {
        self.0.idempotency_key()
    }

    /// Whether the caller has given up.
    #[napi(getter)]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Whether anything can be sent still.
    #[napi(getter)]
    pub fn is_open(&self) -> bool {
        self.0.check_open().is_ok()
    }

    /// Calls back once when the caller gives up, unless the watch is closed before.
    #[napi]
    pub fn on_cancel(
        &self,
        told: Held<ThreadsafeFunction<(), (), (), Status, false, true>>,
    ) -> napi::Result<CancelWatch> {
        let watch = self.0.on_cancel(move || {
            told.call(());
        });
        watch
            .map(|watch| CancelWatch(Some(watch)))
            .map_err(|fault| thrown(&fault))
    }

    /// Sends an event. When the call is over it throws, which a program hears that nothing else keeps running.
    #[napi]
    pub fn event(&self, event: String, told: ToldIfRunning) -> napi::Result<Pending> {
        self.0.check_open().map_err(|fault| thrown(&fault))?;
        let call = Arc::clone(&self.0);
        start(async move { call.event(&event).await.map(|()| None) }, told)
    }

    /// Ends the call with a result.
    #[napi]
    pub fn finish(&self, result: String, told: ToldIfRunning) -> napi::Result<Pending> {
        let call = Arc::clone(&self.0);
        start(async move { call.finish(&result).await.map(|()| None) }, told)
    }

    /// Lets the call go; nothing happens when it is over.
    #[napi]
    pub fn release(&self) {
        self.0.release();
    }

    /// Ends the call with a failure.
    #[napi]
    pub fn fail(&self, code: Option<String>, message: String, told: ToldIfRunning) -> napi::Result<Pending> {
        let call = Arc::clone(&self.0);
        let failure = HandlerFailure { code, message };
        start(async move { call.fail(failure).await.map(|()| None) }, told)
    }
}

#[napi]
impl CancelWatch {
    /// Ends the watch.
    #[napi]
    pub fn close(&mut self) {
        self.0 = None;
    }
}
