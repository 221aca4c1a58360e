//! Calimero applications as tools: the manifest, the mapping to tools, and the client of a node.
//!
//! The crate is a pipeline, and each stage is a module:
//!
//! | stage | |
//! |---|---|
//! | `read` | bytes (manifest, WebAssembly module, bundle) to an [`Application`] |
//! | `validate` | what a manifest breaks of its format's rules |
//! | `model` | what an interface is |
//! | `name` | the names of tools |
//! | `shape` | types with their references resolved |
//! | `schema` | types to JSON Schema |
//! | `value` | arguments in any accepted spelling to what an application takes |
//! | `context` | the injected `_context` argument |
//! | `describe` | signatures, and what a tool says about itself |
//! | `event` | events by their interface |
//! | `execute` | what executes a call |
//! | `feed` | what happened in contexts, as resources |
//! | `tool` | methods to tools |
//! | `source` | the tools of one application |
//! | `node` | a node: found, logged in to, asked |
//! | `server` | a node's applications as one source, and the tools about the node |
//! | `segment` | names in URLs and URIs |
//! | `inspect` | what became of each entry |
//!
//! ```
//! use toolmesh_calimero::{Mapping, read, tools};
//!
//! let manifest = br#"{"schema_version":"wasm-abi/1","types":{},"events":[],"methods":[
//!     {"name":"get","params":[{"name":"key","type":{"kind":"string"}}],"returns":{"kind":"string"},"intent":"read_only"}]}"#;
//! let application = read(manifest, "com.calimero.kv-store")?;
//! let mapped = tools(&[application], &[], &Mapping::default(), None);
//! let tool = mapped[0].tool.as_ref().unwrap();
//! assert_eq!(tool.name().as_str(), "kv_store_get");
//! assert_eq!(tool.description(), Some("[view] get(key: string) -> string"));
//! # Ok::<(), toolmesh_calimero::ReadError>(())
//! ```

mod context;
mod describe;
mod event;
mod execute;
mod feed;
mod inspect;
mod model;
mod name;
mod node;
mod read;
mod schema;
mod segment;
mod server;
mod shape;
mod source;
mod tool;
mod validate;
mod value;

pub use context::{CONTEXT_ARGUMENT, HANDLE_ARGUMENT, Targeting};
pub use describe::{description, listing, signature, signatures, title, type_name};
pub use event::typed_events;
pub use execute::{ExecuteError, Executor, Guide, MethodCall};
pub use feed::{Feed, KEPT_EVENT_BYTES, KEPT_EVENTS, emitted, events_contents, events_template, events_uri};
pub use inspect::inspect;
pub use model::{
    Application, Event, Field, INIT, Intent, Manifest, Method, MethodEntry, Parameter, Record, Scalar,
    Service, ServiceModule, Tagging, TypeBody, TypeDef, TypeRef, Variant,
};
pub use name::{MAX_NAME_CHARS, NameRules, NamedMethod, application_slug, slug_of_service, tool_names};
pub use node::{
    Discovered, DiscoverySource, EventSocket, EventStream, MAX_ANSWER_BYTES, MAX_EVENT_BYTES, Node,
    NodeError, NodeEvent, NodeSettings, Origin, Secret, TokenStore, Tokens, Topics, discover, guest_message,
    is_id, nearby,
};
pub use read::{
    MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_METHODS, MAX_SECTIONS, MAX_SERVICES, MAX_TYPES, ReadError,
    SECTION, check, embedded_manifest, manifest, manifest_value, modules, read, recognises,
};
pub use schema::{RESULT, input_schema, input_type_schema, output_schema, output_type_schema};
pub use server::{
    EventChannel, HandleKey, HandleKeyError, MAX_HANDLE_BYTES, NodeOptions, NodeSource, Toolset,
    UnknownEventChannel, UnknownToolset, checked_arguments, group_events_uri, guide_uri, procedures,
};
pub use shape::{Form, MAX_FLAT_FORMS, MAX_INLINE_DEPTH, MAX_INLINE_TYPES};
pub use source::ApplicationSource;
pub use tool::{INIT_REASON, MappedMethod, Mapping, tools};
pub use validate::{MAX_PROBLEMS, Problem, problems};
