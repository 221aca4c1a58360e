//! A chain behind a node's JSON-RPC interface, over HTTP or HTTPS.

mod answer;
mod broadcast;
mod fault;
mod fee;
mod node;
mod receipt;
mod request;
mod transaction;

use std::{fmt, time::Duration};

use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use self::{fee::Fees, node::Node, request::Request, transaction::Draft};
use super::{
    BlockRef, Chain, ChainError, Deployment, Execution, Message, Receipt, SendRefusal, Signer, Simulation,
    WritePolicy,
};

/// How an [`RpcChain`] is reached, and what it may do.
#[derive(Clone)]
pub struct RpcOptions {
    /// The node's URL, `http://` or `https://`. User information, path and query may hold secrets and
    /// are never shown.
    pub url: String,
    /// How long one request to the node may take, retries of reads included.
    pub timeout: Duration,
    /// How long to wait for the block that holds a sent transaction.
    pub receipt_timeout: Duration,
    /// The key that signs; `None` makes a chain that only reads and simulates.
    pub signer: Option<Signer>,
    /// The limits of transactions; `None` makes a chain that only reads and simulates.
    pub policy: Option<WritePolicy>,
}

impl RpcOptions {
    /// A chain that only reads and simulates: 30 s a request, 45 s for a receipt, no key, no policy. A call
    /// has 60 s in all by default, and its answer must still be able to tell the hash.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            timeout: Duration::from_secs(30),
            receipt_timeout: Duration::from_secs(45),
            signer: None,
            policy: None,
        }
    }
}

impl fmt::Debug for RpcOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RpcOptions")
            .field("url", &node::shown(&self.url))
            .field("timeout", &self.timeout)
            .field("receipt_timeout", &self.receipt_timeout)
            .field("signer", &self.signer)
            .field("policy", &self.policy)
            .finish()
    }
}

/// A chain behind a node.
///
/// Reads are repeated after a passing failure; a broadcast never is. Transactions are signed here and
/// sent raw, one after the other, so that concurrent callers get consecutive nonces.
#[derive(Debug)]
pub struct RpcChain {
    node: Node,
    signer: Option<Signer>,
    policy: Option<WritePolicy>,
    receipt_timeout: Duration,
    /// Held from reading the nonce until the node has taken the transaction.
    nonce: Mutex<()>,
}

impl RpcChain {
    /// Connects and asks for the chain's id, so that a node that cannot be reached, or that is of
    /// another chain than the policy says, is told at once.
    ///
    /// # Errors
    /// [`ChainError::InvalidUrl`], [`ChainError::Unreachable`], [`ChainError::WrongChain`], or what the
    /// node answers.
    pub async fn connect(options: RpcOptions) -> Result<Self, ChainError> {
        let chain = Self {
            node: Node::new(&options.url, options.timeout)?,
            signer: options.signer,
            policy: options.policy,
            receipt_timeout: options.receipt_timeout,
            nonce: Mutex::new(()),
        };
        let actual = chain.node.chain_id().await?;
        if let Some(policy) = &chain.policy {
            policy.check_chain(actual)?;
        }
        Ok(chain)
    }

    /// Who may sign and within which limits, or what is missing for that.
    fn authority(&self) -> Result<(&Signer, &WritePolicy), SendRefusal> {
        match (&self.signer, &self.policy) {
            (Some(signer), Some(policy)) => Ok((signer, policy)),
            (signer, policy) => Err(SendRefusal::NotConfigured {
                missing: missing(signer.is_none(), policy.is_none()),
            }),
        }
    }

    fn request(&self, message: &Message) -> Request {
        Request {
            from: message.from.or_else(|| self.default_sender()),
            kind: TxKind::Call(message.to),
            data: message.data.clone(),
            value: message.value,
            gas_limit: message.gas_limit,
        }
    }

    async fn simulated(&self, request: Request) -> Result<Simulation, ChainError> {
        let head = self.node.head().await?;
        let execution = self
            .node
            .execute(&request, BlockRef::Number(head.number.to()))
            .await?;
        let (fees, trace) = tokio::join!(Fees::of(&self.node, &head), self.node.trace(&request));
        let gas = match (&execution, &trace) {
            (Execution::Returned(_), _) => self.node.estimate(&request).await?,
            (_, Some(trace)) => trace.gas_used,
            (_, None) => 0,
        };
        let logs = trace.map(|trace| trace.logs);
        let block_number = head.number.to();
        Ok(Simulation {
            execution,
            gas,
            gas_price: U256::from(fees?.expected),
            logs,
            block_number,
        })
    }

    /// Everything from the checks to the receipt.
    async fn transact(&self, request: Request) -> Result<receipt::Mined, ChainError> {
        let (signer, policy) = self.authority()?;
        let draft = Draft::prepare(&self.node, request, signer, policy).await?;
        let transaction_hash = {
            let _turn = self.nonce.lock().await;
            broadcast::broadcast(&self.node, &draft, signer, policy).await?
        };
        receipt::wait(&self.node, &draft.request, transaction_hash, self.receipt_timeout).await
    }
}

/// The configuration that transactions still need, as a list.
fn missing(signer: bool, policy: bool) -> String {
    let key = "a key in the environment variable TOOLMESH_EVM_PRIVATE_KEY, or in a file that \
               TOOLMESH_EVM_PRIVATE_KEY_FILE names";
    let limits =
        "`chain_id`, `max_fee_wei` and (to pay anything) `max_value_wei` of the source in toolmesh.toml";
    match (signer, policy) {
        (true, true) => format!("{key}; {limits}"),
        (true, false) => key.to_owned(),
        (false, _) => limits.to_owned(),
    }
}

impl Chain for RpcChain {
    fn chain_id(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        Box::pin(self.node.chain_id())
    }

    fn default_sender(&self) -> Option<Address> {
        self.signer.as_ref().map(Signer::address)
    }

    fn can_send(&self) -> Result<(), SendRefusal> {
        self.authority().map(|_| ())
    }

    fn block_number(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        Box::pin(self.node.block_number())
    }

    fn code(&self, address: Address) -> BoxFuture<'_, Result<Bytes, ChainError>> {
        Box::pin(self.node.code(address))
    }

    fn storage(&self, address: Address, slot: B256) -> BoxFuture<'_, Result<B256, ChainError>> {
        Box::pin(self.node.storage(address, slot))
    }

    fn balance(&self, address: Address) -> BoxFuture<'_, Result<U256, ChainError>> {
        Box::pin(self.node.balance(address))
    }

    fn call(&self, message: Message, block: BlockRef) -> BoxFuture<'_, Result<Execution, ChainError>> {
        Box::pin(async move { self.node.execute(&self.request(&message), block).await })
    }

    fn simulate(&self, message: Message) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        Box::pin(async move { self.simulated(self.request(&message)).await })
    }

    fn send(&self, message: Message) -> BoxFuture<'_, Result<Receipt, ChainError>> {
        Box::pin(async move { Ok(self.transact(self.request(&message)).await?.receipt) })
    }

    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>> {
        let from = self.default_sender();
        let request = Request {
            from,
            kind: TxKind::Create,
            data: code,
            value,
            gas_limit: None,
        };
        Box::pin(async move {
            let receipt::Mined { receipt, created } = self.transact(request).await?;
            let address = created.ok_or_else(|| {
                ChainError::Internal(format!(
                    "the node's receipt of deployment {} names no contract address",
                    receipt.transaction_hash
                ))
            })?;
            Ok(Deployment { address, receipt })
        })
    }
}
