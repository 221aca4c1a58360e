//! Calls that change the chain: tried by default, sent on demand.

use std::sync::Arc;

use alloy_primitives::{Bytes, U256};
use toolmesh_json::{ObjectBuilder, Value};

use super::Contract;
use super::answer::Fault;
use super::handler::FunctionHandler;
use crate::accept::CallArguments;
use crate::chain::{ChainError, Execution, Message, Receipt, Simulation};
use crate::revert::Revert;
use crate::schema::Controls;
use crate::units::format_ether;

impl FunctionHandler {
    /// Tries the call and tells what would happen.
    pub(super) async fn simulate(&self, contract: &Contract, call: CallArguments) -> Result<Value, Fault> {
        let (simulation, data) = self.tried(contract, self.message(contract, &call)).await?;
        let (result, invalid_utf8) = self.result(contract, &data).await?;
        let mut answer = facts(&simulation, true).put("result", result);
        if let Some(logs) = &simulation.logs {
            answer.insert("events", self.events(contract, logs));
        }
        Ok(answer
            .put("note", self.next_step(contract))
            .put_opt("invalid_utf8", invalid_utf8)
            .build())
    }

    /// Sends the transaction and waits for its block. The chain refuses one that would fail.
    pub(super) async fn send(&self, contract: &Contract, call: CallArguments) -> Result<Value, Fault> {
        let receipt = match send_to_the_end(contract, self.message(contract, &call)).await {
            Err(ChainError::WouldFail(execution)) => {
                let facts = Value::object().put("simulated", true).put("success", false);
                return Err(Fault::reverted(self.explain(Some(&execution)), facts));
            }
            sent => sent?,
        };
        let facts = receipt_facts(&receipt);
        if !receipt.success {
            return Err(Fault::reverted(self.explain(receipt.output.as_ref()), facts));
        }
        let mut answer = facts.put("events", self.events(contract, &receipt.logs));
        if let Some(Execution::Returned(data)) = &receipt.output {
            let (result, invalid_utf8) = self.result(contract, data).await?;
            answer = answer.put("result", result).put_opt("invalid_utf8", invalid_utf8);
        }
        Ok(answer.build())
    }

    /// A simulation that succeeds, and what it returns.
    async fn tried(&self, contract: &Contract, message: Message) -> Result<(Simulation, Bytes), Fault> {
        let simulation = contract.chain.simulate(message).await?;
        match &simulation.execution {
            Execution::Returned(data) => {
                let data = data.clone();
                Ok((simulation, data))
            }
            failed => Err(Fault::reverted(
                self.explain(Some(failed)),
                facts(&simulation, false),
            )),
        }
    }

    fn explain(&self, execution: Option<&Execution>) -> Revert {
        match execution {
            Some(Execution::Reverted(data)) => self.shared.errors.explain(data),
            Some(Execution::Halted(reason)) => Revert::halted(reason),
            Some(Execution::Returned(_)) | None => Revert::halted("the chain does not tell why"),
        }
    }

    fn events(&self, contract: &Contract, logs: &[alloy_primitives::Log]) -> Value {
        logs.iter()
            .map(|log| self.shared.events.explain(log, contract.address))
            .collect()
    }

    fn next_step(&self, contract: &Contract) -> String {
        let key = Controls::of(&self.function).simulate.unwrap_or_default();
        match contract.chain.can_send() {
            Ok(()) => format!("Nothing was sent. Call again with {key} = false to send it."),
            Err(refusal) => format!("Nothing was sent, and nothing can be: {refusal}"),
        }
    }
}

/// Sends in a task of its own: a caller who goes away must not stop it between signature and receipt.
async fn send_to_the_end(contract: &Contract, message: Message) -> Result<Receipt, ChainError> {
    let chain = Arc::clone(&contract.chain);
    let sending = tokio::spawn(async move { chain.send(message).await });
    sending
        .await
        .unwrap_or_else(|_| Err(ChainError::Internal("the transaction was interrupted".to_owned())))
}

fn facts(simulation: &Simulation, success: bool) -> ObjectBuilder {
    let cost = cost(simulation.gas, simulation.gas_price);
    Value::object()
        .put("simulated", true)
        .put("success", success)
        .put("gas_estimate", simulation.gas)
        .put("gas_price", simulation.gas_price.to_string())
        .put("cost_wei", cost.to_string())
        .put("cost_formatted", format_ether(cost))
        .put("block_number", simulation.block_number)
}

fn receipt_facts(receipt: &Receipt) -> ObjectBuilder {
    let cost = cost(receipt.gas_used, receipt.effective_gas_price);
    Value::object()
        .put("simulated", false)
        .put("success", receipt.success)
        .put("tx_hash", receipt.transaction_hash.to_string())
        .put("block_number", receipt.block_number)
        .put("gas_used", receipt.gas_used)
        .put("effective_gas_price", receipt.effective_gas_price.to_string())
        .put("cost_wei", cost.to_string())
        .put("cost_formatted", format_ether(cost))
}

fn cost(gas: u64, price: U256) -> U256 {
    U256::from(gas).saturating_mul(price)
}
