//! The tools of one contract on one chain.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use alloy_primitives::{Address, Bytes, U256};
use tokio::task::AbortHandle;
use toolmesh_json::Value;
use toolmesh_tool::{BoxFuture, Entries, Mount, Source, SourceError, Tool};

use crate::EvmError;
use crate::chain::{BlockRef, Chain, ChainError, Execution};
use crate::describe::parameter_list;
use crate::event::{EventResources, Live, event_tools, resources};
use crate::model::{Bytecode, Interface, Parameter};
use crate::revert::{Errors, Revert};
use crate::tool::{Contract, SendRules, helpers, tools};
use crate::value::{SolidityValue, arguments_from_json, encode};

/// Where the contract is.
#[derive(Clone, Debug)]
pub enum Target {
    /// Nowhere yet: it is created on `chain` from its bytecode when the source starts.
    Sandbox {
        /// The chain, usually a [`SandboxChain`](crate::chain::SandboxChain).
        chain: Arc<dyn Chain>,
        /// The arguments of the constructor: an object by name, or an array in order. `None` is enough for
        /// a constructor without arguments.
        constructor_arguments: Option<Value>,
    },
    /// At an address.
    Address {
        /// The address.
        address: Address,
        /// The chain.
        chain: Arc<dyn Chain>,
    },
    /// Nowhere: the tools can be listed and described, and a call answers that there is nothing to call.
    Unbound,
}

/// A source that offers the functions of one contract as tools.
#[derive(Debug)]
pub struct EvmSource {
    name: String,
    interface: Arc<Interface>,
    target: Target,
    send_rules: SendRules,
    event_tools: bool,
    ens_registry: Option<Address>,
    address: OnceLock<Address>,
    /// What follows the chain for its events, until the source is dropped.
    following: Mutex<Option<AbortHandle>>,
    helpers: bool,
}

impl EvmSource {
    /// A source called `name` for the contract with `interface` at `target`.
    #[must_use]
    pub fn new(name: impl Into<String>, interface: Arc<Interface>, target: Target) -> Self {
        Self {
            name: name.into(),
            interface,
            target,
            send_rules: SendRules::default(),
            event_tools: true,
            ens_registry: None,
            address: OnceLock::new(),
            following: Mutex::default(),
            helpers: false,
        }
    }

    /// Admits names (ENS) in the place of addresses, and asks this registry for them; without one only addresses are.
    #[must_use]
    pub fn with_ens(mut self, registry: Option<Address>) -> Self {
        self.ens_registry = registry;
        self
    }

    /// Sets whether events have tools that find them, beside their resources; they have unless said otherwise.
    #[must_use]
    pub fn with_event_tools(mut self, offered: bool) -> Self {
        self.event_tools = offered;
        self
    }

    /// Sends only the transactions that `rules` allow.
    #[must_use]
    pub fn with_send_rules(mut self, rules: SendRules) -> Self {
        self.send_rules = rules;
        self
    }

    /// Whether it offers helper tools beside those of the functions (see [`helpers`](crate::helpers)); not by default.
    #[must_use]
    pub fn with_helpers(mut self, helpers: bool) -> Self {
        self.helpers = helpers;
        self
    }

    /// The interface.
    #[must_use]
    pub fn interface(&self) -> &Arc<Interface> {
        &self.interface
    }

    /// Where the contract stands, once the source has started.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        self.address.get().copied()
    }

    /// Creates or finds the contract, and makes its tools.
    ///
    /// # Errors
    /// [`EvmError`] when nothing can be called, the contract cannot be created, or there is none at the
    /// address.
    pub async fn tools(&self) -> Result<Vec<Tool>, EvmError> {
        Ok(self.offer().await?.0.tools)
    }

    /// Everything that is offered of the contract, and what follows its events.
    async fn offer(&self) -> Result<(Entries, Option<Arc<Live>>), EvmError> {
        self.interface.ensure_callable()?;
        let contract = self.contract().await?;
        if let Some(contract) = &contract {
            let address = *self.address.get_or_init(|| contract.address);
            tracing::info!(source = %self.name, %address, "contract ready");
        }
        let mut entries = Entries::default();
        for mapped in tools(&self.interface, contract.clone()) {
            let signature = mapped.function.signature().to_owned();
            self.add(&mut entries.tools, mapped.tool, &signature);
        }
        if self.helpers {
            entries.tools.extend(helpers(&self.interface, contract.clone()));
        }
        let taken = entries.tools.iter().map(|tool| tool.name().to_string()).collect();
        let events = event_tools(&self.interface, contract.as_ref(), &taken);
        let EventResources {
            resources,
            templates,
            live,
        } = resources(&self.interface, &events, contract.as_ref());
        if self.event_tools {
            for mapped in events {
                let signature = mapped.event.signature().to_owned();
                self.add(&mut entries.tools, mapped.tool, &signature);
            }
        }
        entries.resources = resources;
        entries.templates = templates;
        Ok((entries, live))
    }

    fn add(&self, tools: &mut Vec<Tool>, made: Result<Tool, String>, signature: &str) {
        match made {
            Ok(tool) => tools.push(tool),
            Err(reason) => tracing::warn!(source = %self.name, signature, reason, "an entry has no tool"),
        }
    }

    async fn contract(&self) -> Result<Option<Contract>, EvmError> {
        let (address, chain) = match &self.target {
            Target::Unbound => return Ok(None),
            Target::Sandbox {
                chain,
                constructor_arguments,
            } => (self.deploy(chain, constructor_arguments.as_ref()).await?, chain),
            Target::Address { address, chain } => {
                ensure_code(chain, *address).await?;
                (*address, chain)
            }
        };
        Ok(Some(Contract {
            address,
            chain: Arc::clone(chain),
            send_rules: self.send_rules.clone(),
            ens_registry: self.ens_registry,
        }))
    }

    /// Starting again offers the contract that is there.
    async fn deploy(&self, chain: &Arc<dyn Chain>, arguments: Option<&Value>) -> Result<Address, EvmError> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let code = creation_code(&self.interface, arguments)?;
        if let Some(address) = chain.installed(&self.name, &code) {
            return Ok(address);
        }
        let made_from = code.clone();
        let deployment = match chain.deploy(code, U256::ZERO).await {
            Err(ChainError::WouldFail(execution)) => return Err(self.deployment_failed(Some(&execution))),
            deployed => deployed?,
        };
        if deployment.receipt.success {
            chain.remember_installed(&self.name, &made_from, deployment.address);
            return Ok(deployment.address);
        }
        Err(self.deployment_failed(deployment.receipt.output.as_ref()))
    }

    fn deployment_failed(&self, execution: Option<&Execution>) -> EvmError {
        let reason = match execution {
            Some(Execution::Reverted(data)) => {
                format!(
                    "its constructor reverted: {}",
                    Errors::of(&self.interface).explain(data).message
                )
            }
            Some(Execution::Halted(reason)) => Revert::halted(reason).message,
            Some(Execution::Returned(_)) | None => "the chain does not tell why".to_owned(),
        };
        EvmError::DeploymentFailed { reason }
    }
}

impl Drop for EvmSource {
    fn drop(&mut self) {
        if let Some(following) = locked(&self.following).take() {
            following.abort();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytecode with the constructor's encoded arguments behind it.
fn creation_code(interface: &Interface, arguments: Option<&Value>) -> Result<Bytes, EvmError> {
    let code = match &interface.bytecode {
        None => return Err(EvmError::NoBytecode),
        Some(Bytecode::Unlinked { libraries }) => {
            return Err(EvmError::Unlinked {
                libraries: libraries.clone(),
            });
        }
        Some(Bytecode::Linked(code)) => code,
    };
    let inputs = interface
        .constructor()
        .map(|constructor| constructor.inputs.as_slice())
        .unwrap_or_default();
    let values = match arguments {
        Some(arguments) => {
            arguments_from_json(inputs, arguments.view()).map_err(EvmError::BadConstructorArgument)?
        }
        None if inputs.is_empty() => Vec::new(),
        None => {
            return Err(EvmError::ConstructorArguments {
                expected: format!("({})", parameter_list(inputs)),
            });
        }
    };
    Ok(with_arguments(code, inputs, &values))
}

/// Creation code with the encoded arguments of the constructor behind it.
pub(crate) fn with_arguments(code: &Bytes, inputs: &[Parameter], values: &[SolidityValue]) -> Bytes {
    let mut creation = code.to_vec();
    creation.extend(encode(inputs, values));
    creation.into()
}

async fn ensure_code(chain: &Arc<dyn Chain>, address: Address) -> Result<(), EvmError> {
    if !chain.code(address, BlockRef::Latest).await?.is_empty() {
        return Ok(());
    }
    Err(EvmError::NoContract {
        address,
        chain_id: chain.chain_id().await?,
    })
}

impl Source for EvmSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            let (entries, live) = self.offer().await?;
            mount.replace(entries)?;
            if let Some(live) = live {
                let following = tokio::spawn(live.follow(mount)).abort_handle();
                let earlier = locked(&self.following).replace(following);
                if let Some(earlier) = earlier {
                    earlier.abort();
                }
            }
            Ok(())
        })
    }
}

impl From<EvmError> for SourceError {
    fn from(error: EvmError) -> Self {
        let text = error.to_string();
        match error {
            EvmError::NoBytecode
            | EvmError::ConstructorArguments { .. }
            | EvmError::BadConstructorArgument(_)
            | EvmError::NoContract { .. } => Self::Configuration(text),
            EvmError::Lookup(error) if error.is_not_verified() => Self::Unreadable(text),
            EvmError::Lookup(error) if error.needs_key() => Self::Configuration(text),
            EvmError::Lookup(_) => Self::Unreachable(text),
            EvmError::Chain(ChainError::Refused(_)) => Self::Refused(text),
            EvmError::Chain(
                ChainError::WrongChain { .. }
                | ChainError::SeveralChains { .. }
                | ChainError::InvalidUrl { .. },
            ) => Self::Configuration(text),
            EvmError::Chain(_) => Self::Unreachable(text),
            _ => Self::Invalid(text),
        }
    }
}
