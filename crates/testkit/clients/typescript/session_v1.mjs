// Drives an MCP server with the client of npm's @modelcontextprotocol/sdk, the first version of the TypeScript SDK. Plan
// and report: session.mjs.
//
// This client knows revisions up to 2025-11-25 and checks structured results against the output schema.

import { installed, run } from "./session.mjs";

const { Client } = installed("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport, getDefaultEnvironment } = installed("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = installed("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { ElicitRequestSchema, McpError } = installed("@modelcontextprotocol/sdk/types.js");

// It does not say which revision was agreed on, except to its transports.
class StdioTransport extends StdioClientTransport {
  setProtocolVersion(version) {
    this.protocolVersion = version;
  }
}

await run({
  HttpTransport: StreamableHTTPClientTransport,
  StdioTransport,
  defaultEnvironment: getDefaultEnvironment,
  client: (info, capabilities) => new Client(info, { capabilities }),
  onForm: (client, answer) => client.setRequestHandler(ElicitRequestSchema, answer),
  call: (client, params, options) => client.callTool(params, undefined, options),
  isRefusal: (error) => error instanceof McpError,
  protocol: (_client, transport) => transport.protocolVersion,
});
