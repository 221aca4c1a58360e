//! Step 5: how often may this caller ask?

use std::time::Duration;

use super::Shared;
use crate::{CallError, Caller, CatalogueTool};

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

    /// Exactly one limiter counts a call of a tool: the one that the tool names, else the one for all tools.
    pub(super) fn limit_tool(&self, caller: &Caller, found: &CatalogueTool) -> Result<(), CallError> {
        let limiter = match found.tool().limiter() {
            None => self.tool_limiter.as_deref(),
            Some(name) => {
                let named = self.named_limiters.get(name);
                // Not to count a call that is to be counted would be to open what somebody closed.
                let named = named.ok_or_else(|| {
                    CallError::Internal(format!("there is no rate limiter `{name}`, which a tool names"))
                })?;
                Some(named.as_ref())
            }
        };
        acquire(limiter, caller, found.name().as_str())
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
