// Written by `toolmesh generate` from a contract's interface; changes will be lost.

use std::future::Future;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Why a call did not succeed.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Calls a tool and returns its structured result; with an MCP client, `structuredContent`.
pub trait Call {
    /// Calls one tool.
    fn call(&self, tool: &str, arguments: Value) -> impl Future<Output = Result<Value, Error>> + Send;
}

/// What is rarely needed: who calls, the most gas to spend, the block to read at (only for reads).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gas_limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
}

/// What a call takes beside its arguments. `simulate` is true unless it is said to be false.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub simulate: Option<bool>,
    pub value_wei: Option<String>,
    pub transaction: Option<Transaction>,
}

/// An event that a call emits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub name: Option<String>,
    pub address: String,
    #[serde(default)]
    pub args: Value,
}

/// What a read answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Read<T> {
    pub result: T,
    pub block_number: u64,
}

/// What a write answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written<T> {
    pub simulated: bool,
    pub success: bool,
    pub result: Option<T>,
    pub gas_estimate: Option<u64>,
    pub gas_price: Option<String>,
    pub tx_hash: Option<String>,
    pub gas_used: Option<u64>,
    pub effective_gas_price: Option<String>,
    pub cost_wei: Option<String>,
    pub cost_formatted: Option<String>,
    pub block_number: Option<u64>,
    #[serde(default)]
    pub events: Vec<Event>,
    pub note: Option<String>,
}

fn put<T: Serialize>(arguments: &mut Map<String, Value>, key: &str, value: &T) -> Result<(), Error> {
    arguments.insert(key.to_owned(), serde_json::to_value(value)?);
    Ok(())
}

async fn finish<C: Call, T: DeserializeOwned>(call: &C, tool: &str, arguments: Map<String, Value>) -> Result<T, Error> {
    Ok(serde_json::from_value(call.call(tool, Value::Object(arguments)).await?)?)
}

/// The tools, as methods.
#[derive(Clone, Debug)]
pub struct Token<C> {
    call: C,
}

impl<C: Call> Token<C> {
    pub fn new(call: C) -> Self {
        Self { call }
    }

    /// How many base units of an owner a spender may still spend.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - owner: The account that owns the tokens.
    /// - spender: The account that may spend them.
    pub async fn allowance(&self, owner: String, spender: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "owner", &owner)?;
        put(&mut arguments, "spender", &spender)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "allowance", arguments).await
    }

    /// Allow another account to spend tokens of the sender; this replaces an earlier allowance.
    /// Changes the chain: only simulated unless simulate is false.
    ///
    /// Parameters:
    /// - spender: The account that may spend the tokens.
    /// - value: How many base units it may spend.
    pub async fn approve(&self, spender: String, value: String, options: Options) -> Result<Written<bool>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "spender", &spender)?;
        put(&mut arguments, "value", &value)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "approve", arguments).await
    }

    /// How many base units an account has.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - account: The account to look up.
    pub async fn balance_of(&self, account: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "account", &account)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "balance_of", arguments).await
    }

    /// How many decimal places an amount has: one token is 10 to the power of this many base units.
    /// Only reads; changes nothing and costs nothing.
    pub async fn decimals(&self, options: Options) -> Result<Read<u32>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "decimals", arguments).await
    }

    /// The name of the token.
    /// Only reads; changes nothing and costs nothing.
    pub async fn name(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "name", arguments).await
    }

    /// The symbol of the token.
    /// Only reads; changes nothing and costs nothing.
    pub async fn symbol(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "symbol", arguments).await
    }

    /// How many base units exist in all.
    /// Only reads; changes nothing and costs nothing.
    pub async fn total_supply(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "total_supply", arguments).await
    }

    /// Move tokens from the sender to another account.
    /// Changes the chain: only simulated unless simulate is false.
    ///
    /// Parameters:
    /// - to: The account that receives the tokens.
    /// - value: How many base units to move.
    pub async fn transfer(&self, to: String, value: String, options: Options) -> Result<Written<bool>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "to", &to)?;
        put(&mut arguments, "value", &value)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "transfer", arguments).await
    }

    /// Move tokens of an owner to another account, out of what the owner allowed the sender to spend.
    /// Changes the chain: only simulated unless simulate is false.
    ///
    /// Parameters:
    /// - from: The account that the tokens leave.
    /// - to: The account that receives the tokens.
    /// - value: How many base units to move.
    pub async fn transfer_from(&self, from: String, to: String, value: String, options: Options) -> Result<Written<bool>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "from", &from)?;
        put(&mut arguments, "to", &to)?;
        put(&mut arguments, "value", &value)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "transfer_from", arguments).await
    }
}
