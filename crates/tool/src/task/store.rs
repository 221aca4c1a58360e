//! Keeping tasks.

use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use toolmesh_json::Value;

use super::{ClaimToken, NewTask, RecordError, Task, TaskChange, TaskClaim, TaskId, TaskOwner};

/// How often a write is tried again because somebody else wrote the same task in between. Few ever write one task.
const MAX_TRIES: usize = 64;

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no such task for this owner, or it expired.
    #[error("there is no such task")]
    Unknown,
    /// The identifier is taken.
    #[error("a task with this identifier exists already")]
    Exists,
    /// The task is over and cannot change.
    #[error("the task is over and cannot change any more")]
    Ended,
    /// Somebody else works on it, or it waits for answers.
    #[error("the task cannot be claimed now")]
    NotClaimable,
    /// Somebody else claimed it since, or the claim was given up.
    #[error("the lease on the task is lost: another worker goes on with it")]
    LeaseLost,
    /// Something is larger than a store takes.
    #[error("the {what} has more than {limit} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// The most bytes.
        limit: usize,
    },
    /// The store is full.
    #[error("the store holds as many tasks as it may")]
    Full,
    /// A record cannot be read.
    #[error("a record of the task store cannot be read: {0}")]
    Record(#[from] RecordError),
    /// The store behind failed.
    #[error("the task store failed: {0}")]
    Backend(String),
}

/// A record and the store's time at which it was read. All times of a store are its own clock's, so that the clocks
/// of the servers that share it need not agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The record.
    pub task: Task,
    /// The store's time.
    pub now: SystemTime,
}

/// Keeps tasks: memory here, SQL stores in `toolmesh-store`.
///
/// A store implements the first five methods: it keeps records and swaps one for another if nobody else did in
/// between. Everything else is provided on top and is the same for all stores.
pub trait TaskStore: Send + Sync + 'static {
    /// Keeps a new task; it is durable when this returns.
    ///
    /// # Errors
    /// [`TaskStoreError::Exists`], [`TaskStoreError::Full`], or a failure of the store.
    fn create<'a>(&'a self, task: NewTask) -> BoxFuture<'a, Result<Task, TaskStoreError>>;

    /// Reads a record, whoever owns it.
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`] also when it expired.
    fn load<'a>(&'a self, id: &'a TaskId) -> BoxFuture<'a, Result<Stored, TaskStoreError>>;

    /// Writes `task` with the next revision if the stored one still has `task.revision`; tells whether it did. It is
    /// durable when this returns `true`. `id`, `owner`, `call`, `created_at` and `time_to_live` never change.
    ///
    /// # Errors
    /// A failure of the store.
    fn replace<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>>;

    /// Tasks of `endpoint` that somebody may claim now, those that wait longest first, at most `limit`.
    ///
    /// # Errors
    /// A failure of the store.
    fn resumable<'a>(
        &'a self,
        endpoint: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<TaskId>, TaskStoreError>>;

    /// Forgets the expired tasks; tells how many.
    ///
    /// # Errors
    /// A failure of the store.
    fn remove_expired<'a>(&'a self) -> BoxFuture<'a, Result<u64, TaskStoreError>>;

    /// Finds a task of `owner`.
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`] also for a task of another owner and for an expired one.
    fn find<'a>(
        &'a self,
        owner: &'a TaskOwner,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(async move {
            let stored = self.load(id).await?;
            owned(&stored.task, owner)?;
            Ok(stored.task)
        })
    }

    /// Makes the task `worker`'s own for `lease`, with a new token.
    ///
    /// # Errors
    /// [`TaskStoreError::NotClaimable`], [`TaskStoreError::Ended`], [`TaskStoreError::Unknown`].
    fn claim<'a>(
        &'a self,
        id: &'a TaskId,
        worker: &'a str,
        lease: Duration,
    ) -> BoxFuture<'a, Result<TaskClaim, TaskStoreError>> {
        Box::pin(async move {
            let (_, claim) = update(self, id, |task, now| task.claim(worker, lease, now)).await?;
            Ok(claim)
        })
    }

    /// Prolongs the lease of a claim; the task tells whether the client wants it stopped.
    ///
    /// # Errors
    /// [`TaskStoreError::LeaseLost`], [`TaskStoreError::Ended`], [`TaskStoreError::Unknown`].
    fn renew<'a>(
        &'a self,
        id: &'a TaskId,
        token: ClaimToken,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(async move {
            let (task, ()) = update(self, id, |task, now| task.renew(token, lease, now)).await?;
            Ok(task)
        })
    }

    /// Writes what the holder of a claim has to say.
    ///
    /// # Errors
    /// [`TaskStoreError::LeaseLost`], [`TaskStoreError::Ended`], [`TaskStoreError::TooLarge`],
    /// [`TaskStoreError::Unknown`].
    fn change<'a>(
        &'a self,
        id: &'a TaskId,
        token: ClaimToken,
        change: TaskChange,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(async move {
            let (task, ()) = update(self, id, |task, now| task.change(token, change.clone(), now)).await?;
            Ok(task)
        })
    }

    /// Hands in the client's answers, an object by key; see [`Task::answer`].
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`].
    fn answer<'a>(
        &'a self,
        owner: &'a TaskOwner,
        id: &'a TaskId,
        responses: Value,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(async move {
            let (task, ()) = update(self, id, |task, now| {
                owned(task, owner)?;
                task.answer(responses.view(), now);
                Ok(())
            })
            .await?;
            Ok(task)
        })
    }

    /// Notes that the client wants the task stopped; see [`Task::request_cancel`].
    ///
    /// # Errors
    /// [`TaskStoreError::Unknown`].
    fn request_cancel<'a>(
        &'a self,
        owner: &'a TaskOwner,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(async move {
            let (task, ()) = update(self, id, |task, now| {
                owned(task, owner)?;
                task.request_cancel(now);
                Ok(())
            })
            .await?;
            Ok(task)
        })
    }
}

fn owned(task: &Task, owner: &TaskOwner) -> Result<(), TaskStoreError> {
    if task.owner == *owner {
        Ok(())
    } else {
        Err(TaskStoreError::Unknown)
    }
}

/// Reads, changes by `rule`, and swaps, until nobody came in between.
async fn update<S: TaskStore + ?Sized, T>(
    store: &S,
    id: &TaskId,
    rule: impl Fn(&mut Task, SystemTime) -> Result<T, TaskStoreError>,
) -> Result<(Task, T), TaskStoreError> {
    for _ in 0..MAX_TRIES {
        let Stored { task: before, now } = store.load(id).await?;
        let mut task = before.clone();
        let told = rule(&mut task, now)?;
        if task == before {
            return Ok((task, told));
        }
        if store.replace(&task).await? {
            task.revision += 1;
            return Ok((task, told));
        }
        tokio::task::yield_now().await;
    }
    Err(TaskStoreError::Backend(
        "too many others write the same task".to_owned(),
    ))
}
