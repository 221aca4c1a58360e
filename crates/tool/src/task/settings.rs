//! How tasks are run.

use std::time::Duration;

/// The name of the MCP extension that a client declares when it knows tasks (SEP-2663).
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Whether calls of a tool become tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TaskMode {
    /// Never.
    #[default]
    Never,
    /// When the handler decides so while it runs ([`crate::CallContext::create_task`]), for clients that know tasks.
    Allowed,
    /// Always: clients that do not know tasks cannot call it.
    Required,
}

/// How tasks are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSettings {
    /// Tasks that this server runs at once; further ones wait, or run on another server. 32 by default, at least 1.
    pub running: usize,
    /// How soon another worker takes over when one dies; 10 seconds by default. Claims last four fifths of it, and
    /// idle tasks are looked for ten times in it, so that both together stay within it.
    pub lease: Duration,
    /// How long a task is kept after its creation; 1 hour by default, `None` for as long as the store lives.
    pub time_to_live: Option<Duration>,
    /// How long a client should wait between two questions after a task; 1 second by default.
    pub poll_interval: Duration,
    /// How long a handler may go on after it was told to stop; 10 seconds by default.
    pub cancel_grace: Duration,
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            running: 32,
            lease: Duration::from_secs(10),
            time_to_live: Some(Duration::from_secs(3_600)),
            poll_interval: Duration::from_secs(1),
            cancel_grace: Duration::from_secs(10),
        }
    }
}

impl TaskSettings {
    /// How long one claim lasts.
    pub(super) fn claim(&self) -> Duration {
        self.lease * 4 / 5
    }

    /// How often a lease is renewed: a claim survives two renewals that fail.
    pub(super) fn renewal(&self) -> Duration {
        self.lease / 5
    }

    /// How often idle tasks are looked for.
    pub(super) fn sweep(&self) -> Duration {
        self.lease / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_workers_task_is_found_within_one_lease() {
        let settings = TaskSettings::default();
        assert_eq!(settings.lease, Duration::from_secs(10));
        assert!(settings.claim() + settings.sweep() < settings.lease);
        assert!(settings.renewal() * 3 < settings.claim());
    }
}
