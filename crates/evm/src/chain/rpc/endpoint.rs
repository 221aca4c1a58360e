//! One node: its URL, which stays unseen, and single requests to it.

use std::{fmt, future::Future, sync::OnceLock, time::Duration};

use alloy_primitives::{Address, B256, Bytes, U64};
use alloy_provider::{Provider, RootProvider};
use alloy_rpc_client::RpcClient;
use reqwest::{Client, Url, redirect};
use serde::de::DeserializeOwned;
use serde_json::{json, value::RawValue};

use super::{fault::Fault, http::BoundedHttp};
use crate::chain::ChainError;

/// A node that is asked over HTTP.
pub(super) struct Endpoint {
    provider: RootProvider,
    /// Scheme, host and port: what may be shown.
    shown: String,
    /// How long one request may take.
    timeout: Duration,
    /// The chain's id, once the node told it.
    chain_id: OnceLock<u64>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoint")
            .field("url", &self.shown)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, ChainError> {
        let url = parse(url)?;
        let shown = url.origin().ascii_serialization();
        let client = Client::builder()
            .timeout(timeout)
            // A redirect would carry the request, and with it keys in the URL, to another host.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|_| ChainError::Internal("no HTTP client could be made for the RPC node".to_owned()))?;
        let client = RpcClient::new(BoundedHttp::new(client, url), false);
        Ok(Self {
            provider: RootProvider::new(client),
            shown,
            timeout,
            chain_id: OnceLock::new(),
        })
    }

    /// Scheme, host and port of the URL.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The chain's id as the node told it before, if it did.
    pub(super) fn known_chain_id(&self) -> Option<u64> {
        self.chain_id.get().copied()
    }

    /// The chain's id as the node tells it now.
    pub(super) async fn chain_id(&self) -> Result<u64, Fault> {
        let id: U64 = self.ask("eth_chainId", raw(&json!([]))?).await?;
        let id = id.to();
        let _ = self.chain_id.set(id);
        Ok(id)
    }

    /// One request, once.
    pub(super) async fn ask<R>(&self, method: &'static str, parameters: Box<RawValue>) -> Result<R, Fault>
    where
        R: DeserializeOwned + fmt::Debug + Send + Sync + Unpin + 'static,
    {
        self.within_timeout(async {
            let asked = self.provider.raw_request(method.into(), parameters);
            asked.await.map_err(Fault::from)
        })
        .await
    }

    /// The nonce of the account's next transaction, with those that wait for a block counted.
    pub(super) async fn next_nonce(&self, address: Address) -> Result<u64, Fault> {
        let parameters = raw(&json!([address, "pending"]))?;
        let count: U64 = self.ask("eth_getTransactionCount", parameters).await?;
        Ok(count.to())
    }

    /// Hands a signed transaction to the node, once.
    pub(super) async fn broadcast(&self, transaction: &Bytes) -> Result<B256, Fault> {
        self.ask("eth_sendRawTransaction", raw(&json!([transaction]))?)
            .await
    }

    /// `fault` as an error that names this node.
    pub(super) fn error(&self, fault: Fault) -> ChainError {
        fault.into_error(&self.shown)
    }

    async fn within_timeout<R>(&self, work: impl Future<Output = Result<R, Fault>>) -> Result<R, Fault> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(end) => end,
            Err(_) => Err(Fault::timeout(self.timeout.as_secs())),
        }
    }
}

/// Parameters as they go out.
pub(super) fn raw(parameters: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    serde_json::value::to_raw_value(parameters).map_err(|_| Fault::unwritable())
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
        let endpoint = Endpoint::new(url, Duration::from_secs(1)).unwrap();
        assert_eq!(
            format!("{endpoint:?}"),
            r#"Endpoint { url: "https://node.example:8545", .. }"#
        );
    }

    #[test]
    fn a_url_that_is_none_or_has_another_scheme_is_refused_without_being_shown() {
        let refusal = |url| {
            Endpoint::new(url, Duration::from_secs(1))
                .unwrap_err()
                .to_string()
        };
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
