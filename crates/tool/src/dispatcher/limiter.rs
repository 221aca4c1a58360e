//! Step 5: how often may this caller ask?

use std::time::Duration;

use super::Shared;
use crate::{CallError, Caller};

/// Limits how often something is asked; tokens once taken are never given back. Without one, there is no limit.
pub trait Limiter: Send + Sync + 'static {
    /// Takes a token for `caller` and `target` (a tool's published name; empty for the request limiter).
    ///
    /// # Errors
    /// How long to wait, when there is none.
    fn acquire(&self, caller: &Caller, target: &str) -> Result<(), Duration>;
}

impl Shared {
    pub(super) fn limit_request(&self, caller: &Caller) -> Result<(), CallError> {
        acquire(self.request_limiter.as_deref(), caller, "")
    }

    pub(super) fn limit_tool(&self, caller: &Caller, tool: &str) -> Result<(), CallError> {
        acquire(self.tool_limiter.as_deref(), caller, tool)
    }
}

fn acquire(limiter: Option<&dyn Limiter>, caller: &Caller, target: &str) -> Result<(), CallError> {
    match limiter {
        None => Ok(()),
        Some(limiter) => limiter
            .acquire(caller, target)
            .map_err(|retry_after| CallError::RateLimited { retry_after }),
    }
}
