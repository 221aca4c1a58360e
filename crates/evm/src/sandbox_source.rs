//! The tools of a sandbox's owner: accounts, balances, time, blocks, going back. A source of its own, because several
//! contracts may stand on one sandbox.

mod control;

use std::sync::Arc;

use alloy_primitives::{Address, B256, U256};
use toolmesh_json::{Kind, ObjectBuilder, Pointer, Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{
    ArgumentErrors, BoxFuture, CallContext, Mount, Outcome, Source, SourceError, Tool, ToolBuildError,
    ToolHandler, ToolResult,
};

use self::control::Control;
use crate::chain::{Chain, ControlError, LatestBlock, Receipt, SandboxChain};
use crate::event::topics;
use crate::model::SolidityType;
use crate::units::format_ether;
use crate::value::{SolidityValue, from_json, parse_unsigned};

/// A source that offers what the owner of a sandbox can do with it.
#[derive(Clone, Debug)]
pub struct SandboxSource {
    name: String,
    chain: SandboxChain,
}

impl SandboxSource {
    /// A source called `name` for `chain`.
    #[must_use]
    pub fn new(name: impl Into<String>, chain: SandboxChain) -> Self {
        Self {
            name: name.into(),
            chain,
        }
    }

    /// Its tools; their names all begin with `sandbox_`.
    ///
    /// # Errors
    /// [`ToolBuildError`] when a tool cannot be made, which a test rules out.
    pub fn tools(&self) -> Result<Vec<Tool>, ToolBuildError> {
        Control::ALL
            .into_iter()
            .map(|control| self.tool(control))
            .collect()
    }

    fn tool(&self, control: Control) -> Result<Tool, ToolBuildError> {
        let handler = Arc::new(ControlHandler {
            control,
            chain: self.chain.clone(),
        });
        Tool::with_name(control.name())
            .input_schema(control.input(), Profile::Draft2020_12)
            .dyn_handler(handler)
            .title(control.title())
            .description(control.description())
            .annotations(control.annotations())
            .tag("evm")
            .tag("sandbox")
            .argument_errors(ArgumentErrors::Explained)
            .build()
    }
}

impl Source for SandboxSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            let tools = self
                .tools()
                .map_err(|error| SourceError::Invalid(error.to_string()))?;
            Ok(mount.replace(tools)?)
        })
    }
}

#[derive(Debug)]
struct ControlHandler {
    control: Control,
    chain: SandboxChain,
}

impl ControlHandler {
    async fn answer(&self, arguments: View<'_>) -> Result<Value, String> {
        let told = |error: ControlError| error.to_string();
        match self.control {
            Control::Accounts => self.accounts(arguments),
            Control::SetBalance => {
                let address = address(arguments.get("address")).ok_or("`address` is not an address")?;
                let balance = arguments.get("balance_wei").and_then(parse_unsigned);
                self.chain
                    .set_balance(address, balance.ok_or("`balance_wei` is not an amount of wei")?);
                Ok(self.account(address).build())
            }
            Control::Mine => {
                let blocks = small(arguments, "blocks").unwrap_or(1);
                self.chain.mine(blocks).map(block).map_err(told)
            }
            Control::Time => self.move_clock(arguments).map_err(told),
            Control::Snapshot => Ok(Value::object().put("snapshot", self.chain.snapshot()).build()),
            Control::Revert => {
                let id = small(arguments, "snapshot").unwrap_or_default();
                self.chain.revert(id).map(block).map_err(told)
            }
            Control::Receipt => self.receipt(arguments).await,
        }
    }

    fn accounts(&self, arguments: View<'_>) -> Result<Value, String> {
        let asked = arguments.get("addresses").and_then(View::as_array);
        let addresses: Option<Vec<Address>> = match asked {
            Some(list) => list.iter().map(|item| address(Some(item))).collect(),
            None => Some(self.chain.accounts().to_vec()),
        };
        let addresses = addresses.ok_or("`addresses` has something that is not an address")?;
        let accounts: Value = addresses
            .into_iter()
            .map(|address| self.account(address).build())
            .collect();
        let LatestBlock { number, timestamp } = self.chain.latest();
        Ok(Value::object()
            .put("accounts", accounts)
            .put("block_number", number)
            .put("timestamp", timestamp)
            .build())
    }

    fn account(&self, address: Address) -> ObjectBuilder {
        let state = self.chain.account(address);
        Value::object()
            .put("address", state.address.to_checksum(None))
            .put("balance_wei", state.balance.to_string())
            .put("balance_formatted", format_ether(state.balance))
            .put("nonce", state.nonce)
    }

    fn move_clock(&self, arguments: View<'_>) -> Result<Value, ControlError> {
        if let Some(seconds) = small(arguments, "advance_seconds") {
            self.chain.advance_time(seconds)?;
        }
        if let Some(timestamp) = small(arguments, "next_timestamp") {
            self.chain.set_next_time(timestamp)?;
        }
        Ok(block(self.chain.latest()))
    }

    async fn receipt(&self, arguments: View<'_>) -> Result<Value, String> {
        let hash: Option<B256> = arguments
            .get("tx_hash")
            .and_then(View::as_str)
            .and_then(|text| text.parse().ok());
        let hash = hash.ok_or("`tx_hash` is not a hash")?;
        match self.chain.receipt(hash).await {
            Ok(Some(receipt)) => Ok(receipt_value(&receipt)),
            Ok(None) => Err(format!(
                "no kept block of the sandbox chain has transaction {hash}"
            )),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl ToolHandler for ControlHandler {
    fn call<'a>(&'a self, _context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.answer(arguments.view()).await {
                Ok(answer) => ToolResult::structured(answer).into(),
                Err(reason) => ToolResult::error_text(reason).into(),
            }
        })
    }
}

fn address(value: Option<View<'_>>) -> Option<Address> {
    match from_json(&SolidityType::Address, value?, &mut Pointer::root()) {
        Ok(SolidityValue::Address(address)) => Some(address),
        _ => None,
    }
}

fn small(arguments: View<'_>, name: &str) -> Option<u64> {
    let value = arguments.get(name).filter(|value| value.kind() == Kind::Number)?;
    value.as_u64()
}

fn block(latest: LatestBlock) -> Value {
    Value::object()
        .put("block_number", latest.number)
        .put("timestamp", latest.timestamp)
        .build()
}

fn receipt_value(receipt: &Receipt) -> Value {
    let logs: Value = receipt
        .logs
        .iter()
        .map(|log| {
            Value::object()
                .put("address", log.address.to_checksum(None))
                .put("topics", topics(log))
                .put("data", log.data.data.to_string())
                .build()
        })
        .collect();
    let cost = U256::from(receipt.gas_used).saturating_mul(receipt.effective_gas_price);
    Value::object()
        .put("tx_hash", receipt.transaction_hash.to_string())
        .put("success", receipt.success)
        .put("block_number", receipt.block_number)
        .put("gas_used", receipt.gas_used)
        .put("effective_gas_price", receipt.effective_gas_price.to_string())
        .put("cost_wei", cost.to_string())
        .put_opt(
            "contract_address",
            receipt.contract_address.map(|address| address.to_checksum(None)),
        )
        .put("logs", logs)
        .build()
}
