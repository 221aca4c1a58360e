//! Us: the MCP server over a dispatcher with one tool, as the library offers it.

use anyhow::Result;
use toolmesh_bench::{ECHO, echo_schema};
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
use toolmesh_tool::{
    CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox, json, json::Value, schema::Profile,
};

/// The tool, its schema checked on every call.
fn echo() -> Result<Tool> {
    let schema = json::parse(echo_schema().to_string().as_bytes())?;
    let tool = Tool::with_name(ECHO)
        .input_schema(schema, Profile::Profile1)
        .handler(|_context: CallContext, arguments: Value| async move {
            let message = arguments.get("message").and_then(|message| message.as_str());
            ToolResult::text(message.unwrap_or_default())
        })
        .description("Answers the message.")
        .build()?;
    Ok(tool)
}

#[tokio::main]
async fn main() -> Result<()> {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("bench", Prefix::None)?;
    mount.add(vec![echo()?])?;
    let server = McpServer::new(
        Dispatcher::builder(toolbox).build(),
        ServerInfo::new("bench", "0.1.0"),
    );
    let bound = server
        .bind_http(([127, 0, 0, 1], 0).into(), HttpOptions::default())
        .await?;
    eprintln!("listening on {}", bound.url());
    bound.serve(std::future::pending()).await?;
    Ok(())
}
