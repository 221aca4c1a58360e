//! What a Solidity interface is, once it has been read.
//!
//! An [`Interface`] keeps every entry of its input in the input's order, also those that cannot be
//! used, with the reason.

mod function;
mod interface;
mod parameter;
mod parse;
mod ty;

pub use function::{Constructor, Documentation, ErrorEntry, Event, Function, Mutability};
pub use interface::{Bytecode, Entry, EntryBody, Interface};
pub use parameter::Parameter;
pub use parse::{MAX_ARRAY_DEPTH, MAX_FIXED_ITEMS, MAX_PARAMETERS, MAX_TUPLE_DEPTH, TypeError, parse_type};
pub use ty::SolidityType;

pub(crate) use function::RAW_NAME;
pub(crate) use parameter::{Unnamed, assign_keys, ensure_keys};
pub(crate) use parse::{RawType, resolve};
