"""Drives an MCP server with the `mcp` client from PyPI.

The one argument is a JSON object:

    {"url": "http://127.0.0.1:8080/mcp",               where the server is, or
     "command": ["toolmesh", "serve", "token.json"],   what to start
     "environment": {"NAME": "value"},                 for the command, beside the client's own small default (optional)
     "mode": "legacy",                                 the client's negotiation mode
     "answer": {"confirm": true},                      what every form of the server is answered with; without it
                                                       the client says that it cannot be asked (optional)
     "steps": [{"tool": "transfer", "arguments": {}, "cancel": "half"}]}

"legacy" makes this client offer its newest revision with a handshake, 2025-11-25; "auto" asks for a
newer one first; a revision such as "2026-07-28" adopts that one without asking. The steps are calls, in order, in one
session. A step with "cancel" is given up by the client when it is told of progress by a message with that text in it.

One JSON object goes to stdout:

    {"protocol": "2025-11-25", "server": {...}, "tools": [...], "asked": ["Run it?"], "results": [...]}

`tools` are the tools as the server listed them, all pages; `asked` the messages of the forms. Each result has `progress`,
the messages of it that came, and {"is_error", "structured", "text"} or, where the server refused the request,
{"error": {"code", "message"}}, or, where the client gave it up, {"cancelled": true}.
"""

import asyncio
import json
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult

# Long enough for a debug build on a busy machine, short enough for a test to fail before it is killed.
READ_TIMEOUT_SECONDS = 60


def plain(model):
    """A protocol object as it stands on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def list_tools(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools.extend(plain(tool) for tool in page.tools)
        cursor = page.next_cursor
        if cursor is None:
            return tools


async def perform(client, step):
    progress = []
    with anyio.CancelScope() as scope:

        async def on_progress(_progress, _total, message):
            progress.append(message or "")
            if step.get("cancel") and step["cancel"] in (message or ""):
                scope.cancel()

        try:
            result = await client.call_tool(step["tool"], step.get("arguments", {}), progress_callback=on_progress)
        except MCPError as error:
            return {"progress": progress, "error": {"code": error.code, "message": error.message}}
        return {
            "progress": progress,
            "is_error": bool(result.is_error),
            "structured": result.structured_content,
            "text": [block.text for block in result.content if block.type == "text"],
        }
    return {"progress": progress, "cancelled": True}


def server(plan):
    if "url" in plan:
        return plan["url"]
    command, *arguments = plan["command"]
    return StdioServerParameters(command=command, args=arguments, env=plan.get("environment") or None)


async def session(plan):
    asked = []

    async def answer(_context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content=plan["answer"])

    callback = answer if "answer" in plan else None
    options = {"mode": plan["mode"], "read_timeout_seconds": READ_TIMEOUT_SECONDS, "elicitation_callback": callback}
    async with Client(server(plan), **options) as client:
        return {
            "protocol": client.protocol_version,
            "server": plain(client.server_info) if client.server_info else None,
            "tools": await list_tools(client),
            "results": [await perform(client, step) for step in plan["steps"]],
            "asked": asked,
        }


def main():
    print(json.dumps(asyncio.run(session(json.loads(sys.argv[1])))))


if __name__ == "__main__":
    main()
