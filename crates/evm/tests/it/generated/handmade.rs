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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnnamedTupleArg0 {
    #[serde(rename = "field_0")]
    pub field_0: String,
    #[serde(rename = "field_1")]
    pub field_1: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnnamedTupleResult {
    #[serde(rename = "x")]
    pub x: String,
    #[serde(rename = "x_2")]
    pub x_2: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DupParamsResult {
    #[serde(rename = "out")]
    pub out: String,
    #[serde(rename = "out_2")]
    pub out_2: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuple2dMInner {
    #[serde(rename = "z")]
    pub z: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuple2dM {
    #[serde(rename = "a")]
    pub a: u32,
    #[serde(rename = "inner")]
    pub inner: Vec<Tuple2dMInner>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuple2dResult {
    #[serde(rename = "a")]
    pub a: i32,
}

/// The tools, as methods.
#[derive(Clone, Debug)]
pub struct Handmade<C> {
    call: C,
}

impl<C: Call> Handmade<C> {
    pub fn new(call: C) -> Self {
        Self { call }
    }

    /// Read fnarg.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - cb: Cb
    /// - cbs: Cbs
    pub async fn fnarg(&self, cb: String, cbs: Vec<String>, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "cb", &cb)?;
        put(&mut arguments, "cbs", &cbs)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "fnarg", arguments).await
    }

    /// Read aliases.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    /// - b: B
    /// - c: C
    pub async fn aliases(&self, a: String, b: Vec<String>, c: String, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        put(&mut arguments, "b", &b)?;
        put(&mut arguments, "c", &c)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "aliases", arguments).await
    }

    /// Read lib enum.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - x: X
    pub async fn lib_enum(&self, x: u32, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "x", &x)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "lib_enum", arguments).await
    }

    /// Read payable addr.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - x: X
    pub async fn payable_addr(&self, x: String, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "x", &x)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "payable_addr", arguments).await
    }

    /// Read unnamed tuple.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - arg0: (uint256,address)
    pub async fn unnamed_tuple(&self, arg0: UnnamedTupleArg0, options: Options) -> Result<Read<Vec<UnnamedTupleResult>>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "arg0", &arg0)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "unnamed_tuple", arguments).await
    }

    /// Read dup params.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    /// - a: A
    /// - A: A
    pub async fn dup_params(&self, a: String, a_2: String, a_3: bool, options: Options) -> Result<Read<DupParamsResult>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        put(&mut arguments, "a_2", &a_2)?;
        put(&mut arguments, "A", &a_3)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "dup_params", arguments).await
    }

    /// Call reserved.
    /// Changes the chain and can take ether: only simulated unless tx_simulate is false.
    ///
    /// Parameters:
    /// - simulate: Simulate
    /// - value_wei: Value wei
    /// - value: Amount (in base units)
    /// - from: Source address
    /// - type: Type
    /// - block: Block
    #[expect(clippy::too_many_arguments)]
    pub async fn reserved(&self, simulate: bool, value_wei: String, value: String, from: String, type_: u32, block: String, options: Options) -> Result<Written<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "simulate", &simulate)?;
        put(&mut arguments, "value_wei", &value_wei)?;
        put(&mut arguments, "value", &value)?;
        put(&mut arguments, "from", &from)?;
        put(&mut arguments, "type", &type_)?;
        put(&mut arguments, "block", &block)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "tx_simulate", value)?;
        }
        if let Some(value) = &options.value_wei {
            put(&mut arguments, "tx_value_wei", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "reserved", arguments).await
    }

    /// Read $dollar.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - $v: $v
    pub async fn dollar(&self, v: String, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "_v", &v)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "_dollar", arguments).await
    }

    /// Read this is an extremely long function name that goes on and on and on well past sixty four characters of length.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - this_is_an_extremely_long_parameter_name_that_goes_on_and_on_and_on_well_past_sixty_four: This is an extremely long parameter name that goes on and on and on well past sixty four
    pub async fn this_is_an_extremely_long_function_name_that_goes_on_an_b61a1bb1(&self, this_is_an_extremely_long_parameter_name_that_goes_on_and_on_and: String, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "this_is_an_extremely_long_parameter_name_that_goes_on_and_on_and", &this_is_an_extremely_long_parameter_name_that_goes_on_and_on_and)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "this_is_an_extremely_long_function_name_that_goes_on_an_b61a1bb1", arguments).await
    }

    /// Read tuple2d.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - m: M
    pub async fn tuple2d(&self, m: Vec<[Tuple2dM; 2]>, options: Options) -> Result<Read<[Vec<Tuple2dResult>; 3]>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "m", &m)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "tuple2d", arguments).await
    }

    /// Get contract info.
    /// Only reads; changes nothing and costs nothing.
    pub async fn get_contract_info(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "get_contract_info", arguments).await
    }

    /// How much of the token an account has, in base units.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn balance_of_70a08231(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "balance_of_70a08231", arguments).await
    }

    /// Read balance of.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn balance_of_b144adfb(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "balance_of_b144adfb", arguments).await
    }

    /// Read balance of.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn balance_of_d9967889(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "balance_of_d9967889", arguments).await
    }

    /// Call no type defaults.
    /// Changes the chain: only simulated unless simulate is false.
    pub async fn no_type_defaults(&self, options: Options) -> Result<Written<()>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "no_type_defaults", arguments).await
    }

    /// Read legacy no type.
    /// Only reads; changes nothing and costs nothing.
    pub async fn legacy_no_type(&self, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "legacy_no_type", arguments).await
    }
}
