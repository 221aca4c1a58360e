//! What a node is asked, as methods with answers of their own types.

use alloy_primitives::{Address, B256, Bytes, Log, U64, U256};
use serde_json::json;

use super::{
    answer::{Head, SimulatedBlock},
    node::Node,
    request::Request,
};
use crate::chain::{BlockId, BlockRef, ChainError, Execution};

/// What an execution did besides returning, as a node's simulation tells it.
pub(super) struct Trace {
    pub(super) gas_used: u64,
    pub(super) logs: Vec<Log>,
}

impl Node {
    pub(super) async fn block_number(&self) -> Result<u64, ChainError> {
        let number: U64 = self.read("eth_blockNumber", json!([])).await?;
        Ok(number.to())
    }

    /// The latest block.
    pub(super) async fn head(&self) -> Result<Head, ChainError> {
        self.read("eth_getBlockByNumber", json!(["latest", false])).await
    }

    pub(super) async fn block(&self, number: u64) -> Result<Option<BlockId>, ChainError> {
        let number = format!("{number:#x}");
        let found: Option<Head> = self.read("eth_getBlockByNumber", json!([number, false])).await?;
        Ok(found.and_then(|head| {
            Some(BlockId {
                number: head.number.to(),
                hash: head.hash?,
            })
        }))
    }

    pub(super) async fn code(&self, address: Address, block: BlockRef) -> Result<Bytes, ChainError> {
        self.read("eth_getCode", json!([address, block_text(block)]))
            .await
    }

    pub(super) async fn storage(&self, address: Address, slot: B256) -> Result<B256, ChainError> {
        self.read("eth_getStorageAt", json!([address, slot, "latest"]))
            .await
    }

    pub(super) async fn balance(&self, address: Address) -> Result<U256, ChainError> {
        self.read("eth_getBalance", json!([address, "latest"])).await
    }

    /// `eth_call`. A sender who holds too little for the value gets it for the call, where the node can do that.
    pub(super) async fn execute(&self, request: &Request, block: BlockRef) -> Result<Execution, ChainError> {
        let asked = match request.funded() {
            Some(funds) => {
                self.ask("eth_call", &(request.to_rpc(), block_text(block), funds))
                    .await
            }
            None => self.ask("eth_call", &(request.to_rpc(), block_text(block))).await,
        };
        match asked {
            Ok(output) => Ok(Execution::Returned(output)),
            Err(fault) => fault.into_execution(self.shown()),
        }
    }

    /// `eth_estimateGas` on the latest state; a request that fails there is [`ChainError::WouldFail`].
    pub(super) async fn estimate(&self, request: &Request) -> Result<u64, ChainError> {
        let asked = match request.funded() {
            Some(funds) => {
                self.ask::<U64>("eth_estimateGas", &(request.to_rpc(), "latest", funds))
                    .await
            }
            None => {
                self.ask::<U64>("eth_estimateGas", &(request.to_rpc(), "latest"))
                    .await
            }
        };
        match asked {
            Ok(gas) => Ok(gas.to()),
            Err(fault) => Err(ChainError::WouldFail(fault.into_execution(self.shown())?)),
        }
    }

    /// Gas and logs by `eth_simulateV1`; `None` when the node does not know it, or fails in it.
    pub(super) async fn trace(&self, request: &Request) -> Option<Trace> {
        let mut block = json!({ "calls": [request.to_rpc()] });
        if let (Some(funds), Some(members)) = (request.funded(), block.as_object_mut()) {
            members.insert("stateOverrides".to_owned(), funds);
        }
        let payload = json!({ "blockStateCalls": [block] });
        let blocks: Vec<SimulatedBlock> = self.ask("eth_simulateV1", &(payload, "latest")).await.ok()?;
        let call = blocks.into_iter().next()?.calls.into_iter().next()?;
        Some(Trace {
            gas_used: call.gas_used.to(),
            logs: call.logs.into_iter().map(Log::from).collect(),
        })
    }
}

fn block_text(block: BlockRef) -> String {
    match block {
        BlockRef::Latest => "latest".to_owned(),
        BlockRef::Number(number) => format!("{number:#x}"),
    }
}
