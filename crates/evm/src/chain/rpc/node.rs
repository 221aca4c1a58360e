//! The connection to a node: requests with a total time limit, reads repeated after passing failures.

use std::{fmt, future::Future, time::Duration};

use alloy_primitives::{Address, B256, Bytes, Log, U64, U256};
use alloy_provider::{Provider, ProviderBuilder, RootProvider};
use reqwest::{Client, Url, redirect};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    answer::{Head, SimulatedBlock},
    fault::Fault,
    request::Request,
};
use crate::chain::{BlockRef, ChainError, Execution};

/// How often a read is tried: the first time and two more.
const READ_ATTEMPTS: u32 = 3;

/// The pause before the second try; it doubles for each further one.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A node that is asked over HTTP.
pub(super) struct Node {
    provider: RootProvider,
    /// Scheme, host and port: what may be shown.
    url: String,
    timeout: Duration,
}

impl fmt::Debug for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Node")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// What an execution did besides returning, as a node's simulation tells it.
pub(super) struct Trace {
    pub(super) gas_used: u64,
    pub(super) logs: Vec<Log>,
}

impl Node {
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, ChainError> {
        let url = parse(url)?;
        let shown = url.origin().ascii_serialization();
        let client = Client::builder()
            .timeout(timeout)
            // A redirect would carry the request, and with it keys in the URL, to another host.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|_| ChainError::Internal("no HTTP client could be made for the RPC node".to_owned()))?;
        let provider = ProviderBuilder::default().connect_reqwest(client, url);
        Ok(Self {
            provider,
            url: shown,
            timeout,
        })
    }

    pub(super) async fn chain_id(&self) -> Result<u64, ChainError> {
        let id: U64 = self.read("eth_chainId", json!([])).await?;
        Ok(id.to())
    }

    pub(super) async fn block_number(&self) -> Result<u64, ChainError> {
        let number: U64 = self.read("eth_blockNumber", json!([])).await?;
        Ok(number.to())
    }

    /// The latest block.
    pub(super) async fn head(&self) -> Result<Head, ChainError> {
        self.read("eth_getBlockByNumber", json!(["latest", false])).await
    }

    pub(super) async fn code(&self, address: Address) -> Result<Bytes, ChainError> {
        self.read("eth_getCode", json!([address, "latest"])).await
    }

    pub(super) async fn storage(&self, address: Address, slot: B256) -> Result<B256, ChainError> {
        self.read("eth_getStorageAt", json!([address, slot, "latest"]))
            .await
    }

    pub(super) async fn balance(&self, address: Address) -> Result<U256, ChainError> {
        self.read("eth_getBalance", json!([address, "latest"])).await
    }

    /// The nonce of the account's next transaction, with those that wait for a block counted.
    pub(super) async fn next_nonce(&self, address: Address) -> Result<u64, ChainError> {
        let count: U64 = self
            .read("eth_getTransactionCount", json!([address, "pending"]))
            .await?;
        Ok(count.to())
    }

    /// `eth_call`.
    pub(super) async fn execute(&self, request: &Request, block: BlockRef) -> Result<Execution, ChainError> {
        let block = match block {
            BlockRef::Latest => "latest".to_owned(),
            BlockRef::Number(number) => format!("{number:#x}"),
        };
        match self.ask("eth_call", &(request.to_rpc(), block)).await {
            Ok(output) => Ok(Execution::Returned(output)),
            Err(fault) => fault.into_execution(&self.url),
        }
    }

    /// `eth_estimateGas` on the latest state; a request that fails there is [`ChainError::WouldFail`].
    pub(super) async fn estimate(&self, request: &Request) -> Result<u64, ChainError> {
        match self
            .ask::<U64>("eth_estimateGas", &(request.to_rpc(), "latest"))
            .await
        {
            Ok(gas) => Ok(gas.to()),
            Err(fault) => Err(ChainError::WouldFail(fault.into_execution(&self.url)?)),
        }
    }

    /// Gas and logs by `eth_simulateV1`; `None` when the node does not know it, or fails in it.
    pub(super) async fn trace(&self, request: &Request) -> Option<Trace> {
        let payload = json!({ "blockStateCalls": [{ "calls": [request.to_rpc()] }] });
        let blocks: Vec<SimulatedBlock> = self.ask("eth_simulateV1", &(payload, "latest")).await.ok()?;
        let call = blocks.into_iter().next()?.calls.into_iter().next()?;
        Some(Trace {
            gas_used: call.gas_used.to(),
            logs: call.logs.into_iter().map(Log::from).collect(),
        })
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

    /// A read, repeated after a passing failure as long as the time limit allows.
    pub(super) async fn ask<R>(&self, method: &'static str, parameters: &impl Serialize) -> Result<R, Fault>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        let parameters = serde_json::value::to_raw_value(parameters).map_err(|_| Fault::unwritable())?;
        self.within_timeout(async {
            let mut attempt = 1;
            loop {
                match self
                    .provider
                    .raw_request(method.into(), parameters.clone())
                    .await
                    .map_err(Fault::from)
                {
                    Err(fault) if fault.is_passing() && attempt < READ_ATTEMPTS => {
                        tokio::time::sleep(RETRY_PAUSE * 2_u32.pow(attempt - 1)).await;
                        attempt += 1;
                    }
                    end => return end,
                }
            }
        })
        .await
    }

    /// Hands a signed transaction to the node, once.
    pub(super) async fn broadcast(&self, transaction: Bytes) -> Result<B256, Fault> {
        self.within_timeout(async {
            let sent = self
                .provider
                .raw_request("eth_sendRawTransaction".into(), (transaction,))
                .await;
            sent.map_err(Fault::from)
        })
        .await
    }

    /// `fault` as an error that names this node.
    pub(super) fn error(&self, fault: Fault) -> ChainError {
        fault.into_error(&self.url)
    }

    async fn within_timeout<R>(&self, work: impl Future<Output = Result<R, Fault>>) -> Result<R, Fault> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(end) => end,
            Err(_) => Err(Fault::timeout(self.timeout.as_secs())),
        }
    }
}

/// Scheme, host and port of a URL: all of it that may be shown.
pub(super) fn shown(url: &str) -> String {
    Url::parse(url).map_or_else(
        |_| "(not a URL)".to_owned(),
        |url| url.origin().ascii_serialization(),
    )
}

fn parse(url: &str) -> Result<Url, ChainError> {
    let invalid = |reason: String| ChainError::InvalidUrl { reason };
    let parsed = Url::parse(url).map_err(|error| invalid(format!("cannot be understood ({error})")))?;
    match parsed.scheme() {
        "http" | "https" => Ok(parsed),
        other => Err(invalid(format!("has the scheme {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_user_path_and_query() {
        let url = "https://user:secret@node.example:8545/v2/KEY?token=KEY#KEY";
        let node = Node::new(url, Duration::from_secs(1)).unwrap();
        assert_eq!(
            format!("{node:?}"),
            r#"Node { url: "https://node.example:8545", .. }"#
        );
    }

    #[test]
    fn a_url_that_is_none_or_has_another_scheme_is_refused_without_being_shown() {
        let refusal = |url| Node::new(url, Duration::from_secs(1)).unwrap_err().to_string();
        assert_eq!(
            refusal("ws://secret@node"),
            "the RPC URL has the scheme ws: give one that starts with http:// or https://"
        );
        let text = refusal("node.example/KEY");
        assert!(
            text.contains("cannot be understood") && !text.contains("KEY"),
            "{text}"
        );
    }
}
