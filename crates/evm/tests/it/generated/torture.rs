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
pub struct BytesNResult {
    #[serde(rename = "output0")]
    pub output0: String,
    #[serde(rename = "output1")]
    pub output1: String,
    #[serde(rename = "output2")]
    pub output2: String,
    #[serde(rename = "output3")]
    pub output3: String,
    #[serde(rename = "output4")]
    pub output4: String,
    #[serde(rename = "output5")]
    pub output5: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    #[serde(rename = "who")]
    pub who: String,
    #[serde(rename = "amount")]
    pub amount: String,
    #[serde(rename = "tag")]
    pub tag: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outer {
    #[serde(rename = "kind")]
    pub kind: u32,
    #[serde(rename = "inner")]
    pub inner: Inner,
    #[serde(rename = "list")]
    pub list: Vec<Inner>,
    #[serde(rename = "grid")]
    pub grid: Vec<[u32; 2]>,
    #[serde(rename = "note")]
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridResult {
    #[serde(rename = "output0")]
    pub output0: Vec<[u32; 2]>,
    #[serde(rename = "output1")]
    pub output1: [[String; 3]; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManyResult {
    #[serde(rename = "a")]
    pub a: String,
    #[serde(rename = "output1")]
    pub output1: String,
    #[serde(rename = "ok")]
    pub ok: bool,
    #[serde(rename = "data")]
    pub data: String,
    #[serde(rename = "tick")]
    pub tick: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallIntsResult {
    #[serde(rename = "output0")]
    pub output0: u32,
    #[serde(rename = "output1")]
    pub output1: u32,
    #[serde(rename = "output2")]
    pub output2: u32,
    #[serde(rename = "output3")]
    pub output3: String,
    #[serde(rename = "output4")]
    pub output4: String,
    #[serde(rename = "output5")]
    pub output5: String,
    #[serde(rename = "output6")]
    pub output6: i32,
    #[serde(rename = "output7")]
    pub output7: i32,
    #[serde(rename = "output8")]
    pub output8: String,
    #[serde(rename = "output9")]
    pub output9: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdvtResult {
    #[serde(rename = "output0")]
    pub output0: String,
    #[serde(rename = "output1")]
    pub output1: u32,
    #[serde(rename = "output2")]
    pub output2: String,
}

/// The tools, as methods.
#[derive(Clone, Debug)]
pub struct Torture<C> {
    call: C,
}

impl<C: Call> Torture<C> {
    pub fn new(call: C) -> Self {
        Self { call }
    }

    /// Read $dollar.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - $v: $v
    pub async fn dollar(&self, v: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "_v", &v)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "_dollar", arguments).await
    }

    /// Read f.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn f_e2b68796(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "f_e2b68796", arguments).await
    }

    /// Read under.
    /// Only reads; changes nothing and costs nothing.
    pub async fn under(&self, options: Options) -> Result<Read<bool>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "_under_", arguments).await
    }

    /// Read bad utf8.
    /// Only reads; changes nothing and costs nothing.
    pub async fn bad_utf8(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "bad_utf8", arguments).await
    }

    /// Read boom.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - mode: Mode
    pub async fn boom(&self, mode: String, options: Options) -> Result<Read<()>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "mode", &mode)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "boom", arguments).await
    }

    /// Burn gas.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - n: N
    pub async fn burn_gas(&self, n: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "n", &n)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "burn_gas", arguments).await
    }

    /// Read bytes n.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    /// - b: B
    /// - c: C
    /// - d: D
    /// - e: E
    /// - s: S
    #[expect(clippy::too_many_arguments)]
    pub async fn bytes_n(&self, a: String, b: String, c: String, d: String, e: String, s: String, options: Options) -> Result<Read<BytesNResult>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        put(&mut arguments, "b", &b)?;
        put(&mut arguments, "c", &c)?;
        put(&mut arguments, "d", &d)?;
        put(&mut arguments, "e", &e)?;
        put(&mut arguments, "s", &s)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "bytes_n", arguments).await
    }

    /// Read cb.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - fn: Fn
    pub async fn cb(&self, fn_: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "fn", &fn_)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "cb", arguments).await
    }

    /// Read counter.
    /// Only reads; changes nothing and costs nothing.
    pub async fn counter(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "counter", arguments).await
    }

    /// Read dup snake.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - fooBar: Foo bar
    /// - foo_bar: Foo bar
    pub async fn dup_snake(&self, foo_bar: String, foo_bar_2: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "fooBar", &foo_bar)?;
        put(&mut arguments, "foo_bar", &foo_bar_2)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "dup_snake", arguments).await
    }

    /// Read f.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn f_int256(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "f__int256", arguments).await
    }

    /// Read f.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    /// - b: B
    pub async fn f_uint256_address(&self, a: String, b: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        put(&mut arguments, "b", &b)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "f__uint256_address", arguments).await
    }

    /// Read f.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn f_tuple(&self, a: Inner, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "f__tuple", arguments).await
    }

    /// Read f.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    pub async fn f_b3de648b(&self, a: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "f_b3de648b", arguments).await
    }

    /// Get order.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - id: Identifier of the token
    pub async fn get_order(&self, id: String, options: Options) -> Result<Read<Outer>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "id", &id)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "get_order", arguments).await
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

    /// Read grid.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - g: G
    /// - h: H
    pub async fn grid(&self, g: Vec<[u32; 2]>, h: [[String; 3]; 2], options: Options) -> Result<Read<GridResult>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "g", &g)?;
        put(&mut arguments, "h", &h)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "grid", arguments).await
    }

    /// Call increment.
    /// Changes the chain: only simulated unless simulate is false.
    pub async fn increment(&self, options: Options) -> Result<Written<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "increment", arguments).await
    }

    /// Read keywords.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - from: Source address
    /// - type_: Type
    /// - class: Class
    /// - simulate: Simulate
    /// - value_wei: Value wei
    /// - self: Self
    /// - lambda: Lambda
    #[expect(clippy::too_many_arguments)]
    pub async fn keywords(&self, from: String, type_: String, class: String, simulate: String, value_wei: String, self_: String, lambda: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "from", &from)?;
        put(&mut arguments, "type_", &type_)?;
        put(&mut arguments, "class", &class)?;
        put(&mut arguments, "simulate", &simulate)?;
        put(&mut arguments, "value_wei", &value_wei)?;
        put(&mut arguments, "self", &self_)?;
        put(&mut arguments, "lambda", &lambda)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "keywords", arguments).await
    }

    /// Read many.
    /// Only reads; changes nothing and costs nothing.
    pub async fn many(&self, options: Options) -> Result<Read<ManyResult>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "many", arguments).await
    }

    /// The name of the token or contract.
    /// Only reads; changes nothing and costs nothing.
    pub async fn name(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "name", arguments).await
    }

    /// Read owner.
    /// Only reads; changes nothing and costs nothing.
    pub async fn owner(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "owner", arguments).await
    }

    /// Pay.
    /// Changes the chain and can take ether: only simulated unless simulate is false.
    ///
    /// Parameters:
    /// - x: X
    pub async fn pay(&self, x: String, options: Options) -> Result<Written<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "x", &x)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.value_wei {
            put(&mut arguments, "value_wei", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "pay", arguments).await
    }

    /// Place order.
    /// Changes the chain: only simulated unless simulate is false.
    ///
    /// Parameters:
    /// - id: Identifier of the token
    /// - o: O
    /// - side: Side
    pub async fn place_order(&self, id: String, o: Outer, side: u32, options: Options) -> Result<Written<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "id", &id)?;
        put(&mut arguments, "o", &o)?;
        put(&mut arguments, "side", &side)?;
        if let Some(value) = &options.simulate {
            put(&mut arguments, "simulate", value)?;
        }
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "place_order", arguments).await
    }

    /// Read signed value.
    /// Only reads; changes nothing and costs nothing.
    pub async fn signed_value(&self, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "signed_value", arguments).await
    }

    /// Read small ints.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - a: A
    /// - b: B
    /// - c: C
    /// - d: D
    /// - e: E
    /// - g: G
    /// - h: H
    /// - i: I
    /// - j: J
    /// - k: K
    #[expect(clippy::too_many_arguments)]
    pub async fn small_ints(&self, a: u32, b: u32, c: u32, d: String, e: String, g: String, h: i32, i: i32, j: String, k: String, options: Options) -> Result<Read<SmallIntsResult>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "a", &a)?;
        put(&mut arguments, "b", &b)?;
        put(&mut arguments, "c", &c)?;
        put(&mut arguments, "d", &d)?;
        put(&mut arguments, "e", &e)?;
        put(&mut arguments, "g", &g)?;
        put(&mut arguments, "h", &h)?;
        put(&mut arguments, "i", &i)?;
        put(&mut arguments, "j", &j)?;
        put(&mut arguments, "k", &k)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "small_ints", arguments).await
    }

    /// Read tuples2d.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - x: X
    /// - y: Y
    pub async fn tuples2d(&self, x: Vec<Vec<Inner>>, y: [Inner; 2], options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "x", &x)?;
        put(&mut arguments, "y", &y)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "tuples2d", arguments).await
    }

    /// Read udvt.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - p: P
    /// - s: S
    /// - t: T
    pub async fn udvt(&self, p: String, s: u32, t: String, options: Options) -> Result<Read<UdvtResult>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "p", &p)?;
        put(&mut arguments, "s", &s)?;
        put(&mut arguments, "t", &t)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "udvt", arguments).await
    }

    /// Read unnamed.
    /// Only reads; changes nothing and costs nothing.
    ///
    /// Parameters:
    /// - arg0_2: uint256
    /// - arg1: address
    /// - arg0: Arg0
    pub async fn unnamed(&self, arg0_2: String, arg1: String, arg0: String, options: Options) -> Result<Read<String>, Error> {
        let mut arguments = Map::new();
        put(&mut arguments, "arg0_2", &arg0_2)?;
        put(&mut arguments, "arg1", &arg1)?;
        put(&mut arguments, "arg0", &arg0)?;
        if let Some(value) = &options.transaction {
            put(&mut arguments, "tx", value)?;
        }
        finish(&self.call, "unnamed", arguments).await
    }
}
