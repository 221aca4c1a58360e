// What the sessions of both TypeScript clients have in common: the plan they are given and the report they print.
//
// The one argument of `session_v1.mjs` and `session_v2.mjs` is a JSON object:
//
//     {"url": "http://127.0.0.1:8080/mcp",               where the server is, or
//      "command": ["toolmesh", "serve", "token.json"],   what to start
//      "environment": {"NAME": "value"},                 for the command, beside the client's own small default (optional)
//      "mode": "legacy",                                 a handshake, or the revision to speak without one
//      "answer": {"confirm": true},                      what every form of the server is answered with; without it
//                                                        the client says that it cannot be asked (optional)
//      "steps": [{"tool": "transfer", "arguments": {}, "cancel": "half"}]}
//
// The steps are calls, in order, in one session. A step with "cancel" is given up by the client when it is told of
// progress by a message with that text in it. One JSON object goes to stdout:
//
//     {"protocol": "2025-11-25", "server": {...}, "tools": [...], "asked": ["Run it?"], "results": [...]}
//
// `tools` are the tools as the server listed them, all pages; `asked` the messages of the forms. Each result has
// `progress`, the messages of it that came, and {"is_error", "structured", "text"} or, where the server refused the
// request, {"error": {"code", "message"}}, or, where the client gave it up, {"cancelled": true}.

import { createRequire } from "node:module";
import { join } from "node:path";

// An import would look for packages beside this file; they are installed in the folder of the tests.
const folder = process.env.TOOLMESH_NODE_DIR;
export const installed = createRequire(folder ? join(folder, "package.json") : import.meta.url);

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

async function perform(kind, client, step) {
  const progress = [];
  const giveUp = new AbortController();
  const options = {
    signal: giveUp.signal,
    onprogress: ({ message }) => {
      progress.push(message ?? "");
      if (step.cancel && message?.includes(step.cancel)) giveUp.abort("not wanted any more");
    },
  };
  try {
    const result = await kind.call(client, { name: step.tool, arguments: step.arguments ?? {} }, options);
    return {
      progress,
      is_error: result.isError === true,
      structured: result.structuredContent ?? null,
      text: result.content.filter((block) => block.type === "text").map((block) => block.text),
    };
  } catch (error) {
    if (giveUp.signal.aborted) return { progress, cancelled: true };
    if (!kind.isRefusal(error)) throw error;
    return { progress, error: { code: error.code, message: error.message } };
  }
}

function transport(kind, plan) {
  if (plan.url !== undefined) return new kind.HttpTransport(new URL(plan.url));
  const [command, ...args] = plan.command;
  const env = { ...kind.defaultEnvironment(), ...plan.environment };
  return new kind.StdioTransport({ command, args, env, stderr: "inherit" });
}

// Runs the plan with a kind of client, and prints the report.
export async function run(kind) {
  const plan = JSON.parse(process.argv[2]);
  const canBeAsked = plan.answer !== undefined;
  const client = kind.client(
    { name: "toolmesh-testkit", version: "0.0.0" },
    canBeAsked ? { elicitation: { form: {} } } : {},
    plan.mode ?? "legacy",
  );
  const asked = [];
  if (canBeAsked) {
    kind.onForm(client, ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: plan.answer };
    });
  }
  const connection = transport(kind, plan);
  await client.connect(connection);
  let report;
  try {
    const tools = await listTools(client);
    const results = [];
    for (const step of plan.steps) results.push(await perform(kind, client, step));
    report = { protocol: kind.protocol(client, connection), server: client.getServerVersion(), tools, asked, results };
  } finally {
    await client.close();
  }
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
