//! Tasks in this process.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use futures_util::future::{BoxFuture, ready};

use super::{NewTask, Stored, Task, TaskId, TaskStore, TaskStoreError};

/// Most tasks in a [`MemoryTaskStore`]; a full store refuses a new one rather than forget a live one.
pub const MAX_MEMORY_TASKS: usize = 1_024;

/// Keeps at most [`MAX_MEMORY_TASKS`] tasks in this process.
#[derive(Debug, Default)]
pub struct MemoryTaskStore {
    tasks: Mutex<HashMap<TaskId, Task>>,
}

impl MemoryTaskStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<TaskId, Task>, SystemTime) -> T) -> T {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut tasks, SystemTime::now())
    }
}

impl TaskStore for MemoryTaskStore {
    fn create<'a>(&'a self, task: NewTask) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        let created = self.with(|tasks, now| {
            if tasks.len() >= MAX_MEMORY_TASKS {
                tasks.retain(|_, task| !task.is_expired(now));
            }
            if tasks.contains_key(&task.id) {
                return Err(TaskStoreError::Exists);
            }
            if tasks.len() >= MAX_MEMORY_TASKS {
                return Err(TaskStoreError::Full);
            }
            let task = Task::new(task, now);
            tasks.insert(task.id.clone(), task.clone());
            Ok(task)
        });
        Box::pin(ready(created))
    }

    fn load<'a>(&'a self, id: &'a TaskId) -> BoxFuture<'a, Result<Stored, TaskStoreError>> {
        let found = self.with(|tasks, now| {
            let found = tasks.get(id).filter(|task| !task.is_expired(now)).cloned();
            let task = found.ok_or(TaskStoreError::Unknown)?;
            Ok(Stored { task, now })
        });
        Box::pin(ready(found))
    }

    fn replace<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        let replaced = self.with(|tasks, _| {
            let stored = tasks
                .get_mut(&task.id)
                .filter(|stored| stored.revision == task.revision);
            stored.is_some_and(|stored| {
                stored.clone_from(task);
                stored.revision += 1;
                true
            })
        });
        Box::pin(ready(Ok(replaced)))
    }

    fn resumable<'a>(
        &'a self,
        endpoint: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<TaskId>, TaskStoreError>> {
        let found = self.with(|tasks, now| {
            let mut found: Vec<&Task> = tasks
                .values()
                .filter(|task| task.owner.endpoint == endpoint)
                .filter(|task| task.is_claimable(now) && !task.is_expired(now))
                .collect();
            found.sort_by_key(|task| task.updated_at);
            found.iter().take(limit).map(|task| task.id.clone()).collect()
        });
        Box::pin(ready(Ok(found)))
    }

    fn remove_expired<'a>(&'a self) -> BoxFuture<'a, Result<u64, TaskStoreError>> {
        let removed = self.with(|tasks, now| {
            let before = tasks.len();
            tasks.retain(|_, task| !task.is_expired(now));
            before - tasks.len()
        });
        Box::pin(ready(Ok(u64::try_from(removed).unwrap_or(u64::MAX))))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use semver::Version;
    use toolmesh_json::Value;

    use super::*;
    use crate::{
        Caller, ClientCapabilities, Transport,
        task::{TaskCall, TaskOwner},
    };

    pub(in crate::task) fn new_task(id: &str) -> NewTask {
        NewTask {
            id: TaskId::new(id),
            owner: owner("p"),
            call: TaskCall {
                tool: "t".into(),
                version: Version::new(1, 0, 0),
                arguments: Value::object().build(),
                caller: Caller::anonymous(Transport::InProcess),
                revision: None,
                capabilities: ClientCapabilities::default(),
                idempotency_key: String::new(),
            },
            checkpoint: None,
            time_to_live: Some(Duration::from_secs(3_600)),
        }
    }

    fn owner(partition: &str) -> TaskOwner {
        TaskOwner {
            endpoint: "e".into(),
            partition: partition.into(),
        }
    }

    #[tokio::test]
    async fn a_full_store_refuses_one_more_and_keeps_what_it_has() {
        let store = MemoryTaskStore::new();
        for n in 0..MAX_MEMORY_TASKS {
            store.create(new_task(&n.to_string())).await.unwrap();
        }
        let more = store.create(new_task("more")).await;
        assert!(matches!(more, Err(TaskStoreError::Full)));
        assert!(store.load(&TaskId::new("0")).await.is_ok());
    }

    #[tokio::test]
    async fn a_full_store_makes_room_by_forgetting_what_expired() {
        let store = MemoryTaskStore::new();
        let short = NewTask {
            time_to_live: Some(Duration::ZERO),
            ..new_task("short")
        };
        store.create(short).await.unwrap();
        for n in 1..MAX_MEMORY_TASKS {
            store.create(new_task(&n.to_string())).await.unwrap();
        }
        assert!(store.create(new_task("more")).await.is_ok());
    }
}
