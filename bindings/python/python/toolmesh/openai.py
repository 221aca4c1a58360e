"""OpenAI's plain tool format, to the letter that other programs of the tool mesh know; see `Toolset` for what it accepts today."""

from __future__ import annotations

from typing import Any

from ._types import ToolDescriptor
from .formats import ToolCallSpec, plain_call, plain_tool

__all__ = ["lower_openai_tool_call", "to_openai_tool"]


def to_openai_tool(descriptor: ToolDescriptor) -> dict[str, Any]:
    """The tool as OpenAI writes it."""
    return plain_tool("openai", descriptor)


def lower_openai_tool_call(reply: Any) -> ToolCallSpec:
    """The call in an entry of `tool_calls`; `ToolCallParseError` when there is none."""
    return plain_call("openai", reply)
