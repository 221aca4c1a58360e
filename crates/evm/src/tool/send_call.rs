//! Calls that are sent as transactions.
//!
//! A transaction leaves this process once. What is known of it afterwards is its hash, and whoever waits for its block
//! (this call, a task, the same task after a restart) looks for the receipt by that hash.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::{BoxFuture, CallContext, CallError, Outcome, Resumption, TaskControl, ToolResult};

use super::Contract;
use super::answer::Fault;
use super::handler::FunctionHandler;
use super::send_rules::Sent;
use super::simulate_call::cost;
use crate::accept::CallArguments;
use crate::chain::{Announce, BlockRef, ChainError, Execution, Receipt, Unannounced, wait_for_receipt};
use crate::units::format_ether;

/// How long a task waits for the block of its transaction. What no block took in this time was mostly dropped.
const TASK_RECEIPT_TIMEOUT: Duration = Duration::from_secs(30 * 60);

impl FunctionHandler {
    /// Sends the transaction, and waits for its block here or in a task.
    pub(super) async fn send(
        &self,
        context: &CallContext,
        contract: &Contract,
        call: CallArguments,
    ) -> Outcome {
        let may_wait_elsewhere = context.can_create_task() && !contract.chain.mines_at_once();
        let ended = if may_wait_elsewhere {
            match self.checked(contract, &call).await {
                Ok(()) => return create_task(context).await,
                Err(fault) => Err(fault),
            }
        } else {
            self.sent_and_mined(context, contract, &call).await
        };
        outcome(ended)
    }

    /// Goes on with a transaction: one that has a hash is only looked for, and never sent again.
    pub(super) async fn resume_sending(
        &self,
        context: &CallContext,
        contract: &Contract,
        call: CallArguments,
        resumption: &Resumption,
    ) -> Outcome {
        let Some(task) = context.task() else {
            return CallError::Internal("a transaction goes on in a task alone".to_owned()).into();
        };
        let hash = match &resumption.checkpoint {
            // The hash is kept before the transaction leaves, so without one nothing left.
            None => {
                self.submitted(contract, &call, Arc::new(Checkpoint(task.clone())))
                    .await
            }
            Some(text) => text.parse().map_err(|_| {
                Fault::Chain(ChainError::Internal(
                    "the task has no transaction hash".to_owned(),
                ))
            }),
        };
        outcome(match hash {
            Err(fault) => Err(fault),
            Ok(hash) => self.mined_in_task(contract, task, hash).await,
        })
    }

    async fn sent_and_mined(
        &self,
        context: &CallContext,
        contract: &Contract,
        call: &CallArguments,
    ) -> Result<Value, Fault> {
        let hash = self.submitted(contract, call, Arc::new(Unannounced)).await?;
        let limit = contract.chain.receipt_timeout();
        let look = |waited: Duration| -> BoxFuture<'_, ()> {
            Box::pin(async move {
                let message = format!("transaction {hash} was sent; waiting for its block");
                context.progress(percent(waited, limit), Some(message)).await;
            })
        };
        let receipt = wait_for_receipt(contract.chain.as_ref(), hash, limit, &look).await?;
        self.told(contract, receipt).await
    }

    async fn mined_in_task(
        &self,
        contract: &Contract,
        task: &TaskControl,
        hash: B256,
    ) -> Result<Value, Fault> {
        let status = format!("transaction {hash} was sent; waiting for its block");
        if let Err(error) = task.status(status).await {
            tracing::debug!(%error, "the status of a task could not be told");
        }
        let chain = contract.chain.as_ref();
        let receipt = wait_for_receipt(chain, hash, TASK_RECEIPT_TIMEOUT, &|_| Box::pin(async {})).await?;
        self.told(contract, receipt).await
    }

    /// What a task needs no worker for: whether the transaction may be sent, and would succeed.
    async fn checked(&self, contract: &Contract, call: &CallArguments) -> Result<(), Fault> {
        self.allowed(contract, call)?;
        if call.gas_limit.is_none() {
            self.tried(contract, self.message(contract, call)).await?;
        }
        Ok(())
    }

    fn allowed(&self, contract: &Contract, call: &CallArguments) -> Result<(), Fault> {
        contract.chain.can_send().map_err(ChainError::from)?;
        let sender = call.from.or_else(|| contract.chain.default_sender());
        let sent = self.message(contract, call);
        Ok(contract
            .send_rules
            .check(Sent::Call(&self.function, &sent.data), sender)?)
    }

    /// Hands the transaction to the chain, which refuses one that would fail. It happens in a task of its own: a
    /// caller who goes away must not stop it between signature and broadcast.
    async fn submitted(
        &self,
        contract: &Contract,
        call: &CallArguments,
        announce: Arc<dyn Announce>,
    ) -> Result<B256, Fault> {
        self.allowed(contract, call)?;
        let message = self.message(contract, call);
        let chain = Arc::clone(&contract.chain);
        let submitting = tokio::spawn(async move { chain.submit(message, announce).await });
        let submitted = submitting
            .await
            .unwrap_or_else(|_| Err(ChainError::Internal("the transaction was interrupted".to_owned())));
        submitted.map_err(|error| match error {
            ChainError::WouldFail(execution) => {
                let facts = Value::object().put("simulated", true).put("success", false);
                Fault::reverted(self.explain(Some(&execution)), facts)
            }
            other => Fault::Chain(other),
        })
    }

    /// What a receipt tells.
    async fn told(&self, contract: &Contract, receipt: Receipt) -> Result<Value, Fault> {
        let facts = facts(&receipt);
        if !receipt.success {
            return Err(Fault::reverted(self.explain(receipt.output.as_ref()), facts));
        }
        let mut answer = facts.put("events", self.events(contract, &receipt.logs));
        if let Some(Execution::Returned(data)) = &receipt.output {
            let block = BlockRef::Number(receipt.block_number);
            let (result, invalid_utf8) = self.result(contract, data, block).await?;
            answer = answer.put("result", result).put_opt("invalid_utf8", invalid_utf8);
        }
        Ok(answer.build())
    }
}

/// Keeps the hash of a transaction with its task, before the transaction leaves. A worker that was overtaken cannot
/// keep anything, and so sends nothing.
struct Checkpoint(TaskControl);

impl Announce for Checkpoint {
    fn announce(&self, transaction_hash: B256) -> BoxFuture<'_, Result<(), ChainError>> {
        Box::pin(async move {
            let kept = self.0.checkpoint(transaction_hash.to_string()).await;
            kept.map_err(|error| {
                ChainError::Internal(format!(
                    "nothing was sent, because its hash could not be kept: {error}"
                ))
            })
        })
    }
}

async fn create_task(context: &CallContext) -> Outcome {
    match context.create_task(None).await {
        Ok(id) => Outcome::TaskCreated(id),
        Err(error) => error.into(),
    }
}

pub(super) fn outcome(ended: Result<Value, Fault>) -> Outcome {
    match ended {
        Ok(answer) => ToolResult::structured(answer).into(),
        Err(fault) => fault.into_result().into(),
    }
}

/// How much of the longest wait is over.
fn percent(waited: Duration, limit: Duration) -> f64 {
    if limit.is_zero() {
        return 0.0;
    }
    waited.as_secs_f64() / limit.as_secs_f64() * 100.0
}

pub(super) fn facts(receipt: &Receipt) -> ObjectBuilder {
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
