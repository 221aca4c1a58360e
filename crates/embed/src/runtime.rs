//! The threads on which everything of a process runs.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};
use toolmesh::observe::start_log;

use crate::{Fault, FaultKind};

/// The one runtime of the process: every node, call and server of every binding in it runs here, so that loading two
/// bindings, or starting many nodes, does not multiply threads. With it the log begins, on standard error: warnings, or what
/// `TOOLMESH_LOG` says.
///
/// # Errors
/// [`FaultKind::System`] when the system gives no threads; it is not tried again.
pub fn runtime() -> Result<&'static Runtime, Fault> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        start_log();
        Builder::new_multi_thread()
            .enable_all()
            .thread_name("toolmesh")
            .on_thread_start(hold_back_sigpipe)
            .build()
            .map_err(|reason| reason.to_string())
    });
    made.as_ref().map_err(|reason| {
        Fault::new(
            FaultKind::System,
            format!("the system gives no threads to run on: {reason}"),
        )
    })
}

/// Writing to who is gone fails, and no more. It also raises SIGPIPE where several buffers are written at once, as over HTTP, and that
/// ends a process whose language has not turned it off (Go and C do not). Threads that these start hold it back as well.
#[cfg(unix)]
fn hold_back_sigpipe() {
    use nix::sys::signal::{SigSet, Signal};
    // A set of one signal that there is cannot be refused.
    let _ = SigSet::from(Signal::SIGPIPE).thread_block();
}

#[cfg(not(unix))]
fn hold_back_sigpipe() {}
