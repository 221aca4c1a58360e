"""Gemini's plain tool format, to the letter that other programs of the tool mesh know; see `Toolset` for what it accepts today."""

from __future__ import annotations

from typing import Any

from ._types import ToolDescriptor
from .formats import ToolCallSpec, plain_call, plain_tool

__all__ = ["lower_gemini_function_call", "to_gemini_function_declaration"]


def to_gemini_function_declaration(descriptor: ToolDescriptor) -> dict[str, Any]:
    """The tool as Gemini writes it."""
    return plain_tool("gemini", descriptor)


def lower_gemini_function_call(reply: Any) -> ToolCallSpec:
    """The call in a `functionCall`; `ToolCallParseError` when there is none."""
    return plain_call("gemini", reply)
