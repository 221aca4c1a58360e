// The peer: npm's @modelcontextprotocol/server with one tool, on standard input and output or, with --http, on a port.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

// An import would look for packages beside this file; they are installed in the folder of the benchmarks.
const require = createRequire(join(process.env.TOOLMESH_BENCH_NODE_DIR, "package.json"));
const { McpServer, createMcpHandler } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { localhostHostValidation, localhostOriginValidation, toNodeHandler } = require("@modelcontextprotocol/node");
const { z } = require("zod");

// A call's arguments; made once, as servers do that are written with it.
const input = z.strictObject({ message: z.string() });

function server() {
  const server = new McpServer({ name: "typescript-echo", version: "1.0.0" });
  server.registerTool("echo", { description: "Answers the message.", inputSchema: input }, async ({ message }) => ({
    content: [{ type: "text", text: message }],
  }));
  return server;
}

if (process.argv.includes("--http")) {
  const answer = toNodeHandler(createMcpHandler(server));
  const hostIsOurs = localhostHostValidation();
  const originIsOurs = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (hostIsOurs(request, response) && originIsOurs(request, response)) answer(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`));
} else {
  serveStdio(server);
}
