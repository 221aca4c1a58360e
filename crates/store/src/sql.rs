//! Tasks in a database.

use sqlx::{AnyPool, Row};
use toolmesh_tool::{
    BoxFuture, Task, TaskId, TaskStore, TaskStoreError,
    task::{NewTask, Stored, StoredColumns},
};

use crate::{
    StoreSettings,
    row::{self, RowError, signed},
    statements::Statements,
};

/// Tasks in SQLite or PostgreSQL; [`crate::open()`] makes it. Several processes may share one database.
pub(crate) struct SqlTaskStore {
    pool: AnyPool,
    statements: &'static Statements,
    live_tasks: u32,
}

impl SqlTaskStore {
    pub(crate) fn new(pool: AnyPool, statements: &'static Statements, settings: StoreSettings) -> Self {
        Self {
            pool,
            statements,
            live_tasks: settings.live_tasks,
        }
    }

    async fn insert(&self, new: NewTask) -> Result<Task, TaskStoreError> {
        let mut task = Task::new(new, std::time::SystemTime::UNIX_EPOCH);
        let columns = StoredColumns::of(&task)?;
        let ttl = task.time_to_live.map(|ttl| {
            i64::try_from(ttl.as_millis())
                .unwrap_or(MAX_TTL_MILLIS)
                .min(MAX_TTL_MILLIS)
        });
        let row = sqlx::query(self.statements.create)
            .bind(task.id.as_str())
            .bind(task.owner.endpoint.as_str())
            .bind(task.owner.partition.as_str())
            .bind(StoredColumns::call(&task.call)?)
            .bind(columns.work)
            .bind(ttl)
            .bind(i64::from(self.live_tasks))
            .fetch_optional(&self.pool)
            .await
            .map_err(backend)?;
        match row {
            Some(row) => {
                let now = StoredColumns::time(row.try_get(0).map_err(backend)?);
                (task.created_at, task.updated_at) = (now, now);
                Ok(task)
            }
            None if self.exists(&task.id).await? => Err(TaskStoreError::Exists),
            None => Err(TaskStoreError::Full),
        }
    }

    async fn exists(&self, id: &TaskId) -> Result<bool, TaskStoreError> {
        let found = sqlx::query(self.statements.exists)
            .bind(id.as_str())
            .fetch_optional(&self.pool);
        Ok(found.await.map_err(backend)?.is_some())
    }

    async fn swap(&self, task: &Task) -> Result<bool, TaskStoreError> {
        let columns = StoredColumns::of(task)?;
        let lease = task.lease.as_ref();
        let written = sqlx::query(self.statements.replace)
            .bind(columns.state)
            .bind(columns.detail)
            .bind(columns.work)
            .bind(StoredColumns::millis(task.updated_at))
            .bind(i64::from(task.cancel_requested))
            .bind(lease.map(|lease| lease.worker.as_str()))
            .bind(lease.map_or(0, |lease| StoredColumns::millis(lease.until)))
            .bind(signed(task.token.0))
            .bind(task.id.as_str())
            .bind(signed(task.revision))
            .execute(&self.pool)
            .await
            .map_err(backend)?;
        Ok(written.rows_affected() == 1)
    }
}

/// The longest time to live: a thousand years, far from where adding it to a time would overflow.
const MAX_TTL_MILLIS: i64 = 1_000 * 366 * 24 * 3_600 * 1_000;

impl TaskStore for SqlTaskStore {
    fn create<'a>(&'a self, task: NewTask) -> BoxFuture<'a, Result<Task, TaskStoreError>> {
        Box::pin(self.insert(task))
    }

    fn load<'a>(&'a self, id: &'a TaskId) -> BoxFuture<'a, Result<Stored, TaskStoreError>> {
        Box::pin(async move {
            let row = sqlx::query(self.statements.load)
                .bind(id.as_str())
                .fetch_optional(&self.pool)
                .await
                .map_err(backend)?;
            row::read(&row.ok_or(TaskStoreError::Unknown)?).map_err(|error| match error {
                RowError::Column(error) => backend(error),
                RowError::Record(error) => error.into(),
            })
        })
    }

    fn replace<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        Box::pin(self.swap(task))
    }

    fn resumable<'a>(
        &'a self,
        endpoint: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<TaskId>, TaskStoreError>> {
        Box::pin(async move {
            let rows = sqlx::query(self.statements.resumable)
                .bind(endpoint)
                .bind(i64::try_from(limit).unwrap_or(i64::MAX))
                .fetch_all(&self.pool)
                .await
                .map_err(backend)?;
            rows.iter()
                .map(|row| row.try_get::<String, _>(0).map(TaskId::new).map_err(backend))
                .collect()
        })
    }

    fn remove_expired<'a>(&'a self) -> BoxFuture<'a, Result<u64, TaskStoreError>> {
        Box::pin(async move {
            let removed = sqlx::query(self.statements.remove_expired).execute(&self.pool);
            Ok(removed.await.map_err(backend)?.rows_affected())
        })
    }
}

fn backend(error: sqlx::Error) -> TaskStoreError {
    TaskStoreError::Backend(error.to_string())
}
