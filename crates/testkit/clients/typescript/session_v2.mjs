// Drives an MCP server with npm's @modelcontextprotocol/client, of the second version of the TypeScript SDK. Plan and
// report: session.mjs.
//
// This client knows 2026-07-28 as well, mirrors arguments in headers itself, and answers what a result asks for.

import { installed, run } from "./session.mjs";

const { Client, ProtocolError, StreamableHTTPClientTransport } = installed("@modelcontextprotocol/client");
const { StdioClientTransport, getDefaultEnvironment } = installed("@modelcontextprotocol/client/stdio");

await run({
  HttpTransport: StreamableHTTPClientTransport,
  StdioTransport: StdioClientTransport,
  defaultEnvironment: getDefaultEnvironment,
  client: (info, capabilities, mode) =>
    new Client(info, { capabilities, versionNegotiation: { mode: mode === "legacy" ? mode : { pin: mode } } }),
  onForm: (client, answer) => client.setRequestHandler("elicitation/create", answer),
  call: (client, params, options) => client.callTool(params, options),
  isRefusal: (error) => error instanceof ProtocolError,
  protocol: (client) => client.getNegotiatedProtocolVersion(),
});
