"""The peer: PyPI's `mcp` with one tool, on standard input and output or, with --http, on a port."""

import asyncio
import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("python-echo")


@server.tool(structured_output=False)
def echo(message: str) -> str:
    """Answers the message."""
    return message


async def serve_http() -> None:
    """Serves on a free port of this machine, and says where."""
    application = server.streamable_http_app(json_response=True, stateless_http=True)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    config = uvicorn.Config(application, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve(sockets=[listener])


if "--http" in sys.argv[1:]:
    asyncio.run(serve_http())
else:
    server.run("stdio")
