"""Drives an MCP server over stdio with the `mcp` client from PyPI.

The one argument is a JSON object:

    {"command": ["toolmesh", "serve", "token.json"],   what to start
     "environment": {"NAME": "value"},                 added to the client's own small default (optional)
     "mode": "legacy",                                 the client's negotiation mode
     "steps": [{"tool": "transfer", "arguments": {}}]} calls, in order, in one session

"legacy" makes this client offer its newest revision with a handshake, 2025-11-25; "auto" asks for a
newer one first; a revision such as "2026-07-28" adopts that one without asking.

One JSON object goes to stdout:

    {"protocol": "2025-11-25", "server": {...}, "tools": [...], "results": [...]}

`tools` are the tools as the server listed them, all pages. Each result is either
{"is_error", "structured", "text"} or, where the server refused the request, {"error": {"code", "message"}}.
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters

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


async def call(client, step):
    try:
        result = await client.call_tool(step["tool"], step.get("arguments", {}))
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message}}
    return {
        "is_error": bool(result.is_error),
        "structured": result.structured_content,
        "text": [block.text for block in result.content if block.type == "text"],
    }


async def session(plan):
    command, *arguments = plan["command"]
    server = StdioServerParameters(command=command, args=arguments, env=plan.get("environment") or None)
    async with Client(server, mode=plan["mode"], read_timeout_seconds=READ_TIMEOUT_SECONDS) as client:
        return {
            "protocol": client.protocol_version,
            "server": plain(client.server_info) if client.server_info else None,
            "tools": await list_tools(client),
            "results": [await call(client, step) for step in plan["steps"]],
        }


def main():
    print(json.dumps(asyncio.run(session(json.loads(sys.argv[1])))))


if __name__ == "__main__":
    main()
