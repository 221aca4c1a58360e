"""What a node gives its program to hold: served tools, servers, streams, watches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from typing import Any, cast

from . import _native
from ._json import loads
from ._types import ToolDescriptor, ToolEvent, ToolListChange, change_from
from ._waiting import read


class ToolServeHandle:
    """A tool that is served. Closing it, or leaving its `with` block, withdraws the tool."""

    descriptor: ToolDescriptor
    """What is announced of the tool."""

    def __init__(
        self, served: _native.Served, descriptor: ToolDescriptor, closed: Callable[[ToolServeHandle], object]
    ) -> None:
        self._served = served
        self._closed = closed
        self.descriptor = descriptor

    @property
    def tool_id(self) -> str:
        """The identifier under which the tool is served."""
        return self.descriptor.get("tool_id") or self.descriptor["name"]

    def close(self) -> None:
        """Withdraws the tool: it is gone for others at once, and calls that run go on. Closing twice is no fault."""
        self._served.close()
        self._closed(self)

    def __enter__(self) -> ToolServeHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class McpServer:
    """An MCP server on a port. Closing it, leaving its `with` block, or closing its node stops it."""

    def __init__(self, endpoint: _native.Endpoint, closed: Callable[[McpServer], object]) -> None:
        self._endpoint = endpoint
        self._closed = closed

    @property
    def url(self) -> str:
        """Where to point a client: `http://HOST:PORT/mcp`."""
        return self._endpoint.url

    def close(self) -> None:
        """Stops: calls in flight are finished. Closing twice is no fault."""
        self._endpoint.close()
        self._closed(self)

    def __enter__(self) -> McpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ToolEventStream:
    """The events of a call, to be iterated over, in a plain loop or an async one. The last is a `result` or an `error`.

    Closing the stream early, or leaving its `with` block, cancels the call. Reading on after that gives the error event
    `cancelled`, and then the end. What comes while a read is cancelled (`asyncio.wait_for`) is the next read's.
    """

    def __init__(self, events: _native.Events) -> None:
        self._events = events

    def __iter__(self) -> Iterator[ToolEvent]:
        return self

    def __next__(self) -> ToolEvent:
        event = self._events.next()
        if event is None:
            raise StopIteration
        return cast(ToolEvent, loads(event))

    def __aiter__(self) -> AsyncIterator[ToolEvent]:
        return self

    async def __anext__(self) -> ToolEvent:
        event = await read(self._events)
        if event is None:
            raise StopAsyncIteration
        return cast(ToolEvent, loads(event))

    def close(self) -> None:
        """Cancels the call: its handler is told, and the last event is an error `cancelled`."""
        self._events.cancel()

    def __enter__(self) -> ToolEventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ToolEventStreamOpening:
    """A stream that is being opened: `await` it for the `ToolEventStream`, or read it with `async for` at once."""

    def __init__(self, open: Callable[[], Coroutine[Any, Any, ToolEventStream]]) -> None:
        self._open = open

    def __await__(self) -> Generator[Any, None, ToolEventStream]:
        return self._open().__await__()

    async def __aiter__(self) -> AsyncIterator[ToolEvent]:
        with await self as stream:
            async for event in stream:
                yield event


class ToolWatch:
    """The changes of the list of tools, to be iterated over, in a plain loop or an async one, until it is closed.

    Nothing is lost by a reader that is slow: it sees several changes as one.
    """

    def __init__(self, changes: _native.Changes) -> None:
        self._changes = changes

    def __iter__(self) -> Iterator[ToolListChange]:
        return self

    def __next__(self) -> ToolListChange:
        change = self._changes.next()
        if change is None:
            raise StopIteration
        return change_from(loads(change))

    def __aiter__(self) -> AsyncIterator[ToolListChange]:
        return self

    async def __anext__(self) -> ToolListChange:
        change = await read(self._changes)
        if change is None:
            raise StopAsyncIteration
        return change_from(loads(change))

    def close(self) -> None:
        """Ends the watch; who waits for a change is told. Closing twice is no fault."""
        self._changes.cancel()

    def __enter__(self) -> ToolWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
