//! The nodes of one chain: reads go to the one that answered last, and to the next after a passing failure; a
//! transaction goes to one of them, once.

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use alloy_primitives::U64;
use futures_util::future::join_all;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{json, value::RawValue};

use super::{
    endpoint::{Endpoint, raw},
    fault::Fault,
};
use crate::chain::ChainError;

/// How often a read is tried at each node: the first time and two more.
const READ_ROUNDS: usize = 3;

/// The pause after the first round over the nodes; it doubles for each further one.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// The most URLs of one chain: each is a connection pool, and one that answers is enough.
pub const MAX_RPC_URLS: usize = 8;

/// The nodes of one chain; at least one.
pub(super) struct Node {
    endpoints: Vec<Endpoint>,
    /// The one that answered last.
    preferred: AtomicUsize,
    /// What all of them must be of.
    chain_id: u64,
    timeout: Duration,
}

impl fmt::Debug for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Node")
            .field("endpoints", &self.endpoints)
            .finish_non_exhaustive()
    }
}

impl Node {
    /// Asks every node for its chain: one has to answer, and all that do must be of the same chain, which is
    /// `configured` where that is said.
    pub(super) async fn connect(
        urls: &[String],
        timeout: Duration,
        configured: Option<u64>,
    ) -> Result<Self, ChainError> {
        let endpoints = endpoints(urls, timeout)?;
        let told = join_all(endpoints.iter().map(asked_in_rounds)).await;
        let mut expected = configured;
        let mut preferred = None;
        let mut failure = None;
        for (place, answer) in told.into_iter().enumerate() {
            match answer {
                Err(error) => failure = failure.or(Some(error)),
                Ok(actual) => {
                    check(configured, expected, actual)?;
                    expected = Some(actual);
                    preferred = preferred.or(Some(place));
                }
            }
        }
        match (preferred, expected, failure) {
            (Some(preferred), Some(chain_id), _) => Ok(Self {
                endpoints,
                preferred: AtomicUsize::new(preferred),
                chain_id,
                timeout,
            }),
            (_, _, Some(failure)) => Err(failure),
            _ => Err(ChainError::InvalidUrl {
                reason: "is missing".to_owned(),
            }),
        }
    }

    /// The chain of all nodes.
    pub(super) fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// A read whose failure is an error.
    pub(super) async fn read<R>(
        &self,
        method: &'static str,
        parameters: impl Serialize,
    ) -> Result<R, ChainError>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        self.ask(method, &parameters)
            .await
            .map_err(|fault| self.error(fault))
    }

    /// A read, repeated at the next node after a passing failure, as long as the time limit allows.
    pub(super) async fn ask<R>(&self, method: &'static str, parameters: &impl Serialize) -> Result<R, Fault>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        let rounds = self.in_rounds(method, raw(parameters)?);
        match tokio::time::timeout(self.timeout, rounds).await {
            Ok(end) => end.map(|(_, answer)| answer),
            Err(_) => Err(Fault::timeout(self.timeout.as_secs())),
        }
    }

    /// A node to send a transaction to, with the id of its chain as it tells it now.
    pub(super) async fn sending(&self) -> Result<(&Endpoint, u64), ChainError> {
        let found = async { self.in_rounds::<U64>("eth_chainId", raw(&json!([]))?).await };
        let (place, chain_id) = found.await.map_err(|fault| self.error(fault))?;
        match self.endpoints.get(place) {
            Some(endpoint) => Ok((endpoint, chain_id.to())),
            None => Err(ChainError::Internal("no RPC node is left".to_owned())),
        }
    }

    /// `fault` as an error that names the node that was asked.
    pub(super) fn error(&self, fault: Fault) -> ChainError {
        fault.into_error(self.shown())
    }

    /// Scheme, host and port of the node that is asked first.
    pub(super) fn shown(&self) -> &str {
        self.endpoints
            .get(self.preferred.load(Ordering::Relaxed))
            .map_or("", Endpoint::shown)
    }

    /// Asks the preferred node, then the others, in rounds with pauses, until one answers or an answer is final.
    async fn in_rounds<R>(&self, method: &'static str, parameters: Box<RawValue>) -> Result<(usize, R), Fault>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        let first = self.preferred.load(Ordering::Relaxed);
        let mut last = Fault::unwritable();
        for round in 0..READ_ROUNDS {
            if round > 0 {
                tokio::time::sleep(RETRY_PAUSE * (1 << (round - 1))).await;
            }
            for step in 0..self.endpoints.len() {
                let place = (first + step) % self.endpoints.len();
                let Some(endpoint) = self.endpoints.get(place) else {
                    continue;
                };
                match self.asked(endpoint, method, parameters.clone()).await {
                    Ok(answer) => {
                        self.preferred.store(place, Ordering::Relaxed);
                        return Ok((place, answer));
                    }
                    Err(fault) if fault.is_passing() => {
                        tracing::debug!(node = endpoint.shown(), method, ?fault, "a node did not answer");
                        last = fault;
                    }
                    Err(fault) => return Err(fault),
                }
            }
        }
        Err(last)
    }

    async fn asked<R>(
        &self,
        endpoint: &Endpoint,
        method: &'static str,
        parameters: Box<RawValue>,
    ) -> Result<R, Fault>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        self.ensure_chain(endpoint).await?;
        endpoint.ask(method, parameters).await
    }

    /// A node that was away at first must show its chain before it is believed.
    async fn ensure_chain(&self, endpoint: &Endpoint) -> Result<(), Fault> {
        let actual = match endpoint.known_chain_id() {
            Some(known) => known,
            None => endpoint.chain_id().await?,
        };
        if actual == self.chain_id {
            return Ok(());
        }
        tracing::warn!(
            node = endpoint.shown(),
            actual,
            "a node is of another chain and is not asked"
        );
        Err(Fault::other_chain())
    }
}

/// The endpoints of `urls`; each may take its share of the time.
fn endpoints(urls: &[String], timeout: Duration) -> Result<Vec<Endpoint>, ChainError> {
    if urls.len() > MAX_RPC_URLS {
        return Err(ChainError::InvalidUrl {
            reason: format!("is one of {}, and at most {MAX_RPC_URLS} are used", urls.len()),
        });
    }
    let share = timeout / u32::try_from(urls.len().max(1)).unwrap_or(1);
    urls.iter().map(|url| Endpoint::new(url, share)).collect()
}

async fn asked_in_rounds(endpoint: &Endpoint) -> Result<u64, ChainError> {
    let mut round = 1;
    loop {
        match endpoint.chain_id().await {
            Err(fault) if fault.is_passing() && round < READ_ROUNDS => {
                tokio::time::sleep(RETRY_PAUSE * (1 << (round - 1))).await;
                round += 1;
            }
            answer => return answer.map_err(|fault| endpoint.error(fault)),
        }
    }
}

fn check(configured: Option<u64>, expected: Option<u64>, actual: u64) -> Result<(), ChainError> {
    match (configured, expected) {
        (Some(configured), _) if configured != actual => Err(ChainError::WrongChain { configured, actual }),
        (None, Some(first)) if first != actual => Err(ChainError::SeveralChains { first, other: actual }),
        _ => Ok(()),
    }
}
