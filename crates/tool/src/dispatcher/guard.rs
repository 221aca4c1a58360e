//! Runs a handler so that its panic, its slowness, and its caller's departure end that call and nothing else.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    task::Poll,
    time::Instant,
};

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
    let mut work = pin!(AssertUnwindSafe(work).catch_unwind());
    // Most work is done at the first asking, and then needs neither a timer nor a place among those who wait.
    let at_once = poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(ended) => Poll::Ready(Some(ended)),
        Poll::Pending => Poll::Ready(None),
    });
    let ended = match at_once.await {
        Some(ended) => ended,
        None => waited_for(work, deadline, cancellation).await?,
    };
    ended.map_err(|panic| {
        let reason = panic_text(panic.as_ref());
        tracing::error!(reason, "a handler panicked");
        CallError::Internal(format!("the handler panicked: {reason}"))
    })
}

/// Waits for `work` while there is time and nobody gives it up.
async fn waited_for<T>(
    work: impl Future<Output = T>,
    deadline: Instant,
    cancellation: &CancellationToken,
) -> Result<T, CallError> {
    tokio::select! {
        biased;
        ended = work => Ok(ended),
        () = cancellation.cancelled() => Err(CallError::Cancelled),
        () = tokio::time::sleep_until(deadline.into()) => {
            cancellation.cancel();
            Err(CallError::DeadlineExceeded { running: true })
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}
