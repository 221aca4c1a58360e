//! The handler that all tools of contracts have.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{Address, hex};
use toolmesh_json::{Pointer, Value};
use toolmesh_tool::{BoxFuture, CallContext, CallError, Outcome, ResumeHandler, Resumption, ToolHandler};

use super::answer::Fault;
use super::send_call::outcome;
use super::{Contract, Shared};
use crate::accept::CallArguments;
use crate::chain::{BlockRef, Message};
use crate::ens::resolved;
use crate::model::{Function, Parameter};
use crate::value::{InvalidUtf8, SolidityValue, decode, encode, members_to_json, to_json};

/// What names in the arguments stand for.
type Names = BTreeMap<String, Address>;

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

    /// The arguments of a call that passed the schema, with the names in them resolved, and what those stand for.
    async fn arguments(&self, arguments: &Value) -> Result<(CallArguments, Names), Outcome> {
        let registry = self.shared.contract.as_ref().and_then(|contract| {
            let registry = contract.ens_registry?;
            Some((contract.chain.as_ref(), registry))
        });
        let (arguments, names) = match registry {
            None => (arguments.clone(), Names::new()),
            Some((chain, registry)) => resolved(chain, registry, &self.function, arguments.view())
                .await
                .map_err(|fault| Outcome::from(fault.into_result()))?,
        };
        match CallArguments::read(&self.function, arguments.view()) {
            Ok(call) => Ok((call, names)),
            Err(error) => Err(CallError::Internal(format!("arguments in published form: {error}")).into()),
        }
    }

    /// The message that calls the function with these arguments.
    pub(super) fn message(&self, contract: &Contract, call: &CallArguments) -> Message {
        let data = self.data(&call.values);
        Message {
            from: call.from,
            value: call.value,
            gas_limit: call.gas_limit,
            ..Message::new(contract.address, data.into())
        }
    }

    fn data(&self, values: &[SolidityValue]) -> Vec<u8> {
        if self.function.is_raw() {
            return match values {
                [SolidityValue::Bytes(data)] => data.clone(),
                _ => Vec::new(),
            };
        }
        let mut data = self.function.selector().to_vec();
        data.extend(encode(&self.function.inputs, values));
        data
    }

    /// The JSON of what the function returned, and of the strings in it that are no valid UTF-8.
    pub(super) async fn result(
        &self,
        contract: &Contract,
        data: &[u8],
        block: BlockRef,
    ) -> Result<(Value, Option<Value>), Fault> {
        if self.function.is_raw() {
            return Ok((Value::from(hex::encode_prefixed(data)), None));
        }
        let outputs = self.function.outputs.as_slice();
        if data.is_empty() && !outputs.is_empty() {
            return Err(explain_silence(contract, block).await);
        }
        let values = decode(outputs, data).map_err(Fault::BadData)?;
        let mut invalid = InvalidUtf8::default();
        let result = returned(outputs, &values, &mut invalid);
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

/// The JSON of what a function returned: `null`, a value, or an object of several.
pub(super) fn returned(outputs: &[Parameter], values: &[SolidityValue], invalid: &mut InvalidUtf8) -> Value {
    let mut at = Pointer::root().join("result");
    match (outputs, values) {
        ([], _) => Value::null(),
        ([output], [value]) => to_json(&output.ty, value, &mut at, invalid),
        (outputs, values) => members_to_json(outputs, values, &mut at, invalid),
    }
}

impl ToolHandler for FunctionHandler {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.arguments(&arguments).await {
                Ok((call, names)) => telling(self.answer(&context, call).await, &names),
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
            match self.arguments(&resumption.arguments).await {
                Ok((call, names)) => {
                    let ended = self.resume_sending(&context, contract, call, &resumption).await;
                    telling(ended, &names)
                }
                Err(refusal) => refusal,
            }
        })
    }
}

/// The outcome with what names were resolved to, where there were any.
fn telling(outcome: Outcome, names: &Names) -> Outcome {
    let Outcome::Completed(mut result) = outcome else {
        return outcome;
    };
    if let (false, Some(members)) = (
        names.is_empty(),
        result
            .structured
            .as_ref()
            .and_then(|structured| structured.as_object()),
    ) {
        let mut object = Value::object();
        object.extend(members.iter().map(|(key, value)| (key, value.to_value())));
        let mut told = Value::object();
        for (name, address) in names {
            told.insert(name.as_str(), address.to_checksum(None));
        }
        object.insert("resolved_names", told);
        result.structured = Some(object.build());
    }
    Outcome::Completed(result)
}
