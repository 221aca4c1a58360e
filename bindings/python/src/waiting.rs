//! Waiting: with the interpreter free for others, until Ctrl-C; or not at all, with a callback.

use std::{
    future::Future,
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use pyo3::prelude::*;
use tokio::task::AbortHandle;
use toolmesh_embed::Fault;

use crate::{
    fault::raised,
    process::{is_forked, running},
    threads::tell,
};

/// How often a wait looks whether the program was interrupted: Ctrl-C is felt as immediate.
const LOOK_FOR_SIGNALS: Duration = Duration::from_millis(50);

/// Handlers that run or are about to, and waits of Python threads.
static WITHIN: Within = Within {
    visits: Mutex::new(0),
    left: Condvar::new(),
};

struct Within {
    visits: Mutex<usize>,
    left: Condvar,
}

/// One of them; dropping it tells that it is over.
pub(crate) struct Visit(());

impl Visit {
    pub(crate) fn begin() -> Self {
        *WITHIN.visits.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        *WITHIN.visits.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        WITHIN.left.notify_all();
    }
}

/// Waits until no handler runs and nothing is waited for, at most so long: a program that ends gives them the time to end
/// in their own way. What goes on after that is stopped where it stands.
#[pyfunction]
pub(crate) fn settle(py: Python<'_>, milliseconds: u64) {
    if is_forked() {
        return; // What is counted runs in the process before the fork.
    }
    py.detach(|| {
        let visits = WITHIN.visits.lock().unwrap_or_else(PoisonError::into_inner);
        let most = Duration::from_millis(milliseconds);
        drop(WITHIN.left.wait_timeout_while(visits, most, |visits| *visits > 0));
    });
}

/// Waits without holding the interpreter. Ctrl-C ends the wait, which drops, and so cancels, what was waited for.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    what: impl Future<Output = Result<T, Fault>> + Send,
) -> PyResult<T> {
    let runtime = running()?;
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
    /// Gives it up: the callback is not called any more, unless its turn has come already.
    fn cancel(&self) {
        self.0.abort();
    }
}

/// Begins something, and has `done(value, error)` called with one of the two at its end.
pub(crate) fn start<T>(
    what: impl Future<Output = Result<T, Fault>> + Send + 'static,
    done: Py<PyAny>,
) -> PyResult<Pending>
where
    T: for<'py> IntoPyObject<'py> + Send + 'static,
{
    let task = running()?.spawn(async move {
        let ended = what.await;
        tell(move |py| {
            let told = match ended {
                Ok(value) => (value, py.None()).into_pyobject(py)?,
                Err(fault) => (py.None(), raised(fault)).into_pyobject(py)?,
            };
            Ok((done, told.unbind()))
        });
    });
    Ok(Pending(task.abort_handle()))
}
