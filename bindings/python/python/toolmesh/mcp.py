"""MCP's plain tool format, to the letter that other programs of the tool mesh know; see `Toolset` for what it accepts today."""

from __future__ import annotations

from typing import Any

from ._types import ToolDescriptor
from .formats import ToolCallSpec, plain_call, plain_tool

__all__ = ["lower_mcp_tools_call", "to_mcp_tool"]


def to_mcp_tool(descriptor: ToolDescriptor) -> dict[str, Any]:
    """The tool as MCP writes it."""
    return plain_tool("mcp", descriptor)


def lower_mcp_tools_call(reply: Any) -> ToolCallSpec:
    """The call in the params of `tools/call`; `ToolCallParseError` when there is none."""
    return plain_call("mcp", reply)
