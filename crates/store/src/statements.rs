//! The SQL, in the two dialects. They differ in how they tell the time and in how they keep others out of a migration.

/// The statements of one dialect.
#[derive(Debug)]
pub(crate) struct Statements {
    /// Begins a migration, so that only one server at a time makes it.
    pub(crate) begin_migration: &'static str,
    /// What else keeps others out.
    pub(crate) lock_migration: Option<&'static str>,
    /// Keeps a new task, unless the identifier is taken or the endpoint has as many live tasks as it may.
    pub(crate) create: &'static str,
    /// Whether there is a task.
    pub(crate) exists: &'static str,
    /// Reads a task and the time.
    pub(crate) load: &'static str,
    /// Writes a task if it is still the one that was read.
    pub(crate) replace: &'static str,
    /// Lists tasks that may be claimed.
    pub(crate) resumable: &'static str,
    /// Forgets what expired.
    pub(crate) remove_expired: &'static str,
}

/// The statements around the expression for milliseconds since 1970.
macro_rules! statements {
    ($now:literal, $begin:literal, $lock:expr) => {
        Statements {
            begin_migration: $begin,
            lock_migration: $lock,
            create: concat!(
                "INSERT INTO toolmesh_tasks (id, endpoint, partition_name, call_json, state, detail_json, ",
                "work_json, created_ms, updated_ms, ttl_ms, expires_ms, cancel_requested, worker, lease_ms, token, ",
                "revision) SELECT $1, $2, $3, $4, 'working', NULL, $5, ",
                $now,
                ", ",
                $now,
                ", $6, ",
                $now,
                " + $6, 0, NULL, 0, 0, 0 WHERE (SELECT COUNT(*) FROM toolmesh_tasks WHERE endpoint = $2 AND state IN ",
                "('working', 'input_required')) < $7 ON CONFLICT (id) DO NOTHING RETURNING created_ms"
            ),
            exists: "SELECT token FROM toolmesh_tasks WHERE id = $1",
            load: concat!(
                "SELECT id, endpoint, partition_name, call_json, state, detail_json, work_json, created_ms, ",
                "updated_ms, ttl_ms, cancel_requested, worker, lease_ms, token, revision, ",
                $now,
                " AS now_ms FROM toolmesh_tasks WHERE id = $1 AND (expires_ms IS NULL OR expires_ms > ",
                $now,
                ")"
            ),
            replace: concat!(
                "UPDATE toolmesh_tasks SET state = $1, detail_json = $2, work_json = $3, updated_ms = $4, ",
                "cancel_requested = $5, worker = $6, lease_ms = $7, token = $8, revision = revision + 1 ",
                "WHERE id = $9 AND revision = $10"
            ),
            resumable: concat!(
                "SELECT id FROM toolmesh_tasks WHERE endpoint = $1 AND state = 'working' AND lease_ms <= ",
                $now,
                " AND (expires_ms IS NULL OR expires_ms > ",
                $now,
                ") ORDER BY lease_ms, created_ms LIMIT $2"
            ),
            remove_expired: concat!("DELETE FROM toolmesh_tasks WHERE expires_ms <= ", $now),
        }
    };
}

pub(crate) const SQLITE: Statements = statements!(
    "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
    "BEGIN IMMEDIATE",
    None
);

pub(crate) const POSTGRES: Statements = statements!(
    "CAST(round(extract(epoch FROM statement_timestamp()) * 1000) AS BIGINT)",
    "BEGIN",
    // Any number will do as long as nobody else takes it; it is the beginning of SHA-256 of `toolmesh`.
    Some("SELECT pg_advisory_xact_lock(3853278134118447922)")
);

/// What each version of the schema adds to the one before. What is here was run on databases that exist: nothing is
/// ever changed, only added.
pub(crate) const MIGRATIONS: [&str; 1] = ["
CREATE TABLE toolmesh_tasks (
    id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    partition_name TEXT NOT NULL,
    call_json TEXT NOT NULL,
    state TEXT NOT NULL,
    detail_json TEXT,
    work_json TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    ttl_ms BIGINT,
    expires_ms BIGINT,
    cancel_requested BIGINT NOT NULL,
    worker TEXT,
    lease_ms BIGINT NOT NULL,
    token BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX toolmesh_tasks_idle ON toolmesh_tasks (endpoint, lease_ms) WHERE state = 'working';
CREATE INDEX toolmesh_tasks_live ON toolmesh_tasks (endpoint) WHERE state IN ('working', 'input_required');
CREATE INDEX toolmesh_tasks_expiry ON toolmesh_tasks (expires_ms);
"];
