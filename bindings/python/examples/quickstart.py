"""One program serves a tool, another finds and calls it."""

from toolmesh import Node, tool


@tool(tags=["web"])
def web_search(query: str, limit: int = 3) -> list[str]:
    """Searches the web."""
    return [f"hit {n} for {query}" for n in range(limit)]


# Two nodes of one process. On two machines, leave `engine` out, give both a certificate and the key of `toolmesh mesh keys`, one
# `listen`, the other `connect`.
key = bytes(32)
with Node(name="host", key=key, engine="memory") as host, host.serve(web_search):
    with Node(name="agent", key=key, engine="memory") as agent:
        for found in agent.list_tools():
            print(found["tool_id"], "-", found["description"])
        print(agent.call_tool("web_search", {"query": "mesh"}))
