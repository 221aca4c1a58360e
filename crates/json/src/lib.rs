//! Exact, bounded JSON: parse, write, numbers, pointers, limits.
//!
//! Everything that Toolmesh says to a model, a peer, or a chain passes through this crate, so it keeps two promises that general
//! purpose JSON libraries do not make together:
//!
//! * **Exact.** A number is a decimal coefficient and an exponent, never an `f64`. `0.1`, `1.0`, `18446744073709551616` and
//!   `1e9999` come back as they were written, are equal when their values are equal, and cost nothing to hold. Members keep
//!   their order.
//! * **Bounded.** Bytes, depth, nodes, text, and numbers are measured against [`Limits`] before anything is allocated for them.
//!   UTF-8 is strict; duplicate members, byte order marks, raw control characters, unpaired surrogates and trailing content are
//!   refused. No call recurses without a bound.
//!
//! A [`Value`] is opaque and immutable: [`parse`] or a builder makes it, a [`View`] reads it. What it looks like inside is
//! nobody's business but this crate's.
//!
//! ```
//! use toolmesh_json::{Value, parse};
//!
//! let transfer = parse(br#"{"to": "0xab", "amount": 18446744073709551616}"#)?;
//! let amount = transfer.get("amount").and_then(|amount| amount.as_number());
//! assert_eq!(amount.and_then(|amount| amount.to_u128()), Some(18_446_744_073_709_551_616));
//!
//! let reply = Value::object().put("ok", true).put("sent", transfer).build();
//! assert_eq!(reply.to_text(), r#"{"ok":true,"sent":{"to":"0xab","amount":18446744073709551616}}"#);
//! # Ok::<(), toolmesh_json::ParseError>(())
//! ```

mod array_view;
mod bind;
mod builder;
mod canonical;
mod deserialize;
mod detach;
mod document;
mod equality;
mod error;
mod escape;
mod limits;
mod multiple;
mod number;
mod numeral;
mod object_view;
mod parse;
pub mod pointer;
mod reader;
mod scan;
mod serde_impls;
mod serde_json_bridge;
mod serialize;
mod text;
mod twins;
mod value;
mod view;
mod word;
mod write;

pub use array_view::{ArrayIter, ArrayView};
pub use bind::{BindError, BindLimits, IntegerBudget};
pub use builder::{ArrayBuilder, ObjectBuilder};
pub use canonical::canonical_text;
pub use error::{ParseError, ParseErrorKind};
pub use escape::written_units;
pub use limits::{LimitError, LimitName, Limits, OutputLimits};
pub use number::{Number, NumberError};
pub use object_view::{ObjectIter, ObjectView};
pub use parse::{parse, parse_with};
pub use pointer::Pointer;
pub use reader::{Reader, Visit};
pub use serde_json_bridge::BridgeError;
pub use value::Value;
pub use view::{Kind, NodeId, View};
pub use write::{WriteError, write_string, write_value, write_value_within};
