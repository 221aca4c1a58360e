//! Bringing a database to the schema of this version.

use sqlx::{AnyPool, Connection, Row};

use crate::{
    open::OpenError,
    statements::{MIGRATIONS, Statements},
};

/// Runs the migrations that the database lacks, in one transaction that other servers wait for.
pub(crate) async fn migrate(pool: &AnyPool, statements: &'static Statements) -> Result<(), OpenError> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin_with(statements.begin_migration).await?;
    if let Some(lock) = statements.lock_migration {
        sqlx::query(lock).execute(&mut *transaction).await?;
    }
    sqlx::query("CREATE TABLE IF NOT EXISTS toolmesh_schema (version BIGINT NOT NULL)")
        .execute(&mut *transaction)
        .await?;
    let row = sqlx::query("SELECT version FROM toolmesh_schema")
        .fetch_optional(&mut *transaction)
        .await?;
    let version = match row {
        None => {
            sqlx::query("INSERT INTO toolmesh_schema (version) VALUES (0)")
                .execute(&mut *transaction)
                .await?;
            0
        }
        Some(row) => usize::try_from(row.try_get::<i64, _>(0)?).unwrap_or(usize::MAX),
    };
    let missing = MIGRATIONS.get(version..).ok_or(OpenError::Newer {
        known: MIGRATIONS.len(),
    })?;
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *transaction).await?;
    }
    let now = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    sqlx::query("UPDATE toolmesh_schema SET version = $1")
        .bind(now)
        .execute(&mut *transaction)
        .await?;
    Ok(transaction.commit().await?)
}
