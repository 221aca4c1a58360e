//! The methods that this server knows.

/// A request that this server can answer. Which revision has it, and under which name, stands in the revision's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The handshake of the 2025 revisions.
    Initialize,
    /// Nothing but an answer.
    Ping,
    /// What the server is and can do, without a handshake.
    Discover,
    /// The tools.
    ListTools,
    /// One call of a tool.
    CallTool,
    /// The resources.
    ListResources,
    /// The resource templates.
    ListResourceTemplates,
    /// The contents of a resource.
    ReadResource,
    /// The prompts.
    ListPrompts,
    /// The messages of a prompt.
    GetPrompt,
    /// Values for an argument that is being typed.
    Complete,
    /// From which level on the server logs to the client.
    SetLevel,
    /// Be told when a resource changes.
    Subscribe,
    /// Be told no more.
    Unsubscribe,
    /// Be told of changes for as long as the request lasts.
    Listen,
    /// Where a task stands.
    GetTask,
    /// Answers for a task that asked.
    UpdateTask,
    /// Stop a task.
    CancelTask,
}

impl Method {
    /// The member of the params that the `Mcp-Name` header mirrors, for the methods that have one (2026-07-28).
    pub(crate) fn name_member(self) -> Option<&'static str> {
        match self {
            Self::CallTool | Self::GetPrompt => Some("name"),
            Self::ReadResource => Some("uri"),
            Self::GetTask | Self::UpdateTask | Self::CancelTask => Some("taskId"),
            _ => None,
        }
    }
}
