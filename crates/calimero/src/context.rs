//! The injected argument that says which context of the application a call is for.

use toolmesh_json::Value;

use crate::model::Method;

/// The name of the injected argument. No generator of manifests writes a parameter that begins with an underscore, so an
/// application's own `context` keeps its name.
pub const CONTEXT_ARGUMENT: &str = "_context";

/// The name of the injected argument of tools that are targeted by handles.
pub const HANDLE_ARGUMENT: &str = "app_handle";

/// How a call says which context it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Targeting {
    /// By an optional [`CONTEXT_ARGUMENT`], the context's id or alias; the selected context without it.
    #[default]
    Context,
    /// By a required [`HANDLE_ARGUMENT`], which `select_app` gives: it is bound to the application as it is installed
    /// and to one of its contexts, and nothing is selected.
    Handle,
}

impl Targeting {
    /// The injected argument of a method's tool. A method that declares a parameter of the name keeps it: under
    /// [`Targeting::Context`] its tool cannot be targeted, under [`Targeting::Handle`] it has no tool.
    #[must_use]
    pub fn argument_of(self, method: &Method) -> Option<&'static str> {
        let name = self.argument();
        method
            .params
            .iter()
            .all(|param| param.name != name)
            .then_some(name)
    }

    /// The name of the injected argument.
    #[must_use]
    pub fn argument(self) -> &'static str {
        match self {
            Self::Context => CONTEXT_ARGUMENT,
            Self::Handle => HANDLE_ARGUMENT,
        }
    }

    /// Whether a call must have the argument.
    pub(crate) fn is_required(self) -> bool {
        self == Self::Handle
    }

    /// What the argument is, for whoever gave none or something else.
    pub(crate) fn expectation(self) -> &'static str {
        match self {
            Self::Context => "a context id or an alias, as a string",
            Self::Handle => "the app_handle that select_app returns, as a string",
        }
    }

    /// The schema of the injected argument.
    pub(crate) fn schema(self) -> Value {
        let about = match self {
            Self::Context => "Context id or alias to execute against; defaults to the selected context.",
            Self::Handle => "The app_handle that select_app returned for this application.",
        };
        Value::object()
            .put("type", "string")
            .put("description", about)
            .build()
    }
}
