//! `deploy-contract`: another contract of the same code.

use std::sync::Arc;

use alloy_primitives::{Bytes, U256};
use toolmesh_json::{Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{ArgumentErrors, CallError, Outcome, Tool, ToolBuildError};

use super::ask::Asker;
use super::{ended, typed};
use crate::accept::{AcceptSpellings, CallArguments};
use crate::chain::{ChainError, Execution};
use crate::model::{Bytecode, Function, Mutability};
use crate::schema::{Controls, closed, parameter_schema, simulate_schema, value_schema};
use crate::source::with_arguments;
use crate::tool::annotations;
use crate::tool::answer::Fault;
use crate::tool::send_call;
use crate::tool::send_rules::Sent;
use crate::tool::simulate_call::facts;

/// The name of the tool.
pub(in crate::tool) const NAME: &str = "deploy-contract";

/// A constructor and the code that it runs in.
#[derive(Debug)]
struct Creation {
    asker: Asker,
    code: Bytes,
    /// The constructor as a function: its arguments and controls are read like any function's.
    constructor: Arc<Function>,
}

/// The tool, when the interface comes with code that can be deployed.
pub(super) fn tool(asker: &Asker) -> Option<Result<Tool, ToolBuildError>> {
    let Some(Bytecode::Linked(code)) = &asker.interface.bytecode else {
        return None;
    };
    let constructor = asker.interface.constructor();
    let (inputs, payable) = constructor
        .map(|constructor| (constructor.inputs.clone(), constructor.payable))
        .unwrap_or_default();
    let mutability = if payable {
        Mutability::Payable
    } else {
        Mutability::NonPayable
    };
    let constructor = Arc::new(Function::new(NAME.to_owned(), inputs, Vec::new(), mutability));
    let creation = Arc::new(Creation {
        asker: asker.clone(),
        code: code.clone(),
        constructor: Arc::clone(&constructor),
    });
    let built = Tool::with_name(NAME)
        .input_schema(input(&constructor), Profile::Draft2020_12)
        .output_schema(output(), Profile::Draft2020_12)
        .handler(move |_, arguments| {
            let creation = Arc::clone(&creation);
            async move { creation.run(&arguments).await }
        })
        .title("Deploy contract")
        .description(
            "Create another contract of this code; the other tools go on with the one that they are bound to. Changes \
             the chain: only simulated unless simulate is false.",
        )
        .annotations(annotations(false))
        .accept(Arc::new(AcceptSpellings(constructor)))
        .argument_errors(ArgumentErrors::Explained)
        .tag("evm")
        .stateless(false);
    Some(built.build())
}

/// The constructor's arguments, and the controls that a deployment has: it comes from the chain's own account.
fn input(constructor: &Function) -> Value {
    let controls = Controls::of(constructor);
    let mut properties = Value::object();
    let mut required = Value::array();
    for input in &constructor.inputs {
        properties.insert(input.key.as_str(), parameter_schema(input, None));
        required.add(input.key.as_str());
    }
    if let Some(key) = controls.value {
        properties.insert(key, value_schema());
    }
    if let Some(key) = controls.simulate {
        properties.insert(key, simulate_schema());
    }
    closed(properties, required)
}

fn output() -> Value {
    let properties = Value::object()
        .put(
            "simulated",
            typed("boolean", "Whether it was only tried: nothing was sent."),
        )
        .put(
            "success",
            typed("boolean", "Whether it succeeded, or would succeed."),
        )
        .put("address", typed("string", "Where the new contract stands."))
        .put("tx_hash", typed("string", "The hash of the transaction."))
        .put(
            "gas_estimate",
            typed("integer", "The gas that the transaction would need."),
        )
        .put(
            "gas_price",
            typed("string", "The price of a unit of gas at present, in wei."),
        )
        .put("gas_used", typed("integer", "The gas that the transaction used."))
        .put(
            "effective_gas_price",
            typed("string", "The price that was paid for a unit of gas, in wei."),
        )
        .put("cost_wei", typed("string", "What all the gas costs, in wei."))
        .put("cost_formatted", typed("string", "The same in ether."))
        .put(
            "block_number",
            typed("integer", "The block whose state the answer is of."),
        )
        .put("note", typed("string", "What to do next."));
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", Value::array().push("simulated").push("success"))
        .build()
}

impl Creation {
    async fn run(&self, arguments: &Value) -> Outcome {
        let view: View<'_> = arguments.view();
        match CallArguments::read(&self.constructor, view) {
            Ok(call) => {
                let code = with_arguments(&self.code, &self.constructor.inputs, &call.values);
                let answer = if call.simulate {
                    self.simulate(code, call.value).await
                } else {
                    self.deploy(code, call.value).await
                };
                ended(answer)
            }
            Err(error) => CallError::Internal(format!("arguments in published form: {error}")).into(),
        }
    }

    async fn simulate(&self, code: Bytes, value: U256) -> Result<Value, Fault> {
        let contract = self.asker.contract()?;
        let simulation = contract.chain.simulate_deploy(code, value).await?;
        if !matches!(simulation.execution, Execution::Returned(_)) {
            let revert = self.asker.explain(&simulation.execution);
            return Err(Fault::reverted(revert, facts(&simulation, false)));
        }
        let key = Controls::of(&self.constructor).simulate.unwrap_or_default();
        let note = match self.may_send() {
            Ok(()) => format!("Nothing was sent. Call again with {key} = false to send it."),
            Err(refusal) => format!("Nothing was sent, and nothing can be: {refusal}"),
        };
        Ok(facts(&simulation, true).put("note", note).build())
    }

    /// A list of functions that may be called allows a creation by the name of this tool.
    fn may_send(&self) -> Result<(), ChainError> {
        let contract = self.asker.shared.contract.as_ref();
        let Some(contract) = contract else { return Ok(()) };
        contract.chain.can_send()?;
        contract
            .send_rules
            .check(Sent::Creation, contract.chain.default_sender())
    }

    /// In a task of its own: a caller who goes away must not stop it between signature and receipt.
    async fn deploy(&self, code: Bytes, value: U256) -> Result<Value, Fault> {
        self.may_send()?;
        let chain = Arc::clone(&self.asker.contract()?.chain);
        let sending = tokio::spawn(async move { chain.deploy(code, value).await });
        let sent = sending
            .await
            .unwrap_or_else(|_| Err(ChainError::Internal("the transaction was interrupted".to_owned())));
        let deployment = match sent {
            Err(ChainError::WouldFail(execution)) => {
                let facts = Value::object().put("simulated", true).put("success", false);
                return Err(Fault::reverted(self.asker.explain(&execution), facts));
            }
            sent => sent?,
        };
        let facts = send_call::facts(&deployment.receipt);
        if !deployment.receipt.success {
            let execution = deployment
                .receipt
                .output
                .unwrap_or(Execution::Halted("the chain does not tell why".into()));
            return Err(Fault::reverted(self.asker.explain(&execution), facts));
        }
        Ok(facts.put("address", deployment.address.to_checksum(None)).build())
    }
}
