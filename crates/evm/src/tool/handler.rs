//! The handler that all tools of contracts have.

use std::sync::Arc;

use toolmesh_json::{Pointer, Value};
use toolmesh_tool::{BoxFuture, CallContext, CallError, Outcome, ResumeHandler, Resumption, ToolHandler};

use super::answer::Fault;
use super::send_call::outcome;
use super::{Contract, Shared};
use crate::accept::CallArguments;
use crate::chain::{BlockRef, Message};
use crate::model::Function;
use crate::value::{InvalidUtf8, decode, encode, members_to_json, to_json};

/// Calls one function.
#[derive(Debug)]
pub(super) struct FunctionHandler {
    pub(super) function: Arc<Function>,
    pub(super) shared: Arc<Shared>,
}

impl FunctionHandler {
    pub(super) fn new(function: Arc<Function>, shared: Arc<Shared>) -> Self {
        Self { function, shared }
    }

    async fn answer(&self, context: &CallContext, call: CallArguments) -> Outcome {
        let Some(contract) = self.shared.contract.as_ref() else {
            return Fault::Unbound.into_result().into();
        };
        if self.function.mutability.is_read() {
            outcome(self.read(contract, call).await)
        } else if call.simulate {
            outcome(self.simulate(contract, call).await)
        } else {
            self.send(context, contract, call).await
        }
    }

    /// The arguments of a call that passed the schema.
    fn arguments(&self, arguments: &Value) -> Result<CallArguments, Outcome> {
        CallArguments::read(&self.function, arguments.view())
            .map_err(|error| CallError::Internal(format!("arguments in published form: {error}")).into())
    }

    /// The message that calls the function with these arguments.
    pub(super) fn message(&self, contract: &Contract, call: &CallArguments) -> Message {
        let mut data = self.function.selector().to_vec();
        data.extend(encode(&self.function.inputs, &call.values));
        Message {
            from: call.from,
            value: call.value,
            gas_limit: call.gas_limit,
            ..Message::new(contract.address, data.into())
        }
    }

    /// The JSON of what the function returned, and of the strings in it that are no valid UTF-8.
    pub(super) async fn result(
        &self,
        contract: &Contract,
        data: &[u8],
        block: BlockRef,
    ) -> Result<(Value, Option<Value>), Fault> {
        let outputs = self.function.outputs.as_slice();
        if data.is_empty() && !outputs.is_empty() {
            return Err(explain_silence(contract, block).await);
        }
        let values = decode(outputs, data).map_err(Fault::BadData)?;
        let mut invalid = InvalidUtf8::default();
        let mut at = Pointer::root().join("result");
        let result = match (outputs, values.as_slice()) {
            ([], _) => Value::null(),
            ([output], [value]) => to_json(&output.ty, value, &mut at, &mut invalid),
            (outputs, values) => members_to_json(outputs, values, &mut at, &mut invalid),
        };
        Ok((result, invalid.to_value()))
    }
}

/// A call of an address without code succeeds and returns nothing.
async fn explain_silence(contract: &Contract, block: BlockRef) -> Fault {
    match contract.chain.code(contract.address, block).await {
        Err(error) => Fault::Chain(error),
        Ok(code) if code.is_empty() => match contract.chain.chain_id().await {
            Err(error) => Fault::Chain(error),
            Ok(chain_id) => Fault::NoContract {
                address: contract.address,
                chain_id,
                block,
            },
        },
        Ok(_) => Fault::NoData,
    }
}

impl ToolHandler for FunctionHandler {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.arguments(&arguments) {
                Ok(call) => self.answer(&context, call).await,
                Err(refusal) => refusal,
            }
        })
    }
}

impl ResumeHandler for FunctionHandler {
    fn resume<'a>(&'a self, context: CallContext, resumption: Resumption) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let Some(contract) = self.shared.contract.as_ref() else {
                return Fault::Unbound.into_result().into();
            };
            match self.arguments(&resumption.arguments) {
                Ok(call) => self.resume_sending(&context, contract, call, &resumption).await,
                Err(refusal) => refusal,
            }
        })
    }
}
