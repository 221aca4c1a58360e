//! `[tasks]`: where work is kept that outlives its call.

use std::path::Path;

#[cfg(feature = "store")]
use toolmesh_store::{StoreLocation, StoreSettings};
use toolmesh_tool::TaskSettings;

use super::{
    key::{Key, Section},
    limits::{at_least_one, time},
    setting::{Expected, Setting},
};

/// Where tasks are kept, and how they are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TasksConfig {
    /// Where tasks are kept.
    #[cfg(feature = "store")]
    pub store: StoreLocation,
    /// How much a store keeps.
    #[cfg(feature = "store")]
    pub store_settings: StoreSettings,
    /// The name of the endpoint that tasks and state belong to; `None` for the library's own.
    pub endpoint: Option<String>,
    /// How tasks are run.
    pub settings: TaskSettings,
}

impl Default for TasksConfig {
    fn default() -> Self {
        Self {
            #[cfg(feature = "store")]
            store: StoreLocation::Memory,
            #[cfg(feature = "store")]
            store_settings: StoreSettings::default(),
            endpoint: None,
            settings: TaskSettings::default(),
        }
    }
}

impl TasksConfig {
    /// The same, with a path that is seen from `folder`.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        #[cfg(feature = "store")]
        if let StoreLocation::Sqlite(file) = &self.store {
            self.store = StoreLocation::Sqlite(folder.join(file));
        }
        #[cfg(not(feature = "store"))]
        let _ = folder;
    }
}

impl Section for TasksConfig {
    const PLACE: &'static str = "in [tasks]";
    const VARIABLE: &'static str = "TOOLMESH_TASKS_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "store",
            about: "where tasks are kept: memory (default), sqlite:FILE, or postgres://...",
            set: store,
        },
        Key {
            name: "endpoint",
            about: "the endpoint's name: servers that share a store and keys have the same (default toolmesh)",
            set: |tasks, value| {
                tasks.endpoint = Some(endpoint(value)?);
                Ok(())
            },
        },
        Key {
            name: "running",
            about: "tasks that this server runs at once (default 32)",
            set: |tasks, value| {
                tasks.settings.running = at_least_one(value)?;
                Ok(())
            },
        },
        Key {
            name: "lease",
            about: "how soon another server takes over when one dies (default 10s)",
            set: |tasks, value| {
                tasks.settings.lease = time(value)?;
                Ok(())
            },
        },
        Key {
            name: "time_to_live",
            about: "how long a task is kept after its creation (default 1h)",
            set: |tasks, value| {
                tasks.settings.time_to_live = Some(time(value)?);
                Ok(())
            },
        },
        Key {
            name: "poll_interval",
            about: "how long clients are told to wait between two questions after a task (default 1s)",
            set: |tasks, value| {
                tasks.settings.poll_interval = time(value)?;
                Ok(())
            },
        },
        Key {
            name: "cancel_grace",
            about: "how long a handler may go on after it was told to stop (default 10s)",
            set: |tasks, value| {
                tasks.settings.cancel_grace = time(value)?;
                Ok(())
            },
        },
        Key {
            name: "live_tasks",
            about: "most tasks in a database that are not over (default 10000)",
            set: live_tasks,
        },
    ];
}

#[cfg(feature = "store")]
fn store(tasks: &mut TasksConfig, value: &Setting<'_>) -> Result<(), Expected> {
    let expected = "`memory`, `sqlite:FILE` or `postgres://...`";
    let text = value.text().map_err(|_| expected.to_owned())?;
    tasks.store = StoreLocation::parse(&text).map_err(|_| expected.to_owned())?;
    Ok(())
}

#[cfg(not(feature = "store"))]
fn store(_: &mut TasksConfig, value: &Setting<'_>) -> Result<(), Expected> {
    match value.text().as_deref() {
        Ok("memory") => Ok(()),
        _ => Err("`memory`: this build has no other store".to_owned()),
    }
}

#[cfg(feature = "store")]
fn live_tasks(tasks: &mut TasksConfig, value: &Setting<'_>) -> Result<(), Expected> {
    tasks.store_settings.live_tasks = u32::try_from(at_least_one(value)?).unwrap_or(u32::MAX);
    Ok(())
}

#[cfg(not(feature = "store"))]
fn live_tasks(_: &mut TasksConfig, value: &Setting<'_>) -> Result<(), Expected> {
    at_least_one(value).map(|_| ())
}

fn endpoint(value: &Setting<'_>) -> Result<String, Expected> {
    match value.text() {
        Ok(text) if !text.is_empty() => Ok(text),
        _ => Err("a text that is not empty".to_owned()),
    }
}
