// Drives an MCP server over Streamable HTTP with the client of npm's @modelcontextprotocol/sdk.
//
// The one argument is a JSON object:
//
//     {"url": "http://127.0.0.1:8080/mcp",
//      "headers": {"Authorization": "..."},              added to every request (optional)
//      "steps": [{"tool": "transfer", "arguments": {}}]} calls, in order, in one session
//
// One JSON object goes to stdout:
//
//     {"protocol": "2025-11-25", "server": {...}, "tools": [...], "results": [...]}
//
// `tools` are the tools as the server listed them, all pages. Each result is either
// {"is_error", "structured", "text"} or, where the server refused the request, {"error": {"code", "message"}}.
//
// This client knows revisions up to 2025-11-25 and checks structured results against the output schema.

import { createRequire } from "node:module";
import { join } from "node:path";

// An import would look for packages beside this file; they are installed in the folder of the tests.
const installed = process.env.TOOLMESH_NODE_DIR;
const require = createRequire(installed ? join(installed, "package.json") : import.meta.url);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { McpError } = require("@modelcontextprotocol/sdk/types.js");

async function listTools(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

async function call(client, step) {
  try {
    const result = await client.callTool({ name: step.tool, arguments: step.arguments ?? {} });
    return {
      is_error: result.isError === true,
      structured: result.structuredContent ?? null,
      text: result.content.filter((block) => block.type === "text").map((block) => block.text),
    };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

async function session(plan) {
  const client = new Client({ name: "toolmesh-testkit", version: "0.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(plan.url), {
    requestInit: { headers: plan.headers ?? {} },
  });
  await client.connect(transport);
  try {
    const tools = await listTools(client);
    const results = [];
    for (const step of plan.steps) results.push(await call(client, step));
    return { protocol: transport.protocolVersion, server: client.getServerVersion(), tools, results };
  } finally {
    await client.close();
  }
}

process.stdout.write(`${JSON.stringify(await session(JSON.parse(process.argv[2])))}\n`);
