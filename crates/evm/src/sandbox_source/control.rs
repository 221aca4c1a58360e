//! What the owner's tools are called, say of themselves, and take.

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::ToolAnnotations;

use crate::chain::{MAX_ADVANCE_SECONDS, MAX_MINED_BLOCKS};
use crate::model::SolidityType;
use crate::schema::{MAX_EXACT, closed, text_schema, type_schema, value_schema};

/// The most accounts that are asked for at once.
const MAX_ACCOUNTS: usize = 64;

/// One thing that an owner can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Accounts,
    SetBalance,
    Mine,
    Time,
    Snapshot,
    Revert,
    Receipt,
}

impl Control {
    pub(super) const ALL: [Self; 7] = [
        Self::Accounts,
        Self::SetBalance,
        Self::Mine,
        Self::Time,
        Self::Snapshot,
        Self::Revert,
        Self::Receipt,
    ];

    pub(super) fn name(self) -> &'static str {
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

    pub(super) fn title(self) -> &'static str {
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

    pub(super) fn description(self) -> String {
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

    pub(super) fn annotations(self) -> ToolAnnotations {
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

    pub(super) fn input(self) -> Value {
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
                    .put("next_timestamp", number(0, MAX_EXACT)),
                &[],
            ),
            Self::Snapshot => (Value::object(), &[]),
            Self::Revert => (
                Value::object().put("snapshot", number(1, MAX_EXACT)),
                &["snapshot"],
            ),
            Self::Receipt => (
                Value::object().put("tx_hash", text_schema("^0x[0-9a-fA-F]{64}$")),
                &["tx_hash"],
            ),
        };
        let required: Value = required.iter().map(|name| Value::from(*name)).collect();
        closed(properties, required)
    }
}
