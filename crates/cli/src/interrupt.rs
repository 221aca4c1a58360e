//! Being told to stop: Ctrl-C, and the signal by which process managers ask.

use std::io;

use toolmesh::tool::CancellationToken;

use crate::failure::Failure;

/// Listens from now on, not only once somebody waits: a signal that comes right after is not missed. The token is
/// cancelled when the process is told to stop. Must be called within the runtime.
pub(crate) fn listen() -> Result<CancellationToken, Failure> {
    let told = told().map_err(|reason| Failure::System {
        what: "the signals to stop cannot be listened for",
        reason,
    })?;
    let token = CancellationToken::new();
    let stop = token.clone();
    tokio::spawn(async move {
        told.await;
        stop.cancel();
    });
    Ok(token)
}

#[cfg(unix)]
fn told() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn told() -> io::Result<impl Future<Output = ()> + Send> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
