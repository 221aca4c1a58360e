//! A circuit breaker: a node that keeps failing at a tool is left alone for a while.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{NodeId, RpcError};

/// Most pairs of a node and a tool whose failures are counted; those that would be more are not.
pub const MAX_CIRCUITS: usize = 4_096;

/// When a node is left alone with a stateless tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// After how many failures one after the other; 5 by default, at least 1.
    pub failures: u32,
    /// For how long; 30 seconds by default. Then one call is let through: when it succeeds all are, when it fails the time
    /// begins anew.
    pub open_for: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self {
            failures: 5,
            open_for: Duration::from_secs(30),
        }
    }
}

/// The circuits of a node, one for each host and tool that failed. Without a policy nothing is counted.
#[derive(Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Default)]
struct State {
    policy: Option<BreakerPolicy>,
    circuits: HashMap<(NodeId, String), Circuit>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Circuit {
    failures: u32,
    /// Until when no call is let through.
    open_until: Option<Instant>,
    /// One call is under way that decides.
    on_trial: bool,
}

/// A call that was let through. Dropping it untold counts neither way.
pub(crate) struct Trial<'a> {
    breaker: &'a Breaker,
    host: NodeId,
    tool_id: &'a str,
    told: bool,
}

impl Breaker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, policy: Option<BreakerPolicy>) {
        let mut state = self.state();
        state.policy = policy;
        state.circuits.clear();
    }

    pub(crate) fn forget(&self, host: NodeId) {
        self.state().circuits.retain(|(of, _), _| *of != host);
    }

    /// Lets a call through, unless the node is to be left alone.
    pub(crate) fn lets<'a>(&'a self, host: NodeId, tool_id: &'a str) -> Option<Trial<'a>> {
        self.passes(host, tool_id).then(|| Trial {
            breaker: self,
            host,
            tool_id,
            told: false,
        })
    }

    fn passes(&self, host: NodeId, tool_id: &str) -> bool {
        let mut state = self.state();
        // Where nothing is counted, no name is copied to look it up.
        if state.circuits.is_empty() {
            return true;
        }
        let Some(circuit) = state.circuits.get_mut(&(host, tool_id.to_owned())) else {
            return true;
        };
        match circuit.open_until {
            Some(until) if Instant::now() < until || circuit.on_trial => false,
            until => {
                circuit.on_trial = until.is_some();
                true
            }
        }
    }
}

impl Trial<'_> {
    /// Tells how the call ended. What the tool itself says, and what the caller did, is no failure of the node.
    pub(crate) fn ended<T>(mut self, ended: &Result<T, RpcError>) {
        let failed = match ended {
            Err(RpcError::Cancelled) => return,
            Err(error) => error.is_of_host(),
            Ok(_) => false,
        };
        self.told = true;
        let mut state = self.breaker.state();
        let Some(policy) = state.policy else { return };
        if !failed && state.circuits.is_empty() {
            return;
        }
        let key = (self.host, self.tool_id.to_owned());
        if !failed {
            state.circuits.remove(&key);
            return;
        }
        if state.circuits.len() >= MAX_CIRCUITS && !state.circuits.contains_key(&key) {
            return;
        }
        let circuit = state.circuits.entry(key).or_default();
        circuit.failures = circuit.failures.saturating_add(1);
        circuit.on_trial = false;
        if circuit.failures >= policy.failures.max(1) {
            circuit.open_until = Some(Instant::now() + policy.open_for);
        }
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if self.told {
            return;
        }
        let mut state = self.breaker.state();
        if let Some(circuit) = state.circuits.get_mut(&(self.host, self.tool_id.to_owned())) {
            circuit.on_trial = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: NodeId = NodeId::new(1);

    fn breaker() -> Breaker {
        let breaker = Breaker::default();
        breaker.set(Some(BreakerPolicy {
            failures: 2,
            ..BreakerPolicy::default()
        }));
        breaker
    }

    fn end(breaker: &Breaker, ended: &Result<(), RpcError>) {
        breaker.lets(HOST, "t").unwrap().ended(ended);
    }

    fn failure() -> Result<(), RpcError> {
        Err(RpcError::Transport("gone".into()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_is_left_alone_after_failures_in_a_row_and_tried_once_after_a_while() {
        let breaker = breaker();
        end(&breaker, &failure());
        end(&breaker, &Ok(()));
        end(&breaker, &failure());
        end(&breaker, &failure());
        assert!(breaker.lets(HOST, "t").is_none());
        // Another tool, another node.
        assert!(breaker.lets(HOST, "u").is_some());
        assert!(breaker.lets(NodeId::new(2), "t").is_some());
        tokio::time::advance(Duration::from_secs(30)).await;
        let trial = breaker.lets(HOST, "t").unwrap();
        assert!(breaker.lets(HOST, "t").is_none());
        // The one that was let through is given up: it says nothing, and the next is let through.
        drop(trial);
        end(&breaker, &failure());
        assert!(breaker.lets(HOST, "t").is_none());
        tokio::time::advance(Duration::from_secs(30)).await;
        end(&breaker, &Ok(()));
        end(&breaker, &failure());
        assert!(breaker.lets(HOST, "t").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_tool_says_is_no_failure_of_its_node() {
        let breaker = breaker();
        for status in [0x8000, 0x8001, 8] {
            let said: Result<(), _> = Err(RpcError::ServerError {
                status,
                message: String::new(),
                headers: Vec::new(),
            });
            end(&breaker, &said);
            end(&breaker, &said);
            end(&breaker, &Err(RpcError::Cancelled));
        }
        assert!(breaker.lets(HOST, "t").is_some());
    }

    #[test]
    fn circuits_are_bounded_and_go_with_their_node() {
        let breaker = breaker();
        let names: Vec<String> = (0..=MAX_CIRCUITS).map(|number| number.to_string()).collect();
        for name in &names {
            for _ in 0..2 {
                breaker.lets(HOST, name).unwrap().ended(&failure());
            }
        }
        assert!(breaker.lets(HOST, &names[MAX_CIRCUITS - 1]).is_none());
        assert!(breaker.lets(HOST, &names[MAX_CIRCUITS]).is_some());
        breaker.forget(HOST);
        assert!(breaker.lets(HOST, &names[0]).is_some());
    }

    #[test]
    fn without_a_policy_nothing_is_counted() {
        let breaker = Breaker::default();
        for _ in 0..10 {
            end(&breaker, &failure());
        }
        assert!(breaker.lets(HOST, "t").is_some());
    }
}
