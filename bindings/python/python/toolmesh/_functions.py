"""The operations as functions that take the node first, as other languages of the tool mesh have them."""

from __future__ import annotations

from typing import Any

from ._handler import Handler
from ._handles import ToolEventStream, ToolEventStreamOpening, ToolServeHandle, ToolWatch
from ._node import Node
from ._types import CallOptions, TagMatcher, ToolDescriptor


def serve_tool(
    mesh: Node, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
) -> ToolServeHandle:
    """See `Node.serve_tool`."""
    return mesh.serve_tool(descriptor, handler, **settings)


def serve_tool_streaming(
    mesh: Node, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
) -> ToolServeHandle:
    """See `Node.serve_tool_streaming`."""
    return mesh.serve_tool_streaming(descriptor, handler, **settings)


serve_tool_async = serve_tool
"""See `Node.serve_tool_async`."""
serve_tool_streaming_async = serve_tool_streaming
"""See `Node.serve_tool_streaming_async`."""


def call_tool(mesh: Node, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
    """See `Node.call_tool`."""
    return mesh.call_tool(tool, arguments, options)


async def call_tool_async(mesh: Node, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
    """See `Node.call_tool_async`."""
    return await mesh.call_tool_async(tool, arguments, options)


def call_tool_streaming(
    mesh: Node, tool: str, arguments: Any = None, options: CallOptions | None = None
) -> ToolEventStream:
    """See `Node.call_tool_streaming`."""
    return mesh.call_tool_streaming(tool, arguments, options)


def call_tool_streaming_async(
    mesh: Node, tool: str, arguments: Any = None, options: CallOptions | None = None
) -> ToolEventStreamOpening:
    """See `Node.call_tool_streaming_async`."""
    return mesh.call_tool_streaming_async(tool, arguments, options)


def list_tools(mesh: Node, matcher: TagMatcher | None = None) -> list[ToolDescriptor]:
    """See `Node.list_tools`."""
    return mesh.list_tools(matcher)


def watch_tools(mesh: Node, matcher: TagMatcher | None = None, *, interval: float | None = None) -> ToolWatch:
    """See `Node.watch_tools`."""
    return mesh.watch_tools(matcher, interval=interval)


def fetch_tool_metadata(mesh: Node, node: int, tool: str) -> dict[str, Any]:
    """See `Node.fetch_tool_metadata`."""
    return mesh.fetch_tool_metadata(node, tool)


async def fetch_tool_metadata_async(mesh: Node, node: int, tool: str) -> dict[str, Any]:
    """See `Node.fetch_tool_metadata_async`."""
    return await mesh.fetch_tool_metadata_async(node, tool)
