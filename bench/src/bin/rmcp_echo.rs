//! The peer: rmcp, on standard input and output without blocking threads, or its Streamable HTTP server, stateless,
//! answering JSON.

use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use clap::Parser;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::{
        stdio_pipes,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
        },
    },
};
use toolmesh_bench::{ECHO, echo_schema};

/// A server of one tool, made the way rmcp is used for tools that are known only when the program runs.
#[derive(Clone)]
struct Echo {
    tool: Tool,
}

impl Echo {
    fn new() -> Self {
        let schema: JsonObject = echo_schema().as_object().cloned().unwrap_or_default();
        Self {
            tool: Tool::new(ECHO, "Answers the message.", Arc::new(schema)),
        }
    }
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == ECHO).then(|| self.tool.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        // rmcp checks no arguments; this is the least a tool has to do itself.
        let message = arguments.get("message").and_then(|message| message.as_str());
        let message = message.ok_or_else(|| ErrorData::invalid_params("message is not a string", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(message)]).into())
    }
}

/// Serves one tool.
#[derive(Debug, Parser)]
struct Arguments {
    /// Serve HTTP in place of standard input and output
    #[arg(long)]
    http: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let echo = Echo::new();
    if !Arguments::parse().http {
        echo.serve(stdio_pipes()).await?.waiting().await?;
        return Ok(());
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(echo.clone()), sessions, config);
    toolmesh_bench::serve(Router::new().route_service("/mcp", service)).await?;
    Ok(())
}
