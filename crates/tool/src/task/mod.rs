//! Work that outlives its call.
//!
//! A task is a call that was answered before it was done: the record of it is durable before the answer, and whoever
//! asked comes back for the result. What a task is stands in [`Task`], who may change it and when in the rules beside
//! it; a [`TaskStore`] only keeps records and swaps them whole, so that every store obeys the same rules.
//!
//! **Leases and tokens.** Whoever works on a task holds a lease that it renews; each claim of a task gives a higher
//! token, and every write carries the token. A worker that was away longer than its lease finds that its token is no
//! longer the task's, and its writes are refused: two servers may share a store without ever running a task twice.
//! When a worker dies, its lease ends, and another one goes on through the tool's `resume`, or ends the task as failed.

mod codec;
mod content_codec;
mod control;
mod memory;
mod model;
mod rules;
mod runner;
mod settings;
mod store;

pub use codec::{RecordError, StoredColumns};
pub use control::TaskControl;
pub use memory::{MAX_MEMORY_TASKS, MemoryTaskStore};
pub use model::{
    ClaimToken, Lease, NewTask, Task, TaskCall, TaskChange, TaskClaim, TaskFailure, TaskId, TaskOutcome,
    TaskOwner, TaskState, TaskStep,
};
pub use rules::{MAX_CHECKPOINT_BYTES, MAX_RESUMES, MAX_STATUS_BYTES};
pub use runner::TaskService;
pub(crate) use runner::{TaskEnd, TaskRunner, TaskWork, failed, worker_lost};
pub use settings::{TASKS_EXTENSION, TaskMode, TaskSettings};
pub use store::{Stored, TaskStore, TaskStoreError};
