"""An MCP server on stdio, made with the `mcp` package from PyPI, for tests of our client.

It speaks every revision of that package: what the client begins with decides.
"""

import itertools
import sys

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("python-upstream")


class Name(BaseModel):
    name: str


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
async def steps(context: Context) -> str:
    """Reports its progress."""
    for step in range(3):
        await context.report_progress(step, 2, f"step {step}")
    return "done"


@server.tool()
async def tick(context: Context) -> str:
    """Reports its progress until it is cancelled."""
    print("it ticks", file=sys.stderr, flush=True)
    for step in itertools.count():
        await context.report_progress(step, None, f"step {step}")
        await anyio.sleep(0.01)


@server.tool()
async def greet(context: Context) -> str:
    """Asks for a name and greets."""
    answer = await context.elicit("Your name?", Name)
    return f"Hello, {answer.data.name}!" if answer.action == "accept" else f"No name: {answer.action}"


@server.tool()
async def think(context: Context) -> str:
    """Asks the model of its client (revisions with a handshake)."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text="hi"))
    answer = await context.session.create_message([message], max_tokens=9)
    return f"It says: {answer.content.text}"


@server.tool()
async def where(context: Context) -> str:
    """Asks for the roots of its client (revisions with a handshake)."""
    answer = await context.session.list_roots()
    return f"Roots: {','.join(str(root.uri) for root in answer.roots)}"


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool while the server runs."""

    @server.tool(name="grown")
    def grown() -> str:
        """Was not there at first."""
        return "here"

    await context.notify_tools_changed()
    return "grown"


@server.resource("note://{topic}")
def note(topic: str) -> str:
    """A note on a topic."""
    return f"On {topic}."


@server.prompt()
def review(code: str) -> str:
    """Asks for a review."""
    return f"Review {code}."


server.run("stdio")
