//! Tools that tell of themselves while they run, or change the catalogue.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use toolmesh_tool::{
    CallContext, CallError, ClientCapability, Entries, HandlerError, LogLevel, Mount, Outcome, Prompt, Tool,
    ToolBuilder, ToolName, ToolResult, json::View,
};

use super::{Tools, prompts::Fixed};

/// How long these tools pause between two messages.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the tool that lets its connection go works on.
const AWAY: Duration = Duration::from_millis(100);

pub(crate) fn tools(changing: &Arc<Mount>) -> Tools {
    let (tools_change, prompts_change) = (Change::of(changing), Change::of(changing));
    [
        plain(
            "test_tool_with_logging",
            "Logs three times",
            |context| async move {
                for text in [
                    "Tool execution started",
                    "Tool processing data",
                    "Tool execution completed",
                ] {
                    context.log(LogLevel::Info, text).await;
                    tokio::time::sleep(PAUSE).await;
                }
                ToolResult::text("Tool with logging executed successfully")
            },
        ),
        plain("test_logging_tool", "Logs once", |context| async move {
            context.log(LogLevel::Info, "This tool logs").await;
            ToolResult::text("Logged, if somebody wanted to hear it")
        }),
        plain(
            "test_tool_with_progress",
            "Reports progress",
            |context| async move {
                for percent in [0_u8, 50, 100] {
                    let told = format!("Completed step {percent} of 100");
                    context.progress(f64::from(percent), Some(told)).await;
                    tokio::time::sleep(PAUSE).await;
                }
                let meta = context.front().meta.as_ref();
                let token = meta.and_then(|meta| meta.get("progressToken")).map(View::to_text);
                ToolResult::text(token.unwrap_or_else(|| "0".to_owned()))
            },
        ),
        plain(
            "test_reconnection",
            "Lets its connection go",
            |context| async move {
                context.release_connection();
                tokio::time::sleep(AWAY).await;
                ToolResult::text("Reconnection test completed: the client came back for this")
            },
        ),
        plain(
            "test_missing_capability",
            "Needs a client that samples",
            |_| async { ToolResult::text("Success") },
        )
        .require_capability(ClientCapability::Sampling),
        plain(
            "test_trigger_tool_change",
            "Changes the list of tools",
            move |_| std::future::ready(tools_change.tools()),
        ),
        plain(
            "test_trigger_prompt_change",
            "Changes the list of prompts",
            move |_| std::future::ready(prompts_change.prompts()),
        ),
    ]
    .into_iter()
    .map(ToolBuilder::build)
    .collect()
}

/// A tool without arguments.
pub(crate) fn plain<F, Fut>(name: &str, description: &str, run: F) -> ToolBuilder
where
    F: Fn(CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    Tool::with_name(name)
        .json_object_arguments()
        .handler(move |context, _| run(context))
        .description(description)
}

/// Adds an entry to the catalogue and takes it back, in turns.
struct Change {
    mount: Arc<Mount>,
    there: AtomicBool,
}

impl Change {
    fn of(mount: &Arc<Mount>) -> Self {
        Self {
            mount: Arc::clone(mount),
            there: AtomicBool::new(false),
        }
    }

    fn tools(&self) -> Result<ToolResult, CallError> {
        let tool = plain("dynamic", "Comes and goes", |_| async {
            ToolResult::text("here")
        });
        let tools = vec![tool.build().map_err(HandlerError::from_error)?];
        self.turn(Entries {
            tools,
            ..Entries::default()
        })
    }

    fn prompts(&self) -> Result<ToolResult, CallError> {
        let name = ToolName::new("dynamic").map_err(HandlerError::from_error)?;
        let prompts = vec![Prompt::new(name, Arc::new(Fixed(Vec::new())))];
        self.turn(Entries {
            prompts,
            ..Entries::default()
        })
    }

    fn turn(&self, entries: Entries) -> Result<ToolResult, CallError> {
        let there = self.there.fetch_xor(true, Ordering::Relaxed);
        let entries = if there { Entries::default() } else { entries };
        self.mount.replace(entries).map_err(HandlerError::from_error)?;
        Ok(ToolResult::text("Changed"))
    }
}
