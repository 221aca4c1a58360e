"""Tools as a model provider accepts them today, and what the model answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal, cast

from . import _native
from ._json import dumps, loads
from ._types import ToolDescriptor
from .errors import ToolCallParseError

__all__ = ["ToolCallParseError", "ToolCallSpec", "Toolset"]

Provider = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp"]


@dataclasses.dataclass(frozen=True)
class ToolCallSpec:
    """A model's call of a tool."""

    name: str
    """The tool's name, as the model was given it."""
    arguments_json: str
    """The arguments as a JSON text."""
    provider_call_id: str | None
    """The provider's id of the call, which its result needs; `None` where the provider has none."""

    @property
    def arguments(self) -> Any:
        """The arguments, read."""
        return loads(self.arguments_json)


class Toolset:
    """Tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back.

    Providers are `openai`, `openai-responses`, `anthropic`, `gemini` and `mcp`. Raises `InvalidInput` for another provider, or a
    descriptor that cannot be translated.
    """

    def __init__(self, provider: Provider, descriptors: Iterable[ToolDescriptor]) -> None:
        self._native = _native.Toolset(provider, dumps(list(descriptors)))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """What to send as the request's tools."""
        return cast("list[dict[str, Any]]", loads(self._native.tools))

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What was changed or could not be carried over."""
        return cast("list[dict[str, str]]", loads(self._native.warnings))

    def calls(self, reply: Any) -> list[dict[str, Any]]:
        """The calls in a model's whole reply: `name`, `arguments`, `call_id`, or `error` where a call cannot be made.

        Raises `InvalidInput` when the reply is not one of this provider.
        """
        return cast("list[dict[str, Any]]", loads(self._native.calls(dumps(reply))))

    def messages(self, replies: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The results of a turn (`name`, `call_id`, `result`, `is_error`) as the messages that go back to the model."""
        return cast("list[dict[str, Any]]", loads(self._native.messages(dumps(list(replies)))))


def plain_tool(format: str, descriptor: ToolDescriptor) -> dict[str, Any]:
    """A tool in the plain form of a provider."""
    return cast("dict[str, Any]", loads(_native.to_tool(format, dumps(descriptor))))


def plain_call(format: str, reply: Any) -> ToolCallSpec:
    """A call from the plain form of a provider."""
    call = _native.lower_call(format, dumps(reply))
    return ToolCallSpec(call.name, call.arguments_json, call.provider_call_id)
