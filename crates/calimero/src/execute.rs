//! The live side of a tool: whatever executes methods of applications.

use std::fmt;

use toolmesh_json::Value;
use toolmesh_tool::{
    BoxFuture, CallContext, ContentBlock, EmbeddedResource, ResourceBody, ResourceContents, TextContent,
};

/// One call of a method.
#[derive(Debug, Clone)]
pub struct MethodCall {
    /// The application's id, or its package where there is no id.
    pub application: String,
    /// The service, for an application of several.
    pub service: Option<String>,
    /// The method.
    pub method: String,
    /// The declared arguments by name; nothing else.
    pub arguments: Value,
    /// The context that the call names, id or alias; without one, the selected context.
    pub context: Option<String>,
    /// The handle that stands for application and context, where tools are targeted by handles.
    pub handle: Option<String>,
}

/// Executes methods: a node, or a runtime in this process.
pub trait Executor: fmt::Debug + Send + Sync + 'static {
    /// Executes one call and gives back what the method returned, null for nothing.
    ///
    /// # Errors
    /// [`ExecuteError`], told to the agent.
    fn execute<'a>(
        &'a self,
        context: &'a CallContext,
        call: MethodCall,
    ) -> BoxFuture<'a, Result<Value, ExecuteError>>;
}

/// Why a call came to nothing; its text is for the agent that made it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// There is nothing to execute on.
    #[error("This application is known by its interface alone: there is no node to call.")]
    Unbound,
    /// The call names no context, and none is selected.
    #[error("{0}")]
    NoContext(String),
    /// What the call names is not there, or there are several.
    #[error("{0}")]
    NotFound(String),
    /// The application itself said no.
    #[error("{0}")]
    Guest(String),
    /// The node refused or failed, in its own words.
    #[error("{message}")]
    Node {
        /// The node's word for the kind of failure.
        kind: String,
        /// What it said.
        message: String,
    },
    /// The node refuses who asks.
    #[error("{0}")]
    Unauthorized(String),
    /// The node cannot be reached, or did not answer in time.
    #[error("{0}")]
    Unreachable(String),
    /// A policy refuses.
    #[error("{0}")]
    Refused(String),
    /// The handle is missing, forged, or of an application that is not installed like that any more.
    #[error("{message}")]
    Handle {
        /// What to do.
        message: String,
        /// How the application is used, by its author.
        guide: Option<Guide>,
    },
}

/// What an application's author says about using it, for whoever has to begin anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// Whose words these are.
    pub label: String,
    /// Its URI, where it can have one.
    pub uri: Option<String>,
    /// The guide, Markdown.
    pub text: String,
}

impl Guide {
    /// The guide as content: a line that says whose words follow, and they.
    pub(crate) fn blocks(&self) -> Vec<ContentBlock> {
        let text = |text: &str| ContentBlock::Text(TextContent::new(text));
        let body = match &self.uri {
            None => text(&self.text),
            Some(uri) => ContentBlock::Resource(EmbeddedResource {
                resource: ResourceContents {
                    uri: uri.clone(),
                    mime_type: Some("text/markdown".to_owned()),
                    body: ResourceBody::Text(self.text.clone()),
                    meta: None,
                },
                annotations: None,
                meta: None,
            }),
        };
        vec![text(&self.label), body]
    }
}

impl ExecuteError {
    /// The stable word for the kind of failure in structured results.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Unbound => "unbound",
            Self::NoContext(_) => "no_context",
            Self::NotFound(_) => "not_found",
            Self::Guest(_) => "application_error",
            Self::Node { kind, .. } => kind,
            Self::Unauthorized(_) => "unauthorized",
            Self::Unreachable(_) => "unreachable",
            Self::Refused(_) => "refused",
            Self::Handle { .. } => "handle",
        }
    }
}
