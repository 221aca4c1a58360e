//! Runs a handler so that its panic, its slowness, and its caller's departure end that call and nothing else.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, time::Instant};

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::CallError;

/// Runs `work` until it ends, `deadline` passes, or `cancellation` fires; what it was doing is then dropped, and the
/// token tells whatever it had started elsewhere.
pub(super) async fn guard<T>(
    work: impl Future<Output = T>,
    deadline: Instant,
    cancellation: &CancellationToken,
) -> Result<T, CallError> {
    let work = AssertUnwindSafe(work).catch_unwind();
    let ended = tokio::select! {
        biased;
        ended = work => ended,
        () = cancellation.cancelled() => return Err(CallError::Cancelled),
        () = tokio::time::sleep_until(deadline.into()) => {
            cancellation.cancel();
            return Err(CallError::DeadlineExceeded { running: true });
        }
    };
    ended.map_err(|panic| {
        let reason = panic_text(panic.as_ref());
        tracing::error!(reason, "a handler panicked");
        CallError::Internal(format!("the handler panicked: {reason}"))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}
