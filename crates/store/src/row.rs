//! A task as a row.

use sqlx::{Row, any::AnyRow};
use toolmesh_tool::task::{
    ClaimToken, Lease, NewTask, RecordError, Stored, StoredColumns, Task, TaskId, TaskOwner,
};

use std::time::Duration;

/// Why a row is no task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error(transparent)]
    Column(#[from] sqlx::Error),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Reads a row of the statement `load`.
pub(crate) fn read(row: &AnyRow) -> Result<Stored, RowError> {
    let created_at = StoredColumns::time(row.try_get("created_ms")?);
    let new = NewTask {
        id: TaskId::new(row.try_get::<String, _>("id")?),
        owner: TaskOwner {
            endpoint: row.try_get("endpoint")?,
            partition: row.try_get("partition_name")?,
        },
        call: StoredColumns::read_call(row.try_get::<String, _>("call_json")?.as_str())?,
        checkpoint: None,
        time_to_live: row
            .try_get::<Option<i64>, _>("ttl_ms")?
            .map(|millis| Duration::from_millis(unsigned(millis))),
    };
    let mut task = Task::new(new, created_at);
    task.updated_at = StoredColumns::time(row.try_get("updated_ms")?);
    task.cancel_requested = row.try_get::<i64, _>("cancel_requested")? != 0;
    task.token = ClaimToken(unsigned(row.try_get("token")?));
    task.revision = unsigned(row.try_get("revision")?);
    let until = StoredColumns::time(row.try_get("lease_ms")?);
    task.lease = row
        .try_get::<Option<String>, _>("worker")?
        .map(|worker| Lease { worker, until });
    StoredColumns::read_into(
        &mut task,
        row.try_get::<String, _>("state")?.as_str(),
        row.try_get::<Option<String>, _>("detail_json")?.as_deref(),
        row.try_get::<String, _>("work_json")?.as_str(),
    )?;
    Ok(Stored {
        task,
        now: StoredColumns::time(row.try_get("now_ms")?),
    })
}

/// A number as databases keep it: they have no unsigned ones.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
