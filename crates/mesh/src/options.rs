//! How a call is made.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolmesh_tool::{Caller, semver::VersionReq};

use crate::{Predicate, access::OnBehalfOf, route::RoutingPolicy};

/// How long a call for one answer may take unless the caller says otherwise.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);

/// How long a stream may take unless the caller says otherwise.
pub const DEFAULT_STREAM_DEADLINE: Duration = Duration::from_secs(600);

/// The longest deadline that a host grants.
pub const MAX_DEADLINE: Duration = Duration::from_secs(3_600);

/// How many credits a host has for a stream before the reader has taken anything: so many events, or 16 MiB of large ones. On
/// one network fewer would be used up before the first are granted again, and more are of no use.
pub const DEFAULT_STREAM_WINDOW: u32 = 1_024;

/// How many credits a host has for one answer: one of up to 8 MiB goes without waiting.
pub const DEFAULT_ANSWER_WINDOW: u32 = 512;

/// The largest such window.
pub const MAX_STREAM_WINDOW: u32 = 4_096;

/// How a call is made. Everything is optional.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub(crate) deadline: Option<Duration>,
    pub(crate) version: Option<VersionReq>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) routing: RoutingPolicy,
    pub(crate) retry: RetryPolicy,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) window: Option<u32>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) behalf: Option<OnBehalfOf>,
    pub(crate) hedge_after: Option<Duration>,
}

/// When a call is tried again: only when the tool is stateless and [`crate::RpcError::is_transient`] says that no handler has
/// run, or that the host did not answer at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all; 3 by default, 1 for none but the first.
    pub attempts: u32,
    /// Wait before the second try; twice as long before each further one.
    pub first_wait: Duration,
    /// Longest wait.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_millis(50),
            longest_wait: Duration::from_secs(1),
        }
    }
}

impl RetryPolicy {
    /// No second try.
    #[must_use]
    pub fn never() -> Self {
        Self {
            attempts: 1,
            ..Self::default()
        }
    }

    /// The wait before the try of this number, the first being 0.
    pub(crate) fn wait_before(&self, attempt: u32) -> Duration {
        match attempt.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => {
                let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
                self.first_wait.saturating_mul(factor).min(self.longest_wait)
            }
        }
    }
}

impl CallOptions {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long the call may take, tries and waits together; at most [`MAX_DEADLINE`].
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Asks for a version of the tool; without this, the highest that there is.
    #[must_use]
    pub fn with_version(mut self, requirement: VersionReq) -> Self {
        self.version = Some(requirement);
        self
    }

    /// Asks for a node that meets a predicate. It chooses the node here, goes along as the header `net-where`, and is judged
    /// again by the host.
    #[must_use]
    pub fn with_where(mut self, predicate: &Predicate) -> Self {
        self.predicate = Some(predicate.clone());
        self
    }

    /// Sets how one of several nodes is chosen.
    #[must_use]
    pub fn with_routing(mut self, policy: RoutingPolicy) -> Self {
        self.routing = policy;
        self
    }

    /// Sets when the call is tried again.
    #[must_use]
    pub fn with_retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Asks a second node when the first has not answered after so long, and takes the answer that comes first; the other call
    /// is cancelled. Only for a stateless tool that more than one node serves. Both have one idempotency key.
    #[must_use]
    pub fn with_hedging(mut self, after: Duration) -> Self {
        self.hedge_after = Some(after);
        self
    }

    /// Adds a header for the handler, `traceparent` for instance; its name is in lower case. Those that steer the call (see
    /// [`crate::wire`]) are refused when the call is made.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Hands in a token that cancels the call, here and at the host.
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets how far a stream may be ahead of its reader, in credits: an event takes one for each 16 KiB that it begins. 1 to
    /// [`MAX_STREAM_WINDOW`]; what is outside counts as the nearest.
    #[must_use]
    pub fn with_stream_window(mut self, credits: u32) -> Self {
        self.window = Some(credits.clamp(1, MAX_STREAM_WINDOW));
        self
    }

    /// Makes the call for a client of this node: the host is told who that is, and decides on both, this node and the
    /// client. To tell a client that has an identity, this node needs the right to speak for others at the host
    /// ([`crate::AccessRules::gateways`]). A caller that is the node itself, such as its own command line, changes nothing.
    #[must_use]
    pub fn on_behalf_of(mut self, client: &Caller) -> Self {
        self.behalf = OnBehalfOf::of(client);
        self
    }

    pub(crate) fn stream_window(&self) -> u32 {
        self.window.unwrap_or(DEFAULT_STREAM_WINDOW)
    }

    /// Sets the key by which the handler knows tries of one logical call; by default a random one a call.
    #[must_use]
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }
}

/// In what form a typed call writes its values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Codec {
    /// JSON: the one form of tools.
    #[default]
    Json,
}

/// How a typed call of a service of one node is made.
#[derive(Debug, Clone, Default)]
pub struct CallOptionsTyped {
    /// The form of the values.
    pub codec: Codec,
    /// The rest. Routing, retries and version do not apply: the node is given.
    pub raw: CallOptions,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<u128> = [0, 1, 2, 5, 6, 40, u32::MAX]
            .map(|attempt| RetryPolicy::default().wait_before(attempt).as_millis())
            .into();
        assert_eq!(waits, [0, 50, 100, 800, 1_000, 1_000, 1_000]);
    }

    #[test]
    fn a_window_is_at_least_one_and_bounded() {
        for (asked, given) in [
            (0, 1),
            (MAX_STREAM_WINDOW, MAX_STREAM_WINDOW),
            (MAX_STREAM_WINDOW + 1, MAX_STREAM_WINDOW),
        ] {
            assert_eq!(CallOptions::new().with_stream_window(asked).window, Some(given));
        }
    }
}
