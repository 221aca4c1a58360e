//! Keeping the list of tools true: applications come, go and change while it runs.

use std::sync::{Arc, Weak};
use std::time::Duration;

use toolmesh_tool::{Entries, MountError, Tool};

use super::{Shared, events, fixed, guide, lock, naming};
use crate::execute::{ExecuteError, Executor};
use crate::model::Application;
use crate::node::NodeError;
use crate::tool::tools;

/// How often the node is asked what is installed.
const POLL: Duration = Duration::from_secs(30);

/// Why the list could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum RefreshError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Mount(#[from] MountError),
}

impl Shared {
    /// Reads what is installed and, when it changed, offers the tools of that.
    pub(super) async fn refresh(self: &Arc<Self>) -> Result<(), RefreshError> {
        let mut mark = self.refreshing.lock().await;
        let read = self.read_applications().await?;
        if mark.as_deref() == Some(read.mark.as_str()) {
            return Ok(());
        }
        let applications = Arc::new(read.applications);
        *lock(&self.apps) = Arc::clone(&applications);
        self.offer(&applications)?;
        *mark = Some(read.mark);
        Ok(())
    }

    /// Offers the tools about the node and those of these applications.
    pub(super) fn offer(self: &Arc<Self>, applications: &[Application]) -> Result<(), MountError> {
        let Some(mount) = self.mount.get() else {
            return Ok(());
        };
        let mut offered = fixed::tools(self);
        offered.extend(self.generated(applications));
        mount.replace(Entries {
            tools: offered,
            resources: guide::resources(self, applications),
            templates: guide::template(self)
                .into_iter()
                .chain(events::templates(self))
                .collect(),
            ..Entries::default()
        })
    }

    /// The tools of the methods, in the order of package, id and service.
    fn generated(self: &Arc<Self>, applications: &[Application]) -> Vec<Tool> {
        let executor: Arc<dyn Executor> = Arc::clone(self) as Arc<dyn Executor>;
        let mut made = Vec::new();
        for mapped in tools(applications, &fixed::NAMES, &self.mapping, Some(&executor)) {
            match mapped.tool {
                Ok(tool) => made.push(tool),
                Err(reason) => {
                    tracing::debug!(source = %self.name, method = mapped.name, reason, "a method has no tool");
                }
            }
        }
        made
    }

    /// The applications, read anew when the named one is not among them.
    pub(super) async fn apps_with(
        self: &Arc<Self>,
        wanted: &str,
    ) -> Result<Arc<Vec<Application>>, ExecuteError> {
        let apps = self.apps();
        if naming::find(&apps, wanted).is_ok() {
            return Ok(apps);
        }
        self.refreshed().await?;
        Ok(self.apps())
    }

    /// Reads what is installed, for an agent that waits for it.
    pub(super) async fn refreshed(self: &Arc<Self>) -> Result<(), ExecuteError> {
        match self.refresh().await {
            Ok(()) => Ok(()),
            Err(RefreshError::Node(error)) => Err(error.into()),
            Err(RefreshError::Mount(error)) => {
                tracing::error!(source = %self.name, %error, "the tools of the applications cannot be offered");
                Ok(())
            }
        }
    }
}

/// Asks the node again and again, as long as somebody holds the source.
pub(super) async fn poll(shared: Weak<Shared>) {
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        if let Err(error) = shared.refresh().await {
            tracing::debug!(source = %shared.name, %error, "the installed applications cannot be read now");
        }
    }
}
