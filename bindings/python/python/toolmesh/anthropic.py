"""Anthropic's plain tool format, to the letter that other programs of the tool mesh know; see `Toolset` for what it accepts today."""

from __future__ import annotations

from typing import Any

from ._types import ToolDescriptor
from .formats import ToolCallSpec, plain_call, plain_tool

__all__ = ["lower_anthropic_tool_use", "to_anthropic_tool"]


def to_anthropic_tool(descriptor: ToolDescriptor) -> dict[str, Any]:
    """The tool as Anthropic writes it."""
    return plain_tool("anthropic", descriptor)


def lower_anthropic_tool_use(reply: Any) -> ToolCallSpec:
    """The call in a block `tool_use`; `ToolCallParseError` when there is none."""
    return plain_call("anthropic", reply)
