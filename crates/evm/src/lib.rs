//! Solidity interfaces as tools: ABI reading, mapping, an RPC chain and an in-process sandbox chain.
//!
//! The crate is a pipeline, and each stage is a module:
//!
//! | stage | |
//! |---|---|
//! | `read` | bytes of any shape to an [`Interface`], entry by entry |
//! | `model` | what an interface is |
//! | `name` | the names of tools and of values in JSON |
//! | `schema` | Solidity types to JSON Schema |
//! | `value` | JSON to the ABI's encoding and back |
//! | `describe` | what a tool says about itself |
//! | `accept` | arguments in other spellings to the published form |
//! | `ens` | names of accounts where an address is asked for |
//! | `event`, `revert` | what logs and reverts mean |
//! | `tool` | functions to tools |
//! | `source` | the tools of one contract on one chain |
//! | `sandbox_source` | the tools of a sandbox's owner |
//! | `standard` | which standards an interface follows |
//! | `inspect` | what became of each entry |
//! | [`mapper`] | the mapping as a library, with another profile, without a chain |
//! | [`generate`] | typed client code |
//! | [`hint`] | what types and functions are called in programming languages |
//! | [`chain`] | where contracts live |
//! | [`lookup`], [`proxy`] | from an address to an interface |

pub mod chain;
pub mod fetch;
pub mod generate;
pub mod hint;
pub mod lookup;
pub mod mapper;
pub mod proxy;

mod accept;
mod describe;
mod ens;
mod error;
mod event;
mod inspect;
mod model;
mod name;
mod network;
mod read;
mod revert;
mod sandbox_source;
mod schema;
mod source;
mod standard;
mod text;
mod tool;
mod units;
mod value;

pub use alloy_primitives;
pub use ens::{ENS_REGISTRY, MAX_NAME_CHARS, MAX_NAMES};
pub use error::EvmError;
pub use event::{Events, MappedEvent, event_tools};
pub use inspect::inspect;
pub use model::{
    Bytecode, Constructor, Documentation, Entry, EntryBody, ErrorEntry, Event, Function, Interface,
    MAX_ARRAY_DEPTH, MAX_FIXED_ITEMS, MAX_PARAMETERS, MAX_TUPLE_DEPTH, Mutability, Parameter, SolidityType,
    TypeError, parse_type,
};
pub use name::{MAX_TOOL_NAME_CHARS, ToolNames, snake_case, tool_names};
pub use network::Network;
pub use read::{MAX_ENTRIES, ReadOptions, read, read_with};
pub use revert::{Errors, Revert, RevertKind};
pub use sandbox_source::SandboxSource;
pub use schema::{input_schema, output_schema, type_schema};
pub use source::{EvmSource, Target};
pub use standard::{Standard, standards};
pub use tool::{Contract, MAX_BATCH, MULTICALL3, MappedFunction, SendRules, UnknownFunction, helpers, tools};
pub use value::{
    DecodeError, InvalidUtf8, MAX_DECODED_VALUES, SolidityValue, ValueError, arguments_from_json, decode,
    encode, from_json, to_json,
};
