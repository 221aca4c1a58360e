"""A whole MCP server: `python server.py` over HTTP, `python server.py stdio` on standard input and output."""

import sys

from toolmesh import Node, tool


@tool
def add(a: float, b: float) -> dict[str, float]:
    """Adds two numbers."""
    return {"sum": a + b}


with Node() as node, node.serve(add):
    if sys.argv[1:] == ["stdio"]:
        node.serve_mcp_stdio()
    else:
        print(node.serve_mcp().url, flush=True)
        node.until_closed()
