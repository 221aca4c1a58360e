//! Model providers' tool formats, in both directions: pure data, no network.
//!
//! A [`Toolset`] is a list of tools translated as a whole for one [`Provider`]: the tools array to send, a reversible map of
//! names, and [`Warning`]s. What the model answers is lowered with it: [`Toolset::lower`] for one call, [`Toolset::calls`] for
//! a whole reply, [`Toolset::stream`] for a streamed one; [`Toolset::messages`] brings results back.
//!
//! ```
//! use toolmesh_provider::{Options, Provider, Toolset};
//! use toolmesh_tool::ToolDescriptor;
//!
//! let mut search = ToolDescriptor::new("web.search");
//! search.input_schema = Some(
//!     r#"{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"],
//!         "additionalProperties":false}"#.to_owned(),
//! );
//! let toolset = Toolset::translate(Provider::OpenAi, [search], &Options::default());
//!
//! // A strict schema asks for every member, so the model says null for what it leaves out.
//! let name = toolset.names().sent("web.search").unwrap_or_default();
//! let reply = format!(r#"{{"id":"c1","function":{{"name":"{name}","arguments":"{{\"query\":\"mesh\",\"limit\":null}}"}}}}"#);
//! let call = toolset.lower(toolmesh_json::parse(reply.as_bytes())?.view())?;
//! assert_eq!((call.name.as_str(), call.arguments_json.as_str()), ("web.search", r#"{"query":"mesh"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate in stages; each provider has the same files (`tool` out, `call` in, `result` out, `stream` in, `rules`):
//!
//! * `schema`: what is the same for all: a schema made uniform, pulled apart, and put together.
//! * `strict`: the closed subset that providers can force a model to keep to, or the reason why a schema is not in it.
//! * `undo`: how arguments come back from the form in which a provider asked for them.
//! * [`compat`]: the plain translators that other programs of the tool mesh know, to the letter.
//!
//! Arguments are *not* validated here: the dispatcher judges every call by the tool's own schema, whatever a provider's
//! form of it promised, and its answer goes back through [`Toolset::messages`] like any other.

pub mod compat;

mod anthropic;
mod call;
mod gemini;
mod listing;
mod mcp;
mod names;
mod openai;
mod options;
mod outcome;
mod provider;
mod reply;
mod responses;
mod schema;
mod spec;
mod stream;
mod strict;
mod toolset;
mod undo;
mod warning;

pub use call::{CallFault, FailedCall, ForeignReply};
pub use listing::{Format, Listing, Mode, UnknownFormat, listing};
pub use names::NameMap;
pub use options::{GeminiForm, Options, Strictness};
pub use outcome::{result_of_error, result_of_events, result_of_outcome};
pub use provider::Provider;
pub use reply::Reply;
pub use spec::{ToolCallParseError, ToolCallSpec};
pub use stream::{CallStream, MAX_ARGUMENT_BYTES, MAX_OPEN_CALLS, StreamItem};
pub use toolset::Toolset;
pub use warning::{Effect, Warning, WarningKind};
