//! A chain behind a node's JSON-RPC interface, over HTTP or HTTPS.

mod answer;
mod broadcast;
mod endpoint;
mod fault;
mod fee;
mod http;
mod logs;
mod node;
mod question;
mod receipt;
mod request;
mod transaction;
mod turn;

use std::{fmt, sync::Arc, time::Duration};

use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use futures_util::future::BoxFuture;

pub use node::MAX_RPC_URLS;

use self::{
    broadcast::Sending, endpoint::shown, fee::Fees, logs::Window, node::Node, request::Request,
    transaction::Draft, turn::Turn,
};
use super::{
    Announce, BlockId, BlockRef, Chain, ChainError, Deployment, Execution, LogPage, LogQuery, Message,
    Receipt, SendRefusal, Signer, Simulation, Unannounced, WritePolicy, wait,
};

/// The pause between two looks for a new block: half of the shortest block time that is common, so that nothing
/// waits long, and few enough requests for any provider.
const BLOCK_PAUSE: Duration = Duration::from_secs(2);

/// How an [`RpcChain`] is reached, and what it may do.
#[derive(Clone)]
pub struct RpcOptions {
    /// The URLs of nodes of one chain, `http://` or `https://`: the first that answers is asked, the others when it
    /// fails. User information, path and query may hold secrets and are never shown.
    pub urls: Vec<String>,
    /// The chain that the nodes must be of; without it the first one's is believed.
    pub chain_id: Option<u64>,
    /// How long one request may take, repetitions of reads included.
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
            urls: vec![url.into()],
            chain_id: None,
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
            .field(
                "urls",
                &self.urls.iter().map(|url| shown(url)).collect::<Vec<_>>(),
            )
            .field("chain_id", &self.chain_id)
            .field("timeout", &self.timeout)
            .field("receipt_timeout", &self.receipt_timeout)
            .field("signer", &self.signer)
            .field("policy", &self.policy)
            .finish()
    }
}

/// A chain behind a node, or several of one chain.
///
/// Reads are repeated after a passing failure, at the next node where there are several; a broadcast never is.
/// Transactions are signed here and sent raw, one after the other, so that concurrent callers get consecutive nonces.
#[derive(Debug)]
pub struct RpcChain {
    node: Node,
    signer: Option<Signer>,
    policy: Option<WritePolicy>,
    receipt_timeout: Duration,
    turn: Option<Turn>,
    window: Window,
}

impl RpcChain {
    /// Connects and asks for the chain's id, so that a node that cannot be reached, or that is of
    /// another chain than was said, is told at once.
    ///
    /// # Errors
    /// [`ChainError::InvalidUrl`], [`ChainError::Unreachable`], [`ChainError::WrongChain`],
    /// [`ChainError::SeveralChains`], or what the node answers.
    pub async fn connect(options: RpcOptions) -> Result<Self, ChainError> {
        let configured = options
            .policy
            .as_ref()
            .map(|policy| policy.chain_id)
            .or(options.chain_id);
        let node = Node::connect(&options.urls, options.timeout, configured).await?;
        let turn = options
            .signer
            .as_ref()
            .map(|signer| turn::of(signer.address(), node.chain_id(), node.shown()));
        Ok(Self {
            node,
            signer: options.signer,
            policy: options.policy,
            receipt_timeout: options.receipt_timeout,
            turn,
            window: Window::default(),
        })
    }

    /// Who may sign and within which limits, or what is missing for that.
    fn authority(&self) -> Result<(&Signer, &WritePolicy, &Turn), SendRefusal> {
        match (&self.signer, &self.policy, &self.turn) {
            (Some(signer), Some(policy), Some(turn)) => Ok((signer, policy, turn)),
            (signer, policy, _) => Err(SendRefusal::NotConfigured {
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
            lent: None,
        }
    }

    fn creation(&self, code: Bytes, value: U256) -> Request {
        Request {
            from: self.default_sender(),
            kind: TxKind::Create,
            data: code,
            value,
            gas_limit: None,
            lent: None,
        }
    }

    async fn simulated(&self, mut request: Request) -> Result<Simulation, ChainError> {
        let short_of_funds = self.lend(&mut request).await?;
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
            short_of_funds,
        })
    }

    /// Lends a sender who holds less than the request pays what it pays; what it holds, then.
    async fn lend(&self, request: &mut Request) -> Result<Option<U256>, ChainError> {
        if request.value.is_zero() {
            return Ok(None);
        }
        let holds = self.node.balance(request.from.unwrap_or_default()).await?;
        if holds >= request.value {
            return Ok(None);
        }
        request.lent = Some(request.value);
        Ok(Some(holds))
    }

    /// Everything from the checks to the broadcast.
    async fn submitted(&self, request: Request, announce: &dyn Announce) -> Result<B256, ChainError> {
        let (signer, policy, turn) = self.authority()?;
        let draft = Draft::prepare(&self.node, request, signer, policy).await?;
        let sending = Sending {
            node: &self.node,
            signer,
            policy,
            turn,
            announce,
        };
        sending.send(&draft).await
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
        Box::pin(async { Ok(self.node.chain_id()) })
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

    fn block(&self, number: u64) -> BoxFuture<'_, Result<Option<BlockId>, ChainError>> {
        Box::pin(self.node.block(number))
    }

    fn code(&self, address: Address, block: BlockRef) -> BoxFuture<'_, Result<Bytes, ChainError>> {
        Box::pin(self.node.code(address, block))
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

    fn submit(
        &self,
        message: Message,
        announce: Arc<dyn Announce>,
    ) -> BoxFuture<'_, Result<B256, ChainError>> {
        Box::pin(async move { self.submitted(self.request(&message), announce.as_ref()).await })
    }

    fn receipt(&self, transaction_hash: B256) -> BoxFuture<'_, Result<Option<Receipt>, ChainError>> {
        Box::pin(receipt::find(&self.node, transaction_hash))
    }

    fn receipt_timeout(&self) -> Duration {
        self.receipt_timeout
    }

    fn logs(&self, query: LogQuery) -> BoxFuture<'_, Result<LogPage, ChainError>> {
        Box::pin(async move { logs::find(&self.node, &self.window, &query).await })
    }

    fn wait_for_block(&self, _: u64) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(BLOCK_PAUSE))
    }

    fn simulate_deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        let request = self.creation(code, value);
        Box::pin(self.simulated(request))
    }

    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>> {
        let request = self.creation(code, value);
        Box::pin(async move {
            let hash = self.submitted(request, &Unannounced).await?;
            let receipt =
                wait::for_receipt(self, hash, self.receipt_timeout, &|_| Box::pin(async {})).await?;
            let address = receipt.contract_address.ok_or_else(|| {
                ChainError::Internal(format!(
                    "the node's receipt of deployment {hash} names no contract address"
                ))
            })?;
            Ok(Deployment { address, receipt })
        })
    }
}
