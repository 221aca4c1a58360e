//! `toolmesh-conformance [ADDRESS]`: the fixtures that the official MCP conformance suite asks for, served over
//! Streamable HTTP through the public API alone. `cargo xtask conformance` runs the suite against it.
#![expect(clippy::print_stdout, reason = "the program tells where it listens")]

mod asking;
mod content;
mod prompts;
mod resources;
mod rounds;
mod running;
mod tasks;

use std::{error::Error, net::SocketAddr, sync::Arc};

use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
use toolmesh_tool::{Dispatcher, Entries, Prefix, Tool, ToolBuildError, Toolbox};

/// What a fixture file gives.
type Tools = Result<Vec<Tool>, ToolBuildError>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let address: SocketAddr = address.parse()?;
    let toolbox = Toolbox::new();
    let fixtures = toolbox.mount("fixtures", Prefix::None)?;
    let changing = Arc::new(toolbox.mount("changing", Prefix::None)?);
    let tools = [
        content::tools()?,
        running::tools(&changing)?,
        asking::tools()?,
        rounds::tools()?,
        tasks::tools()?,
    ];
    fixtures.replace(Entries {
        tools: tools.into_iter().flatten().collect(),
        resources: resources::resources(),
        templates: vec![resources::template()?],
        prompts: prompts::prompts()?,
    })?;
    resources::keep_changing(fixtures);
    let dispatcher = Dispatcher::builder(toolbox).build();
    let _tasks = dispatcher.serve_tasks();
    let info = ServerInfo::new("toolmesh-conformance", env!("CARGO_PKG_VERSION"));
    let bound = McpServer::new(dispatcher, info)
        .bind_http(address, HttpOptions::default())
        .await?;
    println!("{}", bound.url());
    bound.serve(async { drop(tokio::signal::ctrl_c().await) }).await?;
    Ok(())
}
