//! Functions to tools.

mod answer;
mod handler;
mod helper;
mod read_call;
mod send_call;
mod send_rules;
mod simulate_call;

use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::{Address, hex};
use toolmesh_tool::{Accept, ArgumentErrors, TaskMode, Tool, ToolAnnotations, ToolHandler};

use crate::accept::AcceptSpellings;
use crate::chain::Chain;
use crate::describe;
use crate::ens::AcceptNames;
use crate::event::Events;
use crate::model::{Function, Interface, RAW_NAME};
use crate::name::{ToolNames, tool_names};
use crate::revert::Errors;
use crate::schema::CompiledSchemas;
pub(crate) use answer::Fault;
use handler::FunctionHandler;
pub use send_rules::{SendRules, UnknownFunction};

pub use helper::{MAX_BATCH, MULTICALL3, helpers};

/// A contract on a chain.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Where it stands.
    pub address: Address,
    /// The chain.
    pub chain: Arc<dyn Chain>,
    /// Which transactions may be sent.
    pub send_rules: SendRules,
    /// The registry of names (ENS), where names are admitted in the place of addresses.
    pub ens_registry: Option<Address>,
}

/// What became of a function.
#[derive(Clone, Debug)]
pub struct MappedFunction {
    /// The function.
    pub function: Arc<Function>,
    /// Its tool, or why there is none.
    pub tool: Result<Tool, String>,
}

/// What the tools of one contract share.
#[derive(Debug)]
struct Shared {
    contract: Option<Contract>,
    errors: Errors,
    events: Events,
}

impl Shared {
    fn of(interface: &Interface, contract: Option<Contract>) -> Self {
        Self {
            contract,
            errors: Errors::of(interface),
            events: Events::of(interface),
        }
    }

    /// Whether names stand for addresses in arguments.
    fn admits_names(&self) -> bool {
        self.contract
            .as_ref()
            .is_some_and(|contract| contract.ens_registry.is_some())
    }
}

/// Makes a tool of every function, in the order of the interface, and one for `fallback` and `receive`.
///
/// Without a contract the tools can be listed and described; a call answers that there is nothing to call.
#[must_use]
pub fn tools(interface: &Interface, contract: Option<Contract>) -> Vec<MappedFunction> {
    let names = tool_names(interface.functions());
    let namesakes = count_names(interface);
    let shared = Arc::new(Shared::of(interface, contract));
    let mut schemas = CompiledSchemas::new(shared.admits_names());
    let raw = interface.raw().map(Arc::new).map(|raw| MappedFunction {
        tool: tool(&raw, RAW_NAME, Vec::new(), &mut schemas, Arc::clone(&shared)),
        function: raw,
    });
    let functions = interface.functions().map(|function| {
        let is_overloaded = namesakes
            .get(function.name.as_str())
            .is_some_and(|count| *count > 1);
        MappedFunction {
            function: Arc::clone(function),
            tool: function_tool(function, &names, is_overloaded, &mut schemas, Arc::clone(&shared)),
        }
    });
    functions.chain(raw).collect()
}

fn count_names(interface: &Interface) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for function in interface.functions() {
        *counts.entry(function.name.as_str()).or_default() += 1;
    }
    counts
}

fn function_tool(
    function: &Arc<Function>,
    names: &ToolNames,
    is_overloaded: bool,
    schemas: &mut CompiledSchemas,
    shared: Arc<Shared>,
) -> Result<Tool, String> {
    let name = names
        .of(function)
        .ok_or_else(|| "no name tells it apart from another function".to_owned())?;
    tool(
        function,
        name,
        aliases(function, name, is_overloaded),
        schemas,
        shared,
    )
}

fn tool(
    function: &Arc<Function>,
    name: &str,
    aliases: Vec<String>,
    schemas: &mut CompiledSchemas,
    shared: Arc<Shared>,
) -> Result<Tool, String> {
    let is_read = function.mutability.is_read();
    let admits_names = shared.admits_names();
    let handler = Arc::new(FunctionHandler::new(Arc::clone(function), shared));
    let accept: Arc<dyn Accept> = if admits_names {
        Arc::new(AcceptNames(Arc::clone(function)))
    } else {
        Arc::new(AcceptSpellings(Arc::clone(function)))
    };
    let builder = Tool::with_name(name)
        .compiled_input_schema(schemas.input(function).map_err(|error| error.to_string())?)
        .compiled_output_schema(schemas.output(function).map_err(|error| error.to_string())?)
        .dyn_handler(Arc::clone(&handler) as Arc<dyn ToolHandler>)
        .title(describe::title(function))
        .description(describe::description(function))
        .annotations(annotations(is_read))
        .tag("evm")
        .stateless(is_read)
        .accept(accept)
        .argument_errors(ArgumentErrors::Explained);
    let mut builder = aliases
        .into_iter()
        .fold(builder, |builder, alias| builder.alias(alias));
    if !is_read {
        // Whether a call becomes a task is decided when it is sent: a chain may make its client wait.
        builder = builder.tasks(TaskMode::Allowed).dyn_resume(handler);
    }
    builder.build().map_err(|error| error.to_string())
}

fn annotations(is_read: bool) -> ToolAnnotations {
    if is_read {
        return ToolAnnotations::read_only();
    }
    ToolAnnotations {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: Some(false),
        ..ToolAnnotations::default()
    }
}

/// The name in the source (unless it is several functions'), the signature, the selector.
fn aliases(function: &Function, name: &str, is_overloaded: bool) -> Vec<String> {
    let own_name = (!is_overloaded && function.name != name).then(|| function.name.clone());
    own_name
        .into_iter()
        .chain([
            function.signature().to_owned(),
            hex::encode_prefixed(function.selector()),
        ])
        .collect()
}
