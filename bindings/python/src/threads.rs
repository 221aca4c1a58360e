//! What threads of the interpreter come for: calls to run handlers for, and callbacks to tell.
//!
//! No thread of the runtime ever runs Python. When a program ends, CPython ends or stops each thread that is in Python code
//! where it stands, and before 3.14 unwinds its stack, which must not have frames of Rust on it. So handlers and callbacks
//! run on threads that Python has started (`_threads.py`), which come here for work and wait outside the interpreter.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use pyo3::{prelude::*, types::PyTuple};

use crate::{call::Call, waiting::Visit};

/// How many threads wait for calls at most; one more that comes back ends.
const IDLE_MOST: usize = 32;

/// A function of Python and what it is called with.
type Told = (Py<PyAny>, Py<PyTuple>);
type Telling = Box<dyn FnOnce(Python<'_>) -> PyResult<Told> + Send>;

static CALLS: Mutex<Calls> = Mutex::new(Calls {
    begun: VecDeque::new(),
    idle: 0,
});
static CALL_CAME: Condvar = Condvar::new();

static TELLINGS: Mutex<Vec<Telling>> = Mutex::new(Vec::new());
static TELLING_CAME: Condvar = Condvar::new();

/// Calls that no thread has come for, and the threads that wait for some.
struct Calls {
    begun: VecDeque<Begun>,
    idle: usize,
}

/// A call on its way to its handler.
struct Begun {
    begin: Arc<Py<PyAny>>,
    call: Call,
    visit: Visit,
}

/// Kept by a thread as long as it runs a handler.
#[pyclass(frozen)]
pub(crate) struct Running {
    _visit: Visit,
}

/// Has `begin(call)` run.
pub(crate) fn hand_over(begin: Arc<Py<PyAny>>, call: Call) {
    let visit = Visit::begin();
    locked(&CALLS).begun.push_back(Begun { begin, call, visit });
    CALL_CAME.notify_one();
}

/// Has a callback told.
pub(crate) fn tell(telling: impl FnOnce(Python<'_>) -> PyResult<Told> + Send + 'static) {
    locked(&TELLINGS).push(Box::new(telling));
    TELLING_CAME.notify_one();
}

/// Waits for the next call: `begin`, its argument, what to keep meanwhile, and whether no other thread waits. Nothing when
/// enough threads wait already.
#[pyfunction]
pub(crate) fn next_call(py: Python<'_>) -> Option<(Py<PyAny>, Call, Running, bool)> {
    let (Begun { begin, call, visit }, alone) = py.detach(take_call)?;
    Some((begin.clone_ref(py), call, Running { _visit: visit }, alone))
}

fn take_call() -> Option<(Begun, bool)> {
    let mut calls = locked(&CALLS);
    if calls.idle >= IDLE_MOST && calls.begun.is_empty() {
        return None;
    }
    calls.idle += 1;
    loop {
        if let Some(begun) = calls.begun.pop_front() {
            calls.idle -= 1;
            return Some((begun, calls.idle == 0));
        }
        calls = CALL_CAME.wait(calls).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits for callbacks, and takes all that are there.
#[pyfunction]
pub(crate) fn next_callbacks(py: Python<'_>) -> PyResult<Vec<Told>> {
    let tellings = py.detach(take_tellings);
    tellings.into_iter().map(|telling| telling(py)).collect()
}

fn take_tellings() -> Vec<Telling> {
    let tellings = locked(&TELLINGS);
    let mut tellings = TELLING_CAME
        .wait_while(tellings, |tellings| tellings.is_empty())
        .unwrap_or_else(PoisonError::into_inner);
    mem::take(&mut *tellings)
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
