"""Typed tools that AI agents can call: served, found and called on a mesh, over MCP, and in every provider's format.

```python
from toolmesh import Node, tool

@tool
def add(a: int, b: int) -> int:
    "Adds two numbers."
    return a + b

with Node() as node, node.serve(add):
    print(node.call_tool("add", {"a": 1, "b": 2}))
```
"""

from . import anthropic, errors, formats, gemini, mcp, openai
from ._context import Context
from ._functions import (
    call_tool,
    call_tool_async,
    call_tool_streaming,
    call_tool_streaming_async,
    fetch_tool_metadata,
    fetch_tool_metadata_async,
    list_tools,
    serve_tool,
    serve_tool_async,
    serve_tool_streaming,
    serve_tool_streaming_async,
    watch_tools,
)
from ._handles import McpServer, ToolEventStream, ToolEventStreamOpening, ToolServeHandle, ToolWatch
from ._node import Node
from ._options import AccessList, AccessRules, Allowed
from ._tool import Tool, descriptor_for, tool
from ._types import (
    Caller,
    CallOptions,
    TagMatcher,
    ToolDescriptor,
    ToolEvent,
    ToolListChange,
    ToolListChangeAdded,
    ToolListChangeChanged,
    ToolListChangeNodeCountChanged,
    ToolListChangeRemoved,
    ToolListResync,
    is_terminal_event,
)
from .errors import ToolCallParseError, ToolError, ToolmeshError
from .formats import ToolCallSpec, Toolset

TOOL_METADATA_FETCH_SERVICE = "tool.metadata.fetch"
"""The service by which a host tells the whole descriptor of a tool."""

__all__ = [
    "TOOL_METADATA_FETCH_SERVICE",
    "AccessList",
    "AccessRules",
    "Allowed",
    "CallOptions",
    "Caller",
    "Context",
    "McpServer",
    "Node",
    "TagMatcher",
    "Tool",
    "ToolCallParseError",
    "ToolCallSpec",
    "ToolDescriptor",
    "ToolError",
    "ToolEvent",
    "ToolEventStream",
    "ToolEventStreamOpening",
    "ToolListChange",
    "ToolListChangeAdded",
    "ToolListChangeChanged",
    "ToolListChangeNodeCountChanged",
    "ToolListChangeRemoved",
    "ToolListResync",
    "ToolServeHandle",
    "ToolWatch",
    "ToolmeshError",
    "Toolset",
    "anthropic",
    "call_tool",
    "call_tool_async",
    "call_tool_streaming",
    "call_tool_streaming_async",
    "descriptor_for",
    "errors",
    "fetch_tool_metadata",
    "fetch_tool_metadata_async",
    "formats",
    "gemini",
    "is_terminal_event",
    "list_tools",
    "mcp",
    "openai",
    "serve_tool",
    "serve_tool_async",
    "serve_tool_streaming",
    "serve_tool_streaming_async",
    "tool",
    "watch_tools",
]
