//! The tools of a sandbox's owner: accounts, balances, time, blocks, going back. A source of its own, because several
//! contracts may stand on one sandbox.

use std::sync::Arc;

use alloy_primitives::{Address, B256, U256};
use toolmesh_json::{Kind, ObjectBuilder, Pointer, Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{
    ArgumentErrors, BoxFuture, CallContext, Mount, Outcome, Source, SourceError, Tool, ToolAnnotations,
    ToolBuildError, ToolHandler, ToolResult,
};

use crate::chain::{
    Chain, ControlError, LatestBlock, MAX_ADVANCE_SECONDS, MAX_MINED_BLOCKS, Receipt, SandboxChain,
};
use crate::model::SolidityType;
use crate::schema::{text_schema, type_schema, value_schema};
use crate::units::format_ether;
use crate::value::{SolidityValue, from_json, parse_unsigned};

/// The most accounts that are asked for at once.
const MAX_ACCOUNTS: usize = 64;

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

/// One thing that an owner can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Accounts,
    SetBalance,
    Mine,
    Time,
    Snapshot,
    Revert,
    Receipt,
}

impl Control {
    const ALL: [Self; 7] = [
        Self::Accounts,
        Self::SetBalance,
        Self::Mine,
        Self::Time,
        Self::Snapshot,
        Self::Revert,
        Self::Receipt,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Accounts => "sandbox_accounts",
            Self::SetBalance => "sandbox_set_balance",
            Self::Mine => "sandbox_mine",
            Self::Time => "sandbox_time",
            Self::Snapshot => "sandbox_snapshot",
            Self::Revert => "sandbox_revert",
            Self::Receipt => "sandbox_receipt",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Accounts => "Sandbox accounts",
            Self::SetBalance => "Set a balance on the sandbox",
            Self::Mine => "Add blocks to the sandbox",
            Self::Time => "Move the sandbox's clock",
            Self::Snapshot => "Keep the sandbox's state",
            Self::Revert => "Go back to a kept state",
            Self::Receipt => "Receipt of a sandbox transaction",
        }
    }

    fn description(self) -> String {
        match self {
            Self::Accounts => "Balances and nonces on the sandbox chain: of the ten funded accounts that transactions may \
                               come from, or of the given addresses."
                .to_owned(),
            Self::SetBalance => "Gives an account a balance on the sandbox chain, without a transaction.".to_owned(),
            Self::Mine => format!("Adds empty blocks to the sandbox chain: 1, or up to {MAX_MINED_BLOCKS}."),
            Self::Time => "Puts the clock of the sandbox chain forward by `advance_seconds`, or sets the time of its next \
                           block to `next_timestamp` (Unix seconds)."
                .to_owned(),
            Self::Snapshot => "Keeps the sandbox chain as it is, to go back to with sandbox_revert.".to_owned(),
            Self::Revert => "Goes back to a snapshot of the sandbox chain: everything since then is undone, and the \
                             snapshot is used up."
                .to_owned(),
            Self::Receipt => "What became of a transaction on the sandbox chain, with its raw logs.".to_owned(),
        }
    }

    fn annotations(self) -> ToolAnnotations {
        match self {
            Self::Accounts | Self::Receipt => ToolAnnotations::read_only(),
            Self::Snapshot | Self::Mine | Self::Time => ToolAnnotations {
                read_only: Some(false),
                destructive: Some(false),
                ..ToolAnnotations::default()
            },
            Self::SetBalance | Self::Revert => ToolAnnotations {
                read_only: Some(false),
                destructive: Some(true),
                ..ToolAnnotations::default()
            },
        }
    }

    fn input(self) -> Value {
        let address = || type_schema(&SolidityType::Address);
        let number = |min: u64, max: u64| {
            Value::object()
                .put("type", "integer")
                .put("minimum", min)
                .put("maximum", max)
                .build()
        };
        let (properties, required): (ObjectBuilder, &[&str]) = match self {
            Self::Accounts => {
                let list = Value::object()
                    .put("type", "array")
                    .put("items", address())
                    .put("maxItems", u64::try_from(MAX_ACCOUNTS).unwrap_or(u64::MAX));
                (Value::object().put("addresses", list), &[])
            }
            Self::SetBalance => (
                Value::object()
                    .put("address", address())
                    .put("balance_wei", value_schema()),
                &["address", "balance_wei"],
            ),
            Self::Mine => (Value::object().put("blocks", number(1, MAX_MINED_BLOCKS)), &[]),
            Self::Time => (
                Value::object()
                    .put("advance_seconds", number(0, MAX_ADVANCE_SECONDS))
                    .put("next_timestamp", number(0, crate::schema::MAX_EXACT)),
                &[],
            ),
            Self::Snapshot => (Value::object(), &[]),
            Self::Revert => (
                Value::object().put("snapshot", number(1, crate::schema::MAX_EXACT)),
                &["snapshot"],
            ),
            Self::Receipt => (
                Value::object().put("tx_hash", text_schema("^0x[0-9a-fA-F]{64}$")),
                &["tx_hash"],
            ),
        };
        Value::object()
            .put("type", "object")
            .put("properties", properties)
            .put(
                "required",
                required.iter().map(|name| Value::from(*name)).collect::<Value>(),
            )
            .put("additionalProperties", false)
            .build()
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
            let topics: Value = log
                .data
                .topics()
                .iter()
                .map(|topic| Value::from(topic.to_string()))
                .collect();
            Value::object()
                .put("address", log.address.to_checksum(None))
                .put("topics", topics)
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
