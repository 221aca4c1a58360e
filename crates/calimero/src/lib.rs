//! Calimero applications as tools: the manifest, the mapping to tools, and the client of a node.
//!
//! The stages of the pipeline stand in files of their own, as in `toolmesh-evm`: reading a manifest, the model of an
//! application, names, schemas, values, tools, and the live side under `node/`. This version has the naming rules; the
//! other stages are not built yet, and a `calimero:` source says so when it is asked for.

mod name;

pub use name::{application_slug, tool_name};
