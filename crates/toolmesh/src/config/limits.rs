//! `[limits]`: how much at once, how often, how large.

use std::{sync::Arc, time::Duration};

use toolmesh_tool::dispatcher::{CallLimits, LimitBy, Limiter, OutputLimits, Rate, RateLimiter};

use super::{
    duration::parse_duration,
    key::{Key, Section},
    setting::{Expected, Setting},
};

/// How much at once, how often, how large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitsConfig {
    /// How many calls run and wait, and for how long.
    pub calls: CallLimits,
    /// How large results may be.
    pub output: OutputLimits,
    /// How many questions each caller may ask in a minute; `None` for as many as it likes.
    pub requests_per_minute: Option<u32>,
    /// How often each caller may call each tool in a minute; `None` for as often as it likes.
    pub calls_per_minute: Option<u32>,
}

impl LimitsConfig {
    /// The limiter of questions, if there is to be one.
    #[must_use]
    pub fn request_limiter(&self) -> Option<Arc<dyn Limiter>> {
        limiter(self.requests_per_minute, LimitBy::Caller)
    }

    /// The limiter of calls, if there is to be one.
    #[must_use]
    pub fn tool_limiter(&self) -> Option<Arc<dyn Limiter>> {
        limiter(self.calls_per_minute, LimitBy::CallerAndTool)
    }
}

fn limiter(per_minute: Option<u32>, by: LimitBy) -> Option<Arc<dyn Limiter>> {
    let rate = Rate::per_minute(per_minute?);
    Some(Arc::new(RateLimiter::new(rate, by)))
}

impl Section for LimitsConfig {
    const PLACE: &'static str = "in [limits]";
    const VARIABLE: &'static str = "TOOLMESH_LIMITS_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "running",
            about: "calls that run at once (default 32)",
            set: |limits, value| {
                limits.calls.running = at_least_one(value)?;
                Ok(())
            },
        },
        Key {
            name: "queued",
            about: "calls that wait while all slots are taken (default 128)",
            set: |limits, value| {
                limits.calls.queued = size(value)?;
                Ok(())
            },
        },
        Key {
            name: "deadline",
            about: "the longest time of a call, from the queue to the end (default 60s)",
            set: |limits, value| {
                limits.calls.deadline = time(value)?;
                Ok(())
            },
        },
        Key {
            name: "requests_per_minute",
            about: "questions of each caller in a minute, lists and calls together",
            set: |limits, value| {
                limits.requests_per_minute = Some(rate(value)?);
                Ok(())
            },
        },
        Key {
            name: "calls_per_minute",
            about: "calls of each tool by each caller in a minute",
            set: |limits, value| {
                limits.calls_per_minute = Some(rate(value)?);
                Ok(())
            },
        },
        Key {
            name: "output_bytes",
            about: "the largest result, in bytes (default 4194304)",
            set: |limits, value| {
                limits.output.bytes = at_least_one(value)?;
                Ok(())
            },
        },
        Key {
            name: "media_bytes",
            about: "the largest binary item in a result, in bytes (default 786432)",
            set: |limits, value| {
                limits.output.media_bytes = at_least_one(value)?;
                Ok(())
            },
        },
    ];
}

fn size(value: &Setting<'_>) -> Result<usize, Expected> {
    Ok(usize::try_from(value.count()?).unwrap_or(usize::MAX))
}

/// A count of something without which nothing works.
pub(super) fn at_least_one(value: &Setting<'_>) -> Result<usize, Expected> {
    match size(value) {
        Ok(0) | Err(_) => Err("a whole number from 1".to_owned()),
        count => count,
    }
}

fn rate(value: &Setting<'_>) -> Result<u32, Expected> {
    let count = at_least_one(value)?;
    u32::try_from(count).map_err(|_| "a whole number from 1 to 4294967295".to_owned())
}

/// A time as people write it; a number is in seconds.
pub(super) fn time(value: &Setting<'_>) -> Result<Duration, Expected> {
    let text = match value.count() {
        Ok(seconds) => seconds.to_string(),
        Err(_) => value.text().unwrap_or_default(),
    };
    parse_duration(&text).map_err(|error| error.expected().to_owned())
}
