//! What an application's interface is: the manifest, its methods, events and types, as far as they were understood.

mod application;
mod types;

use std::sync::Arc;

use toolmesh_tool::IndexMap;

pub use application::{Application, Service, ServiceModule};
pub use types::{Field, Record, Scalar, Tagging, TypeBody, TypeDef, TypeRef, Variant};

/// A manifest (`wasm-abi/1`): what can be called, what happens, and the named types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The version as written, such as `wasm-abi/1`.
    pub schema_version: String,
    /// The named types, in the order of the manifest.
    pub types: IndexMap<String, TypeDef>,
    /// Everything that the manifest lists as a method, in its order.
    pub methods: Vec<MethodEntry>,
    /// The events that the application emits.
    pub events: Vec<Event>,
    /// The name of the type of the application's state.
    pub state_root: Option<String>,
    /// The version of the state's layout; 1 when the manifest does not say.
    pub state_version: u64,
}

/// One entry of the list of methods.
#[derive(Clone, Debug, PartialEq)]
pub enum MethodEntry {
    /// A method.
    Method(Arc<Method>),
    /// An entry that is none, and why.
    Unusable {
        /// Its name, or its place in the list.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Manifest {
    /// The methods, without entries that are none.
    pub fn methods(&self) -> impl Iterator<Item = &Arc<Method>> {
        self.methods.iter().filter_map(|entry| match entry {
            MethodEntry::Method(method) => Some(method),
            MethodEntry::Unusable { .. } => None,
        })
    }

    /// The method of this name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&Arc<Method>> {
        self.methods().find(|method| method.name == name)
    }

    /// The method that creates a context's state.
    #[must_use]
    pub fn init(&self) -> Option<&Arc<Method>> {
        self.method(INIT)
    }
}

/// The method that runs once, when a context is created.
pub const INIT: &str = "init";

/// A method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// Its name, as the node calls it.
    pub name: String,
    /// Its parameters in order; their names differ.
    pub params: Vec<Parameter>,
    /// What it returns; absent where the manifest does not say.
    pub returns: Option<TypeRef>,
    /// It is known to return null at times. Others may, too: the manifest cannot tell of every one.
    pub returns_nullable: bool,
    /// Whether it reads or writes.
    pub intent: Intent,
    /// Its documentation, Markdown.
    pub doc: Option<String>,
    /// The documentation of what it returns.
    pub returns_doc: Option<String>,
    /// It destroys something.
    pub destructive: bool,
    /// Calling it again changes nothing more.
    pub idempotent: bool,
}

/// Whether a method reads or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intent {
    /// It changes nothing.
    ReadOnly,
    /// It may change the state.
    Mutating,
    /// Nobody said: taken as writing.
    #[default]
    Unspecified,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeRef,
    /// It may be null, and may be left out.
    pub nullable: bool,
    /// Its documentation.
    pub doc: Option<String>,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub payload: Option<TypeRef>,
}
