"""A node: a whole Toolmesh program."""

from __future__ import annotations

import atexit
import inspect
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal, TypedDict, cast

from . import _native
from ._context import Context
from ._handler import begin
from ._json import dumps, loads
from ._tool import Tool, descriptor_for
from ._types import CallOptions, TagMatcher, ToolDescriptor, ToolEvent, ToolListChange, change_from
from ._waiting import started

Handler = Callable[..., Any]


class Allowed(TypedDict, total=False):
    """Who may see and call a node's tools: whoever is in any of the lists."""

    nodes: list[int]
    subnets: list[int]
    groups: list[str]


class ToolServeHandle:
    """A tool that is served. Closing it, or leaving its `with` block, withdraws the tool."""

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
    """An MCP server on a port."""

    def __init__(self, endpoint: _native.Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def url(self) -> str:
        """Where to point a client."""
        return self._endpoint.url

    def close(self) -> None:
        """Stops: calls in flight are finished."""
        self._endpoint.close()

    def __enter__(self) -> McpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ToolEventStream:
    """The events of a call, to be iterated over, in a plain loop or an async one. Closing it early cancels the call."""

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
        event = await started(self._events.start_next)
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


class ToolWatch:
    """The changes of the list of tools, to be iterated over, in a plain loop or an async one."""

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
        change = await started(self._changes.start_next)
        if change is None:
            raise StopAsyncIteration
        return change_from(loads(change))

    def close(self) -> None:
        """Ends the watch; who waits for a change is told."""
        self._changes.cancel()

    def __enter__(self) -> ToolWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Node:
    """A whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server.

    `key` is the 32 bytes of the mesh's key: nodes with another neither see nor reach this one; without a key the node is in a
    mesh of its own. With a key the mesh is on a network: `listen` is where this node listens (on this machine, at a free port,
    unless said), `connect` names nodes that are there, `routers` go between networks; `engine="memory"` joins the nodes of this
    process alone. `sources` are what `toolmesh serve` takes: files with contracts, `calimero:URL`, `mcp:COMMAND`.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        key: bytes | None = None,
        engine: Literal["memory", "zenoh"] | None = None,
        listen: str | None = None,
        connect: Sequence[str] = (),
        routers: Sequence[str] = (),
        multicast: bool = False,
        tags: Sequence[str] = (),
        allowed: Allowed | None = None,
        config: str | PathLike[str] | None = None,
        sources: Sequence[str | PathLike[str]] = (),
    ) -> None:
        options: dict[str, Any] = {"tags": list(tags), "sources": [fspath(source) for source in sources]}
        if name is not None:
            options["name"] = name
        if key is not None:
            options["key"] = key.hex()
        if engine is not None:
            options["engine"] = engine
        if listen is not None:
            options["listen"] = listen
        options |= {"connect": list(connect), "routers": list(routers), "multicast": multicast}
        if allowed is not None:
            options["allowed"] = allowed
        if config is not None:
            options["config"] = fspath(config)
        self._native = _native.Node.start(dumps(options))
        # A tool whose handle nobody keeps is served until the node is closed.
        self._handles: set[ToolServeHandle] = set()
        _open_nodes.add(self)

    @property
    def id(self) -> int:
        """The number of this node in its mesh."""
        return self._native.id

    @property
    def listens_at(self) -> list[str]:
        """Where other nodes can connect to this one: what `connect` of another takes."""
        return [place.rpartition("/")[2] for place in self._native.listens_at]

    def serve(self, tool: Tool) -> ToolServeHandle:
        """Serves a function that `@tool` made a tool of."""
        return self._serve(tool.descriptor, tool.run)

    def serve_tool(
        self, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
    ) -> ToolServeHandle:
        """Serves `handler(arguments)`, sync or async; with a second parameter it is given the `Context`.

        The descriptor is one of `descriptor_for`, a dict, or a name with the settings of `descriptor_for`.
        """
        return self._serve(_described(descriptor, settings), _run_of(handler))

    def serve_tool_streaming(
        self, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
    ) -> ToolServeHandle:
        """As `serve_tool`, with a handler that yields events, or an async one that does."""
        described = _described(descriptor, settings)
        return self._serve({**described, "streaming": True}, _run_of(handler))

    serve_tool_async = serve_tool
    serve_tool_streaming_async = serve_tool_streaming

    def _serve(self, descriptor: ToolDescriptor, run: Callable[[Any, Context], Any]) -> ToolServeHandle:
        streaming = descriptor.get("streaming", False)
        served = self._native.serve(dumps(descriptor), begin(run, streaming))
        handle = ToolServeHandle(served, descriptor, self._handles.discard)
        self._handles.add(handle)
        return handle

    def call_tool(self, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
        """Calls a tool, wherever in the mesh it is served, and waits for its result."""
        return loads(self._native.call(tool, _arguments(arguments), dumps(options or {})))

    async def call_tool_async(self, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
        """As `call_tool`, for asyncio; cancelling the task cancels the call at its handler."""
        given, how = _arguments(arguments), dumps(options or {})
        return loads(await started(lambda done: self._native.start_call(tool, given, how, done)))

    def call_tool_streaming(
        self, tool: str, arguments: Any = None, options: CallOptions | None = None
    ) -> ToolEventStream:
        """Calls a tool, and reads its events while it runs."""
        return ToolEventStream(self._native.call_streaming(tool, _arguments(arguments), dumps(options or {})))

    async def call_tool_streaming_async(
        self, tool: str, arguments: Any = None, options: CallOptions | None = None
    ) -> ToolEventStream:
        """As `call_tool_streaming`, for asyncio."""
        given, how = _arguments(arguments), dumps(options or {})
        return ToolEventStream(
            await started(lambda done: self._native.start_call_streaming(tool, given, how, done))
        )

    def list_tools(self, matcher: TagMatcher | None = None) -> list[ToolDescriptor]:
        """The tools that this node sees, its own included; nothing is asked of the network."""
        return cast("list[ToolDescriptor]", loads(self._native.list(None if matcher is None else dumps(matcher))))

    def watch_tools(self, matcher: TagMatcher | None = None, *, interval: float | None = None) -> ToolWatch:
        """Watches the list from now on; `interval` is the shortest time between two looks, in seconds."""
        least = None if interval is None else round(interval * 1000)
        return ToolWatch(self._native.watch(None if matcher is None else dumps(matcher), least))

    def describe_tool(self, tool: str, options: CallOptions | None = None) -> ToolDescriptor:
        """The whole descriptor of the tool that a call would reach, large schemas included."""
        return cast(ToolDescriptor, loads(self._native.describe(tool, dumps(options or {}))))

    def fetch_tool_metadata(self, node: int, tool: str) -> dict[str, Any]:
        """Asks one node for the whole descriptor of a tool: `{"type": "found", "descriptor": ...}`, or not found."""
        return cast("dict[str, Any]", loads(self._native.fetch_metadata(node, tool)))

    async def fetch_tool_metadata_async(self, node: int, tool: str) -> dict[str, Any]:
        """As `fetch_tool_metadata`, for asyncio."""
        answer = await started(lambda done: self._native.start_fetch_metadata(node, tool, done))
        return cast("dict[str, Any]", loads(answer))

    def hosts(self, tool: str, options: CallOptions | None = None) -> list[int]:
        """The numbers of the nodes that serve the tool which a call would reach."""
        return list(self._native.hosts(tool, dumps(options or {})))

    def serve_mcp(self, address: str = "127.0.0.1:0", *, name: str = "toolmesh", version: str = "0") -> McpServer:
        """Serves all tools of this program over MCP at `/mcp`; port 0 lets the system choose."""
        return McpServer(self._native.serve_mcp_http(address, name, version))

    def serve_mcp_stdio(self, *, name: str = "toolmesh", version: str = "0") -> None:
        """Serves all tools over MCP on standard input and output, until the input ends. Nothing else may print."""
        self._native.serve_mcp_stdio(name, version)

    def close(self) -> None:
        """Leaves the mesh: what is served is withdrawn, and calls end. Closing twice is no fault."""
        for handle in list(self._handles):
            handle.close()
        self._native.close()

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_open_nodes: weakref.WeakSet[Node] = weakref.WeakSet()

#: How long handlers may take to end when the program does: those that look whether their call is over end at once.
_GRACE_MS = 1_000


@atexit.register
def _close_all() -> None:
    for node in list(_open_nodes):
        node.close()
    _native.settle(_GRACE_MS)


def _described(descriptor: ToolDescriptor | str, settings: Mapping[str, Any]) -> ToolDescriptor:
    if isinstance(descriptor, str):
        return descriptor_for(descriptor, **settings)
    return cast(ToolDescriptor, {**descriptor, **settings})


def _run_of(handler: Handler) -> Callable[[Any, Context], Any]:
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):
        return lambda arguments, _: handler(arguments)  # Some built-in functions tell no signature.
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) >= 2:
        return handler
    return lambda arguments, _: handler(arguments)


def _arguments(arguments: Any) -> str:
    return "{}" if arguments is None else dumps(arguments)
