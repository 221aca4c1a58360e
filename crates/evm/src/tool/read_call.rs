//! Calls that only read.

use toolmesh_json::Value;

use super::Contract;
use super::answer::Fault;
use super::handler::FunctionHandler;
use crate::accept::CallArguments;
use crate::chain::{BlockRef, Execution};
use crate::revert::Revert;

impl FunctionHandler {
    /// `{"result", "block_number"}`: the latest block is asked for first, so that the answer is of the
    /// block that it names.
    pub(super) async fn read(&self, contract: &Contract, call: CallArguments) -> Result<Value, Fault> {
        let block = match call.block {
            Some(block) => block,
            None => contract.chain.block_number().await?,
        };
        let message = self.message(contract, &call);
        let facts = Value::object().put("block_number", block);
        match contract.chain.call(message, BlockRef::Number(block)).await? {
            Execution::Returned(data) => {
                let (result, invalid_utf8) = self.result(contract, &data, BlockRef::Number(block)).await?;
                let answer = Value::object().put("result", result).put("block_number", block);
                Ok(answer.put_opt("invalid_utf8", invalid_utf8).build())
            }
            Execution::Reverted(data) => Err(Fault::reverted(self.shared.errors.explain(&data), facts)),
            Execution::Halted(reason) => Err(Fault::reverted(Revert::halted(&reason), facts)),
        }
    }
}
