//! Calls that would change the chain, tried on its latest state.

use alloy_primitives::{Address, Bytes, U256};
use toolmesh_json::{ObjectBuilder, Value};

use super::Contract;
use super::answer::Fault;
use super::handler::FunctionHandler;
use super::send_rules::Sent;
use crate::accept::CallArguments;
use crate::chain::{BlockRef, ChainError, Execution, Message, Simulation};
use crate::revert::Revert;
use crate::schema::Controls;
use crate::units::format_ether;

impl FunctionHandler {
    /// Tries the call and tells what would happen.
    pub(super) async fn simulate(&self, contract: &Contract, call: CallArguments) -> Result<Value, Fault> {
        let message = self.message(contract, &call);
        let sender = message.from.or_else(|| contract.chain.default_sender());
        let tried = self.tried(contract, message.clone()).await;
        let (simulation, data) = tried.map_err(|fault| match sender {
            Some(_) => fault,
            // Most of what writes looks at who calls, and nobody means this one.
            None => fault.noting(&format!(
                "The call came from the zero address, since no account signs here: say who calls in {}.from.",
                Controls::of(&self.function).tx
            )),
        })?;
        let (result, invalid_utf8) = self
            .result(contract, &data, BlockRef::Number(simulation.block_number))
            .await?;
        let mut answer = facts(&simulation, true).put("result", result);
        if let Some(logs) = &simulation.logs {
            answer.insert("events", self.events(contract, logs));
        }
        Ok(answer
            .put("note", self.note(contract, &simulation, &message, sender))
            .put_opt("invalid_utf8", invalid_utf8)
            .build())
    }

    /// A simulation that succeeds, and what it returns.
    pub(super) async fn tried(
        &self,
        contract: &Contract,
        message: Message,
    ) -> Result<(Simulation, Bytes), Fault> {
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

    pub(super) fn explain(&self, execution: Option<&Execution>) -> Revert {
        match execution {
            Some(Execution::Reverted(data)) => self.shared.errors.explain(data),
            Some(Execution::Halted(reason)) => Revert::halted(reason),
            Some(Execution::Returned(_)) | None => Revert::halted("the chain does not tell why"),
        }
    }

    pub(super) fn events(&self, contract: &Contract, logs: &[alloy_primitives::Log]) -> Value {
        logs.iter()
            .map(|log| self.shared.events.explain(log, contract.address))
            .collect()
    }

    /// What was lent for the simulation, and what to do next.
    fn note(
        &self,
        contract: &Contract,
        simulation: &Simulation,
        message: &Message,
        sender: Option<Address>,
    ) -> String {
        let sent = Sent::Call(&self.function, &message.data);
        let key = Controls::of(&self.function).simulate.unwrap_or_default();
        let may_send = contract
            .chain
            .can_send()
            .map_err(ChainError::from)
            .and_then(|()| contract.send_rules.check(sent, sender));
        let next = match may_send {
            Ok(()) => format!("Nothing was sent. Call again with {key} = false to send it."),
            Err(ChainError::Refused(refusal)) => {
                format!("Nothing was sent, and nothing can be: {refusal}")
            }
            Err(other) => format!("Nothing was sent, and nothing can be: {other}"),
        };
        match simulation.short_of_funds {
            None => next,
            Some(holds) => {
                format!(
                    "The sender holds {holds} wei, less than it would pay; the simulation lent it the rest. {next}"
                )
            }
        }
    }
}

pub(super) fn facts(simulation: &Simulation, success: bool) -> ObjectBuilder {
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

pub(super) fn cost(gas: u64, price: U256) -> U256 {
    U256::from(gas).saturating_mul(price)
}
