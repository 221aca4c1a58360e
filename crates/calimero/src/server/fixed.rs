//! The tools about the node itself.

mod application;
mod blobs;
mod core;
mod governance;
mod schema;

use std::future::Future;
use std::sync::{Arc, Weak};

use toolmesh_json::{Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{
    ArgumentErrors, BoxFuture, CallContext, Outcome, Tool, ToolAnnotations, ToolHandler, ToolResult,
};

use super::{Shared, Toolset};
use crate::execute::ExecuteError;
use crate::node::Call;
use crate::tool::failed;

/// The names of all of them: no generated tool takes one, whichever toolsets are offered.
pub(super) const NAMES: [&str; 30] = [
    "node_status",
    "list_nodes",
    "list_applications",
    "list_namespaces",
    "list_contexts",
    "create_context",
    "join_context",
    "delete_context",
    "create_alias",
    "lookup_alias",
    "describe_app",
    "select_app",
    "call",
    "call_many",
    "install_application",
    "uninstall_application",
    "upload_blob",
    "list_blobs",
    "delete_blob",
    "create_namespace",
    "delete_namespace",
    "invite_to_namespace",
    "join_namespace",
    "leave_namespace",
    "list_group_members",
    "add_group_members",
    "create_group",
    "set_group_visibility",
    "set_group_metadata",
    "join_open_group",
];

/// The tools of the toolsets that are wanted.
pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let mut made = core::tools(shared);
    made.extend(application::tools(shared));
    for toolset in &shared.toolsets {
        match toolset {
            Toolset::Core => {}
            Toolset::Blobs => made.extend(blobs::tools(shared)),
            Toolset::Governance => made.extend(governance::tools(shared)),
        }
    }
    made
}

/// What a tool does to the node.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing.
    Reads,
    /// It adds or changes.
    Writes,
    /// It takes away.
    Destroys,
}

impl Effect {
    fn annotations(self) -> ToolAnnotations {
        ToolAnnotations {
            read_only: Some(matches!(self, Self::Reads)),
            destructive: Some(matches!(self, Self::Destroys)),
            open_world: Some(false),
            ..ToolAnnotations::default()
        }
    }
}

/// What a tool answers: an object, or a sentence.
enum Told {
    Object(Value),
    Sentence(String),
}

impl From<Value> for Told {
    fn from(value: Value) -> Self {
        Self::Object(value)
    }
}

impl From<toolmesh_json::ObjectBuilder> for Told {
    fn from(builder: toolmesh_json::ObjectBuilder) -> Self {
        Self::Object(builder.build())
    }
}

type Answer = Result<Told, ExecuteError>;

/// A tool about the node; `None` never happens with the texts that stand here, which a test holds.
fn tool<F, Fut>(
    shared: &Arc<Shared>,
    name: &'static str,
    description: &str,
    effect: Effect,
    input: Value,
    run: F,
) -> Option<Tool>
where
    F: Fn(Arc<Shared>, CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let handler = Handler {
        shared: Arc::downgrade(shared),
        run,
    };
    let built = Tool::with_name(name)
        .input_schema(input, Profile::Draft2020_12)
        .dyn_handler(Arc::new(handler))
        .description(description)
        .annotations(effect.annotations())
        .tag("calimero")
        .stateless(matches!(effect, Effect::Reads))
        .argument_errors(ArgumentErrors::Explained)
        .build();
    built
        .inspect_err(|error| tracing::error!(%error, "a tool is missing"))
        .ok()
}

/// How a tool that is one request tells of it.
#[derive(Clone, Copy)]
enum Telling {
    /// The node's answer.
    Answer,
    /// A sentence, because the answer says nothing.
    Sentence(fn(&Value) -> String),
}

/// A tool that is one request to the node, made of the arguments alone.
fn request_tool(
    shared: &Arc<Shared>,
    name: &'static str,
    description: &str,
    effect: Effect,
    input: schema::Input,
    call: fn(&Value) -> Call,
    telling: Telling,
) -> Option<Tool> {
    let run = move |shared: Arc<Shared>, context: CallContext, arguments: Value| async move {
        let answer = shared.ask(&context, call(&arguments)).await?;
        Ok(match telling {
            Telling::Answer => answer.into(),
            Telling::Sentence(sentence) => Told::Sentence(sentence(&arguments)),
        })
    };
    tool(shared, name, description, effect, input.build(), run)
}

/// Holds the source weakly: the toolbox has the tool, and does not keep the source alive.
struct Handler<F> {
    shared: Weak<Shared>,
    run: F,
}

impl<F, Fut> ToolHandler for Handler<F>
where
    F: Fn(Arc<Shared>, CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let Some(shared) = self.shared.upgrade() else {
                return failed(&ExecuteError::Unbound).into();
            };
            match (self.run)(shared, context, arguments).await {
                Ok(Told::Object(value)) => ToolResult::structured(value).into(),
                Ok(Told::Sentence(text)) => ToolResult::text(text).into(),
                Err(error) => failed(&error).into(),
            }
        })
    }
}

/// The text of an argument; the schema has seen that it is there, or may be missing.
fn text<'a>(arguments: &'a Value, key: &str) -> Option<&'a str> {
    arguments.get(key).and_then(View::as_str)
}

/// The text of an argument that is required.
fn needed<'a>(arguments: &'a Value, key: &str) -> &'a str {
    text(arguments, key).unwrap_or_default()
}
