//! Work that outlives its call.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use futures_util::future::BoxFuture;

use crate::{InputRequired, ToolResult};

/// Most tasks in a [`MemoryTaskStore`]; a full store refuses a new one rather than forget a live one.
pub const MAX_MEMORY_TASKS: usize = 1_024;

/// The identifier of a task: opaque, unguessable text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// Takes an identifier that a store made.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a task stands. `Ended` is final and immutable.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    /// It is being worked on.
    Working,
    /// It waits for answers.
    InputRequired(InputRequired),
    /// It is over.
    Ended(TaskOutcome),
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskOutcome {
    /// With a result, also when the tool said no.
    Completed(ToolResult),
    /// By a failure; the text is for the operator.
    Failed(String),
    /// By cancellation.
    Cancelled,
}

/// A task as the store keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its identifier.
    pub id: TaskId,
    /// The tool it was created by.
    pub tool: String,
    /// The authorization partition it belongs to; another partition never sees it.
    pub partition: String,
    /// Where it stands.
    pub state: TaskState,
    /// When it was created.
    pub created_at: SystemTime,
    /// When it last changed.
    pub updated_at: SystemTime,
    /// How long it is kept after its creation; `None` means as long as the store lives.
    pub time_to_live: Option<Duration>,
    /// The client asked to stop it.
    pub cancel_requested: bool,
}

impl Task {
    /// Whether it is over and may only be read.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        matches!(self.state, TaskState::Ended(_))
    }

    fn is_expired(&self, now: SystemTime) -> bool {
        self.time_to_live
            .is_some_and(|ttl| now.duration_since(self.created_at).is_ok_and(|age| age >= ttl))
    }
}

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no such task in this partition, or it expired.
    #[error("there is no such task")]
    Unknown,
    /// The identifier is taken.
    #[error("a task with this identifier exists already")]
    Exists,
    /// The task is over and cannot change.
    #[error("the task is over and cannot change any more")]
    Ended,
    /// The store is full.
    #[error("the store holds as many tasks as it may")]
    Full,
    /// The store behind failed.
    #[error("the task store failed: {0}")]
    Backend(String),
}

/// Keeps tasks: memory here, SQL stores in `toolmesh-store`.
pub trait TaskStore: Send + Sync + 'static {
    /// Keeps a new task; it is durable when this returns.
    ///
    /// # Errors
    /// [`TaskStoreError::Exists`], [`TaskStoreError::Full`], or a failure of the store.
    fn create<'a>(&'a self, task: Task) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// Finds a task of `partition`.
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`] also for a task of another partition and for an expired one.
    fn find<'a>(&'a self, partition: &'a str, id: &'a TaskId) -> BoxFuture<'a, Result<Task, TaskStoreError>>;

    /// Moves a task to another state.
    ///
    /// # Errors
    /// [`TaskStoreError::Ended`] when it is over, [`TaskStoreError::Unknown`] when it is not there.
    fn set_state<'a>(
        &'a self,
        partition: &'a str,
        id: &'a TaskId,
        state: TaskState,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>>;

    /// Notes that the client wants it stopped; cooperative, and no failure when it is over.
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`] when it is not there.
    fn request_cancel<'a>(
        &'a self,
        partition: &'a str,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>>;
}

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

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<TaskId, Task>) -> T) -> T {
        work(&mut self.tasks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(
        &self,
        partition: &str,
        id: &TaskId,
        work: impl FnOnce(&mut Task) -> Result<(), TaskStoreError>,
    ) -> Result<Task, TaskStoreError> {
        let now = SystemTime::now();
        self.with(|tasks| {
            let task = tasks
                .get_mut(id)
                .filter(|task| task.partition == partition && !task.is_expired(now))
                .ok_or(TaskStoreError::Unknown)?;
            work(task)?;
            Ok(task.clone())
        })
    }
}

impl TaskStore for MemoryTaskStore {
    fn create<'a>(&'a self, task: Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        let now = SystemTime::now();
        let created = self.with(|tasks| {
            tasks.retain(|_, task| !task.is_expired(now));
            if tasks.contains_key(&task.id) {
                return Err(TaskStoreError::Exists);
            }
            if tasks.len() >= MAX_MEMORY_TASKS {
                return Err(TaskStoreError::Full);
            }
            tasks.insert(task.id.clone(), task);
            Ok(())
        });
        Box::pin(std::future::ready(created))
    }

    fn find<'a>(&'a self, partition: &'a str, id: &'a TaskId) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(std::future::ready(self.change(partition, id, |_| Ok(()))))
    }

    fn set_state<'a>(
        &'a self,
        partition: &'a str,
        id: &'a TaskId,
        state: TaskState,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        let changed = self.change(partition, id, |task| {
            if task.is_ended() {
                return Err(TaskStoreError::Ended);
            }
            task.state = state;
            task.updated_at = SystemTime::now();
            Ok(())
        });
        Box::pin(std::future::ready(changed))
    }

    fn request_cancel<'a>(
        &'a self,
        partition: &'a str,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        let changed = self.change(partition, id, |task| {
            task.cancel_requested = task.cancel_requested || !task.is_ended();
            Ok(())
        });
        Box::pin(std::future::ready(changed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str) -> Task {
        let now = SystemTime::now();
        Task {
            id: TaskId::new(id),
            tool: "t".into(),
            partition: "p".into(),
            state: TaskState::Working,
            created_at: now,
            updated_at: now,
            time_to_live: None,
            cancel_requested: false,
        }
    }

    #[tokio::test]
    async fn a_task_is_seen_in_its_own_partition_only() {
        let store = MemoryTaskStore::new();
        store.create(task("a")).await.unwrap();
        assert!(store.find("p", &TaskId::new("a")).await.is_ok());
        assert!(matches!(
            store.find("q", &TaskId::new("a")).await,
            Err(TaskStoreError::Unknown)
        ));
    }

    #[tokio::test]
    async fn an_ended_task_cannot_change() {
        let store = MemoryTaskStore::new();
        let id = TaskId::new("a");
        store.create(task("a")).await.unwrap();
        store
            .set_state("p", &id, TaskState::Ended(TaskOutcome::Cancelled))
            .await
            .unwrap();
        let again = store.set_state("p", &id, TaskState::Working).await;
        assert!(matches!(again, Err(TaskStoreError::Ended)));
        assert!(!store.request_cancel("p", &id).await.unwrap().cancel_requested);
    }

    #[tokio::test]
    async fn an_expired_task_is_gone() {
        let store = MemoryTaskStore::new();
        store
            .create(Task {
                time_to_live: Some(Duration::ZERO),
                ..task("a")
            })
            .await
            .unwrap();
        assert!(matches!(
            store.find("p", &TaskId::new("a")).await,
            Err(TaskStoreError::Unknown)
        ));
    }

    #[tokio::test]
    async fn a_full_store_refuses_one_more() {
        let store = MemoryTaskStore::new();
        for n in 0..MAX_MEMORY_TASKS {
            store.create(task(&n.to_string())).await.unwrap();
        }
        assert!(matches!(
            store.create(task("more")).await,
            Err(TaskStoreError::Full)
        ));
    }
}
