//! What a handler can do with the task it works on.

use std::{fmt, sync::Arc};

use super::{ClaimToken, TaskChange, TaskId, TaskStore, TaskStoreError};

/// The task that a handler works on; in [`crate::CallContext::task`]. Cheap to clone.
#[derive(Clone)]
pub struct TaskControl {
    id: TaskId,
    token: ClaimToken,
    store: Arc<dyn TaskStore>,
}

impl TaskControl {
    pub(crate) fn new(id: TaskId, token: ClaimToken, store: Arc<dyn TaskStore>) -> Self {
        Self { id, token, store }
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// The fencing token of this run: higher than that of every run before. A system outside that remembers the
    /// highest token it saw can refuse a run that was overtaken.
    #[must_use]
    pub fn token(&self) -> ClaimToken {
        self.token
    }

    /// Keeps what the work goes on from when this worker dies; at most [`super::MAX_CHECKPOINT_BYTES`]. Durable when
    /// it returns.
    ///
    /// # Errors
    /// [`TaskStoreError::LeaseLost`] when another worker took over: stop at once. [`TaskStoreError::TooLarge`].
    pub async fn checkpoint(&self, state: impl Into<String>) -> Result<(), TaskStoreError> {
        self.change(TaskChange::Checkpoint(state.into())).await
    }

    /// Tells people what happens now; at most [`super::MAX_STATUS_BYTES`].
    ///
    /// # Errors
    /// As [`TaskControl::checkpoint`].
    pub async fn status(&self, message: impl Into<String>) -> Result<(), TaskStoreError> {
        self.change(TaskChange::Status(message.into())).await
    }

    async fn change(&self, change: TaskChange) -> Result<(), TaskStoreError> {
        self.store.change(&self.id, self.token, change).await.map(drop)
    }
}

impl fmt::Debug for TaskControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskControl")
            .field("id", &self.id)
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
