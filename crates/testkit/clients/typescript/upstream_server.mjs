// An MCP server on stdio, made with npm's @modelcontextprotocol/sdk, for tests of our client.

import { createRequire } from "node:module";
import { join } from "node:path";

// An import would look for packages beside this file; they are installed in the folder of the tests.
const require = createRequire(join(process.env.TOOLMESH_NODE_DIR, "package.json"));
const { McpServer, ResourceTemplate } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { completable } = require("@modelcontextprotocol/sdk/server/completable.js");
const { SubscribeRequestSchema, UnsubscribeRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = require("zod");

const server = new McpServer({ name: "typescript-upstream", version: "1.0.0" });
const text = (text) => ({ content: [{ type: "text", text }] });

server.registerTool(
  "add",
  { description: "Adds two numbers.", inputSchema: { a: z.number().int(), b: z.number().int() }, outputSchema: { sum: z.number() } },
  async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
);

server.registerTool("steps", { description: "Reports its progress." }, async (extra) => {
  const progressToken = extra._meta?.progressToken;
  for (let step = 0; step < 3 && progressToken !== undefined; step++) {
    await extra.sendNotification({
      method: "notifications/progress",
      params: { progressToken, progress: step, total: 2, message: `step ${step}` },
    });
  }
  return text("done");
});

server.registerTool("greet", { description: "Asks for a name and greets." }, async () => {
  const answer = await server.server.elicitInput({
    message: "Your name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
  return text(answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}`);
});

server.registerTool("think", { description: "Asks the model of its client." }, async () => {
  const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
  const answer = await server.server.createMessage({ messages, maxTokens: 9 });
  return text(`It says: ${answer.content.text}`);
});

server.registerTool("where", { description: "Asks for the roots of its client." }, async () => {
  const { roots } = await server.server.listRoots();
  return text(`Roots: ${roots.map((root) => root.uri)}`);
});

const watched = new Set();
server.server.registerCapabilities({ resources: { subscribe: true } });
server.server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => (watched.add(params.uri), {}));
server.server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => (watched.delete(params.uri), {}));
server.registerTool("touch", { description: "Tells that what is watched changed." }, async () => {
  for (const uri of watched) await server.server.sendResourceUpdated({ uri });
  return text(`Watched: ${[...watched]}`);
});

server.registerTool("grow", { description: "Adds a tool while the server runs." }, async () => {
  server.registerTool("grown", { description: "Was not there at first." }, async () => text("here"));
  return text("grown");
});

server.registerTool("stop", { description: "Ends the server." }, async () => process.exit(1));

const starting = (values) => (typed) => values.filter((value) => value.startsWith(typed));
const topics = { topic: starting(["rust", "ruby", "go"]) };
server.registerResource("note", new ResourceTemplate("note://{topic}", { list: undefined, complete: topics }), {}, async (uri, { topic }) => ({
  contents: [{ uri: uri.href, text: `On ${topic}.` }],
}));

server.registerPrompt("review", { description: "Asks for a review.", argsSchema: { code: completable(z.string(), starting(["fn main", "fn test"])) } }, ({ code }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Review ${code}.` } }],
}));

await server.connect(new StdioServerTransport());
