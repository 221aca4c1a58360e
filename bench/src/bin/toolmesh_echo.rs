//! Us: the MCP server over a dispatcher with one tool, as the library offers it, perhaps among many others.

use anyhow::Result;
use clap::Parser;
use toolmesh_bench::{ECHO, echo_schema};
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
use toolmesh_tool::{
    CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox, json, json::Value, schema::Profile,
};

/// Serves the echo tool.
#[derive(Debug, Parser)]
struct Arguments {
    /// Serve HTTP in place of standard input and output
    #[arg(long)]
    http: bool,
    /// Tools that are registered besides
    #[arg(long, default_value_t = 0)]
    others: usize,
}

/// The echo tool under a name, its schema checked on every call.
fn echo(name: &str) -> Result<Tool> {
    let schema = json::parse(echo_schema().to_string().as_bytes())?;
    let tool = Tool::with_name(name)
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
    let arguments = Arguments::parse();
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("bench", Prefix::None)?;
    let others = (0..arguments.others).map(|number| echo(&format!("{ECHO}_{number}")));
    mount.add(
        std::iter::once(echo(ECHO))
            .chain(others)
            .collect::<Result<Vec<_>>>()?,
    )?;
    let server = McpServer::new(
        Dispatcher::builder(toolbox).build(),
        ServerInfo::new("bench", "0.1.0"),
    );
    if !arguments.http {
        server.serve_stdio().await?;
        return Ok(());
    }
    let bound = server
        .bind_http(([127, 0, 0, 1], 0).into(), HttpOptions::default())
        .await?;
    eprintln!("listening on {}", bound.url());
    bound.serve(std::future::pending()).await?;
    Ok(())
}
