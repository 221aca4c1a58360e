//! What runs beside the fronts while a server serves.

use std::net::SocketAddr;

use tokio::{sync::oneshot, task::JoinHandle};
use toolmesh_tool::TaskService;

use super::{AssembleError, Assembly};

/// What runs beside the fronts while a server serves: idle tasks are taken over, metrics and health are offered.
/// Dropping it ends both at once; [`Beside::stop`] ends them in good order.
pub struct Beside {
    tasks: TaskService,
    pages: Option<Served>,
}

struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Beside {
    /// Begins, on the current runtime.
    pub(super) async fn start(assembly: &Assembly) -> Result<Self, AssembleError> {
        let pages = pages(assembly).await?;
        Ok(Self {
            tasks: assembly.dispatcher().serve_tasks(),
            pages,
        })
    }

    /// Where metrics and health are offered, if they are.
    #[must_use]
    pub fn pages(&self) -> Option<SocketAddr> {
        self.pages.as_ref().map(|served| served.address)
    }

    /// Lets go of running tasks, so that other servers go on with them at once, and ends the pages.
    pub async fn stop(self) {
        self.tasks.shut_down().await;
        if let Some(served) = self.pages {
            // It may have ended by itself, and was told of then.
            let _ = served.stop.send(());
            let _ = served.serving.await;
        }
    }
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Beside")
            .field("pages", &self.pages())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "observe")]
async fn pages(assembly: &Assembly) -> Result<Option<Served>, AssembleError> {
    use std::sync::Arc;

    use crate::observe::{Health, Pages};

    let (Some(address), Some(metrics)) = (assembly.config().observe.http, assembly.metrics()) else {
        return Ok(None);
    };
    let health = Health::new(assembly.dispatcher().clone());
    let bound = Pages::bind(address, Arc::clone(metrics), health).await?;
    let address = bound.address();
    let (stop, stopped) = oneshot::channel();
    let serving = tokio::spawn(async move {
        let until = async {
            // Also when whoever could stop it is gone.
            let _ = stopped.await;
        };
        if let Err(error) = bound.serve(until).await {
            tracing::error!(%error, "metrics and health are no longer served");
        }
    });
    Ok(Some(Served {
        address,
        stop,
        serving,
    }))
}

#[cfg(not(feature = "observe"))]
async fn pages(assembly: &Assembly) -> Result<Option<Served>, AssembleError> {
    match assembly.config().observe.http {
        None => Ok(None),
        Some(_) => Err(AssembleError::NotInThisBuild {
            what: "serving metrics and health (`http` in [observe])".to_owned(),
            instead: "build with the feature `observe`, or remove the key",
        }),
    }
}
