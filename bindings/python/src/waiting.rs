//! Waiting: with the interpreter free for others, until Ctrl-C; or not at all, with a callback.

use std::{
    future::Future,
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use pyo3::prelude::*;
use tokio::task::AbortHandle;
use toolmesh_embed::{Fault, runtime};

use crate::fault::{no_runtime, raised};

/// How often a wait looks whether the program was interrupted: Ctrl-C is felt as immediate.
const LOOK_FOR_SIGNALS: Duration = Duration::from_millis(50);

/// The threads that are in the interpreter by way of this package, or on their way into it.
static WITHIN: Within = Within {
    threads: Mutex::new(0),
    left: Condvar::new(),
};

struct Within {
    threads: Mutex<usize>,
    left: Condvar,
}

/// A thread that is within; dropping it tells that it has left.
struct Visit;

impl Visit {
    fn begin() -> Self {
        *WITHIN.threads.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        *WITHIN.threads.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        WITHIN.left.notify_all();
    }
}

/// Waits until no thread is in the interpreter by way of this package, at most so long. A thread that comes back into an
/// interpreter that has ended takes the whole process down.
#[pyfunction]
pub(crate) fn settle(py: Python<'_>, milliseconds: u64) {
    py.detach(|| {
        let threads = WITHIN.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let most = Duration::from_millis(milliseconds);
        // What has not ended by then is left alone.
        drop(
            WITHIN
                .left
                .wait_timeout_while(threads, most, |threads| *threads > 0),
        );
    });
}

/// Waits without holding the interpreter. Ctrl-C ends the wait, which drops, and so cancels, what was waited for.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    what: impl Future<Output = Result<T, Fault>> + Send,
) -> PyResult<T> {
    let runtime = runtime().map_err(|fault| no_runtime(&fault))?;
    let _visit = Visit::begin();
    let mut what = Box::pin(what);
    loop {
        let done =
            py.detach(|| runtime.block_on(async { tokio::time::timeout(LOOK_FOR_SIGNALS, &mut what).await }));
        match done {
            Ok(done) => return done.map_err(raised),
            Err(_) => py.check_signals()?,
        }
    }
}

/// Something that runs, and tells a callback how it ended.
#[pyclass(frozen)]
pub(crate) struct Pending(AbortHandle);

#[pymethods]
impl Pending {
    /// Gives it up: the callback is not called any more, unless it is being called already.
    fn cancel(&self) {
        self.0.abort();
    }
}

/// Begins something, and calls `done(value, error)` with one of the two at its end, on a thread of the runtime.
pub(crate) fn start<T>(
    what: impl Future<Output = Result<T, Fault>> + Send + 'static,
    done: Py<PyAny>,
) -> PyResult<Pending>
where
    T: for<'py> IntoPyObject<'py> + Send + 'static,
{
    let runtime = runtime().map_err(|fault| no_runtime(&fault))?;
    let task = runtime.spawn(async move {
        let ended = what.await;
        attached(move |py| match ended {
            Ok(value) => done.call1(py, (value, py.None())),
            Err(fault) => done.call1(py, (py.None(), raised(fault))),
        });
    });
    Ok(Pending(task.abort_handle()))
}

/// Runs Python on a thread that may wait for the interpreter; not at all when the interpreter has ended.
pub(crate) fn attached(work: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static) {
    let Ok(runtime) = runtime() else { return };
    let visit = Visit::begin();
    runtime.spawn_blocking(move || {
        let _visit = visit;
        Python::try_attach(|py| {
            if let Err(error) = work(py) {
                error.write_unraisable(py, None);
            }
        });
    });
}
