//! Tools beside those of the functions, for what agents get wrong alone: decimals, many reads at once, what a contract is.
//!
//! Their names have a hyphen, which no tool of a function has.

mod amount;
mod ask;
mod batch;
mod deploy;
mod info;
mod multicall;

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    ArgumentErrors, Outcome, Tool, ToolAnnotations, ToolBuildError, ToolBuilder, ToolResult,
};

use super::answer::Fault;
use super::{Contract, Shared};
use crate::model::Interface;
use ask::Asker;

pub use batch::MAX_BATCH;
pub(super) use deploy::NAME as DEPLOY_NAME;
pub use multicall::MULTICALL3;

/// The helper tools of an interface, on its contract.
///
/// * `contract-info`: what the contract is and has;
/// * `read-many`: many reads at one block, in one request where the chain has Multicall3;
/// * `format-units`, `parse-units`: amounts between people and base units;
/// * `token-balance`: an account's tokens with their decimals, for tokens;
/// * `deploy-contract`: another contract of the same code, where there is code that can be deployed.
#[must_use]
pub fn helpers(interface: &Arc<Interface>, contract: Option<Contract>) -> Vec<Tool> {
    let shared = Arc::new(Shared::of(interface, contract));
    let asker = Asker::new(Arc::clone(interface), shared);
    let made = [
        info::tool(&asker),
        batch::tool(&asker),
        amount::format_tool(&asker),
        amount::parse_tool(&asker),
    ];
    let balance = asker.is_token().then(|| amount::balance_tool(&asker));
    let deploy = deploy::tool(&asker);
    made.into_iter()
        .chain(balance)
        .chain(deploy)
        .filter_map(told)
        .collect()
}

/// These tools are made of texts of this crate: one that cannot be built is a fault of ours, and no reason to stop.
fn told(made: Result<Tool, ToolBuildError>) -> Option<Tool> {
    made.inspect_err(|error| tracing::error!(%error, "a helper tool could not be made"))
        .ok()
}

/// The end of a helper's call.
fn ended(answer: Result<Value, Fault>) -> Outcome {
    match answer {
        Ok(answer) => ToolResult::structured(answer).into(),
        Err(fault) => fault.into_result().into(),
    }
}

/// A tool that only reads.
fn reading(builder: ToolBuilder) -> Result<Tool, ToolBuildError> {
    builder
        .annotations(ToolAnnotations::read_only())
        .argument_errors(ArgumentErrors::Explained)
        .tag("evm")
        .build()
}

/// An object schema with these properties.
fn object_schema(properties: impl Into<Value>, required: &[&str]) -> Value {
    Value::object()
        .put("type", "object")
        .put("properties", properties.into())
        .put(
            "required",
            required.iter().map(|name| Value::from(*name)).collect::<Value>(),
        )
        .put("additionalProperties", false)
        .build()
}

/// A schema of a type with a description.
fn typed(ty: &str, description: &str) -> Value {
    Value::object()
        .put("type", ty)
        .put("description", description)
        .build()
}

/// A text of a validated argument.
fn text<'a>(arguments: View<'a>, name: &str) -> &'a str {
    arguments.get(name).and_then(View::as_str).unwrap_or_default()
}
