"""Tools of Python functions, and descriptors."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable
from typing import Any, overload

from ._context import Context
from ._schema import bind, parameters_of, refusals, schema_of
from ._types import JsonSchema, ToolDescriptor
from .errors import ToolError

_STREAMS = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
)


def descriptor_for(
    name: str,
    *,
    version: str = "1.0.0",
    description: str | None = None,
    input: Any = None,
    output: Any = None,
    input_schema: JsonSchema | str | None = None,
    output_schema: JsonSchema | str | None = None,
    requires: list[str] | None = None,
    estimated_time_ms: int = 0,
    stateless: bool = True,
    streaming: bool = False,
    tags: list[str] | None = None,
    title: str | None = None,
) -> ToolDescriptor:
    """A descriptor, for `serve_tool` and for provider formats.

    - `name`: the identifier: letters, digits and `_`, `.`, `-`.
    - `version`: a semantic version.
    - `description`, `title`: for models, and for people.
    - `input`, `output`: types that the schemas are derived from: plain types, lists, tuples, dicts, unions, literals, enumerations,
      dataclasses, `TypedDict`, pydantic models, and `Annotated[T, "text"]` or `Annotated[T, {"minimum": 1}]`.
    - `input_schema`, `output_schema`: JSON Schemas in their place.
    - `requires`: what the host needs to have, as tags.
    - `estimated_time_ms`: the usual duration in milliseconds; 0 is unknown.
    - `stateless`: whether a call leaves nothing behind, so that it may be tried again elsewhere.
    - `streaming`: whether it sends events while it runs.
    - `tags`: words to find it by.

    Raises `TypeError` for a type that has no JSON Schema. What else is wrong is told when the tool is served.
    """
    descriptor: ToolDescriptor = {
        "tool_id": name,
        "name": name,
        "version": version,
        "requires": requires or [],
        "estimated_time_ms": estimated_time_ms,
        "stateless": stateless,
        "streaming": streaming,
        "tags": tags or [],
    }
    if description is not None:
        descriptor["description"] = description
    if title is not None:
        descriptor["title"] = title
    chosen = input_schema if input_schema is not None else _derived(input)
    if chosen is not None:
        descriptor["input_schema"] = chosen
    chosen = output_schema if output_schema is not None else _derived(output, written=True)
    if chosen is not None:
        descriptor["output_schema"] = chosen
    return descriptor


def _derived(hint: Any, written: bool = False) -> JsonSchema | None:
    return None if hint is None else schema_of(hint, written)


class Tool:
    """A Python function as a tool. It can still be called as the function that it is."""

    function: Callable[..., Any]
    """The function."""
    descriptor: ToolDescriptor
    """What it tells of itself, schemas included."""

    def __init__(self, function: Callable[..., Any], descriptor: ToolDescriptor, hints: dict[str, Any]) -> None:
        self.function = function
        self.descriptor = descriptor
        self._hints = hints
        self._context_parameter = _context_parameter(function)
        self.__doc__ = function.__doc__
        self.__name__ = descriptor["tool_id"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def run(self, arguments: dict[str, Any], context: Context) -> Any:
        """Runs the function on JSON arguments that passed the schema; a node does this for each call."""
        given = {name: self._bound(name, value) for name, value in arguments.items()}
        if self._context_parameter is not None:
            given[self._context_parameter] = context
        return self.function(**given)

    def _bound(self, name: str, value: Any) -> Any:
        try:
            return bind(self._hints[name], value)
        except (TypeError, ValueError, KeyError) as refused:
            # The program's own checks go beyond the schema; whoever calls has to know what to change.
            raise ToolError(f"the arguments are refused: {refusals(name, refused)}", "invalid_arguments") from refused


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    function: None = None,
    /,
    *,
    name: str | None = None,
    version: str = "1.0.0",
    description: str | None = None,
    tags: list[str] | None = None,
    requires: list[str] | None = None,
    estimated_time_ms: int = 0,
    stateless: bool = True,
    title: str | None = None,
    output_schema: JsonSchema | str | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, /, **settings: Any) -> Any:
    """Makes a tool of a function: its name, its docstring, and schemas from its type hints.

    A parameter of type `Context` is given the call; the others are the members of the arguments. A function that yields is a
    streaming tool, and yields events. Sync and async functions may be mixed. The settings are those of `descriptor_for`.

    Raises `TypeError`, with the parameter's name, where a parameter has no type hint or one that has no JSON Schema.
    """
    if function is not None:
        return _tool_of(function)
    return lambda decorated: _tool_of(decorated, **settings)


def _tool_of(
    function: Callable[..., Any],
    name: str | None = None,
    description: str | None = None,
    output_schema: JsonSchema | str | None = None,
    **settings: Any,
) -> Tool:
    context = _context_parameter(function)
    hints, input_schema = parameters_of(function, {context} if context else set())
    streaming = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if output_schema is None and not streaming:
        output_schema = _output_of(function)
    descriptor = descriptor_for(
        name or function.__name__,
        description=description or inspect.getdoc(function),
        input_schema=input_schema,
        output_schema=output_schema,
        streaming=streaming,
        **settings,
    )
    return Tool(function, descriptor, hints)


def _output_of(function: Callable[..., Any]) -> JsonSchema | None:
    returned = typing.get_type_hints(function, include_extras=True).get("return", inspect.Signature.empty)
    if returned is inspect.Signature.empty or typing.get_origin(returned) in _STREAMS:
        return None
    return schema_of(returned, written=True)


def _context_parameter(function: Callable[..., Any]) -> str | None:
    hints = typing.get_type_hints(function)
    return next((name for name, hint in hints.items() if hint is Context and name != "return"), None)
