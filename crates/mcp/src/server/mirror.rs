//! A result that says the same twice, as structured content and as text, where only one of them may leave.

use toolmesh_tool::{CatalogueTool, ContentBlock, Task, TaskOutcome, TaskState, ToolResult};

use super::{exchange::Exchange, outgoing::is_readable};

impl Exchange {
    /// Whether an answer may leave; it is not looked at again then.
    pub(super) fn lets_out(&mut self, body: &[u8]) -> bool {
        self.is_looked_at = is_readable(body, &self.server.limits().answer);
        self.is_looked_at
    }

    /// The result of `tool` without the text that only repeats its structured content; `None` where there is no such text.
    pub(super) fn without_mirror(&self, tool: &str, result: &ToolResult) -> Option<ToolResult> {
        let structured = result.structured.as_ref()?;
        let catalogue = self.catalogue();
        let found = catalogue.tool(tool).map(CatalogueTool::tool);
        if !found.is_none_or(|tool| tool.mirror_structured_content()) {
            return None;
        }
        let (last, others) = result.content.split_last()?;
        let mirrors = matches!(last, ContentBlock::Text(text) if text.text == structured.to_text());
        mirrors.then(|| ToolResult {
            content: others.to_vec(),
            ..result.clone()
        })
    }

    /// A task that ended with such a result, without that text.
    pub(super) fn task_without_mirror(&self, task: &Task) -> Option<Task> {
        let TaskState::Ended(TaskOutcome::Completed(result)) = &task.state else {
            return None;
        };
        let less = self.without_mirror(&task.call.tool, result)?;
        Some(Task {
            state: TaskState::Ended(TaskOutcome::Completed(less)),
            ..task.clone()
        })
    }
}
