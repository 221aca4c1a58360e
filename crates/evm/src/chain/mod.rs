//! The live side of a Solidity interface: the chain its contract stands on.
//!
//! Tools know only the [`Chain`] trait. [`SandboxChain`] is a whole chain inside the process (a real
//! EVM, funded development accounts, a block per transaction, no node, no key, no network);
//! [`RpcChain`] speaks JSON-RPC with a node over HTTP or HTTPS.
//!
//! A chain executes and reports; it does not interpret. Revert data, return data and logs are handed
//! over as the bytes they are, and decoding them with the contract's interface is the caller's part.

mod api;
mod error;
mod gas;
mod policy;
mod report;
mod rpc;
mod sandbox;
mod signer;
mod wait;

pub use api::{Announce, BlockRef, Chain, Message, Unannounced};
pub use error::{ChainError, SendRefusal};
pub use policy::WritePolicy;
pub use report::{
    BlockId, Deployment, Execution, LogPage, LogPosition, LogQuery, LogRecord, Receipt, Simulation,
};
pub use rpc::{MAX_RPC_URLS, RpcChain, RpcOptions};
pub use sandbox::{
    AccountState, BLOCK_GAS_LIMIT, CHAIN_ID as SANDBOX_CHAIN_ID, Clock, ControlError, HISTORY_BLOCKS,
    LatestBlock, MAX_ADVANCE_SECONDS, MAX_MINED_BLOCKS, MAX_SNAPSHOTS, MAX_STATE_BYTES, SandboxChain,
    StateError,
};
pub use signer::{Signer, SignerError};
pub use wait::for_receipt as wait_for_receipt;
