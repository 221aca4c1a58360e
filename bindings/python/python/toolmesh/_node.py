"""A node: a whole Toolmesh program."""

from __future__ import annotations

import atexit
import queue
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from . import _native
from ._context import Context
from ._handler import Handler, begin, run_of
from ._handles import McpServer, ToolEventStream, ToolEventStreamOpening, ToolServeHandle, ToolWatch
from ._json import dumps, loads
from ._options import AccessRules, Allowed, Path, Who, node_options
from ._threads import begin_threads
from ._tool import Tool, descriptor_for
from ._types import CallOptions, TagMatcher, ToolDescriptor
from ._waiting import closing_at_signals, started


class Node:
    """A whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server.

    It ends with `close`, with its `with` block, or with the program. Every method may be used from any thread, and none in a process
    that was forked off after the first node was made: that is a `SystemFault`.

    - `name`: what the node is called, for logs and as the identity of its calls, where it has no certificate.
    - `key`: the 32 bytes of the mesh's key; nodes with another neither see nor reach this one. With a key the mesh is on a
      network; without one the node is in a mesh of its own.
    - `key_file`: the file that holds the key as 64 hexadecimal digits, in its place (`toolmesh mesh keys` makes one).
    - `engine`: `"memory"` joins the nodes of this process alone that have the key.
    - `listen`: where the node listens, as `HOST:PORT`; on this machine alone, at a free port, unless said.
    - `connect`: nodes that are there, as `HOST:PORT`; the others are found through them. They need not be up yet.
    - `routers`: routers to connect to instead, as `HOST:PORT`.
    - `multicast`: whether nodes of the network segment are found without any name.
    - `plaintext`: whether the node may listen beyond this machine without a certificate.
    - `authority`, `certificate`, `private_key`: PEM files, all three or none. Nodes then meet only nodes with a certificate of
      that authority, over TLS, and are who their certificates say.
    - `access`: who may see and call what, see `AccessRules`.
    - `trust`: whose tools the node sees and calls beside its own, `"nobody"` or an `AccessList`; everybody's unless said. Set it
      where the members of the mesh do not all trust each other: whoever serves a tool of the same name takes a share of its calls.
    - `tags`: what the node tells of itself: `region.eu`, `hardware.gpu=h100`.
    - `allowed`: who may use the node at all, see `Allowed`.
    - `config`: a file `toolmesh.toml` with sources, policies, limits and `[mesh]`; what is said here goes before it.
    - `sources`: what `toolmesh serve` takes: files with contracts, `0x...@mainnet`, `calimero:URL`, `mcp:COMMAND`, and `mesh:` for
      MCP clients to have what other nodes serve.

    Raises `InvalidInput` for options that are not allowed, `ConfigurationError` for a source, certificate or file that cannot be
    used, `SystemFault` when the address is taken, `TransportError` when no router answers.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        key: bytes | None = None,
        key_file: Path | None = None,
        engine: Literal["memory", "zenoh"] | None = None,
        listen: str | None = None,
        connect: Sequence[str] = (),
        routers: Sequence[str] = (),
        multicast: bool | None = None,
        plaintext: bool | None = None,
        authority: Path | None = None,
        certificate: Path | None = None,
        private_key: Path | None = None,
        access: AccessRules | None = None,
        trust: Who | None = None,
        tags: Sequence[str] = (),
        allowed: Allowed | None = None,
        config: Path | None = None,
        sources: Sequence[Path] = (),
    ) -> None:
        paths = {
            "key_file": key_file,
            "authority": authority,
            "certificate": certificate,
            "private_key": private_key,
            "config": config,
        }
        options = node_options(
            name=name,
            key=key,
            engine=engine,
            listen=listen,
            connect=connect,
            routers=routers,
            multicast=multicast,
            plaintext=plaintext,
            access=access,
            trust=trust,
            tags=tags,
            allowed=allowed,
            paths=paths,
            sources=sources,
        )
        self._native = _native.Node.start(options)
        begin_threads()
        # What nobody keeps is served until the node is closed.
        self._handles: set[ToolServeHandle] = set()
        self._servers: set[McpServer] = set()
        # Something is in it once the node is closed. A signal's handler may put it there while its own thread waits for it, which an
        # event of `threading` does not survive.
        self._closed: queue.SimpleQueue[None] = queue.SimpleQueue()
        _open_nodes.add(self)

    @property
    def id(self) -> int:
        """The number of this node in its mesh, of 64 bits."""
        return self._native.id

    @property
    def listens_at(self) -> list[str]:
        """Where other nodes can connect to this one: what `connect` of another takes; empty in memory and behind a router."""
        return [place.rpartition("/")[2] for place in self._native.listens_at]

    def serve(self, tool: Tool) -> ToolServeHandle:
        """Serves a function that `@tool` made a tool of: registered, announced and callable when this returns.

        Raises `AlreadyServing` when this node serves that version already, `InvalidInput` for a name or a schema that is not
        allowed, `Closed`.
        """
        if not isinstance(tool, Tool):
            raise TypeError("`serve` takes a function with `@tool`; for any other there is `serve_tool`")
        return self._serve(tool.descriptor, tool.run)

    def serve_tool(
        self, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
    ) -> ToolServeHandle:
        """Serves `handler(arguments)`, sync or async; with a second parameter it is given the `Context`.

        The descriptor is one of `descriptor_for`, a dict, or a name with the settings of `descriptor_for`. Arguments have passed
        the input schema; what the handler returns has to be JSON, and is checked against the output schema. Its `ToolError` is
        told to the caller, any other exception goes to the log. Raises as `serve` does.
        """
        return self._serve(_described(descriptor, settings), run_of(handler))

    def serve_tool_streaming(
        self, descriptor: ToolDescriptor | str, handler: Handler, **settings: Any
    ) -> ToolServeHandle:
        """As `serve_tool`, with a handler that yields events (`ToolEvent`), or an async one that does.

        It ends at the first `result` or `error`; one that ends without either gets the error `missing_terminal`.
        """
        described = _described(descriptor, settings)
        return self._serve({**described, "streaming": True}, run_of(handler))

    serve_tool_async = serve_tool
    """`serve_tool`, which takes async handlers as well; they run on the event loop that is running here."""
    serve_tool_streaming_async = serve_tool_streaming
    """`serve_tool_streaming`, which takes async generators as well; they run on the event loop that is running here."""

    def _serve(self, descriptor: ToolDescriptor, run: Callable[[Any, Context], Any]) -> ToolServeHandle:
        streaming = descriptor.get("streaming", False)
        served = self._native.serve(dumps(descriptor), begin(run, streaming))
        handle = ToolServeHandle(served, descriptor, self._handles.discard)
        self._handles.add(handle)
        return handle

    def call_tool(self, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
        """Calls a tool, wherever in the mesh it is served, and waits for its result, at most 30 s unless the options say.

        Raises `NoRoute`, `DeadlineExceeded`, `CapabilityDenied`, `InvalidArguments`, `ToolFailed` with the tool's own words,
        `ServerError` for another status of the host (4: it has too many calls at once), `TransportError`, `InvalidInput` for the
        options, `InvalidJson` for a result with a number that no float can hold, `Closed`.
        """
        return loads(self._native.call(tool, _arguments(arguments), dumps(options or {})))

    async def call_tool_async(self, tool: str, arguments: Any = None, options: CallOptions | None = None) -> Any:
        """As `call_tool`, for asyncio; cancelling the task cancels the call at its handler."""
        given, how = _arguments(arguments), dumps(options or {})
        return loads(await started(lambda done: self._native.start_call(tool, given, how, done)))

    def call_tool_streaming(
        self, tool: str, arguments: Any = None, options: CallOptions | None = None
    ) -> ToolEventStream:
        """Calls a tool, and reads its events while it runs, at most 10 minutes unless the options say.

        Raises what `call_tool` does before the first event; what fails later is the last event, an `error`.
        """
        return ToolEventStream(self._native.call_streaming(tool, _arguments(arguments), dumps(options or {})))

    def call_tool_streaming_async(
        self, tool: str, arguments: Any = None, options: CallOptions | None = None
    ) -> ToolEventStreamOpening:
        """As `call_tool_streaming`, for asyncio: awaited, or read by `async for` at once."""
        given, how = _arguments(arguments), dumps(options or {})

        async def open() -> ToolEventStream:
            return ToolEventStream(
                await started(lambda done: self._native.start_call_streaming(tool, given, how, done))
            )

        return ToolEventStreamOpening(open)

    def list_tools(self, matcher: TagMatcher | None = None) -> list[ToolDescriptor]:
        """The tools that this node sees, its own included, by name and version; nothing is asked of the network.

        With a matcher, those of nodes of which a tag matches. Raises `InvalidInput` for the matcher, `Closed`.
        """
        return cast("list[ToolDescriptor]", loads(self._native.list(None if matcher is None else dumps(matcher))))

    def watch_tools(self, matcher: TagMatcher | None = None, *, interval: float | None = None) -> ToolWatch:
        """Watches the list from now on; `interval` is the shortest time between two looks, in seconds. Raises as `list_tools`."""
        least = None if interval is None else round(interval * 1000)
        return ToolWatch(self._native.watch(None if matcher is None else dumps(matcher), least))

    def describe_tool(self, tool: str, options: CallOptions | None = None) -> ToolDescriptor:
        """The whole descriptor of the tool that a call would reach, large schemas included. Raises as `call_tool`."""
        return cast(ToolDescriptor, loads(self._native.describe(tool, dumps(options or {}))))

    def fetch_tool_metadata(self, node: int, tool: str) -> dict[str, Any]:
        """Asks one node for the whole descriptor of a tool.

        The answer is `{"type": "found", "descriptor": ...}` or `{"type": "not_found", "name": ...}`. Raises as `call_tool`.
        """
        return cast("dict[str, Any]", loads(self._native.fetch_metadata(node, tool)))

    async def fetch_tool_metadata_async(self, node: int, tool: str) -> dict[str, Any]:
        """As `fetch_tool_metadata`, for asyncio."""
        answer = await started(lambda done: self._native.start_fetch_metadata(node, tool, done))
        return cast("dict[str, Any]", loads(answer))

    def hosts(self, tool: str, options: CallOptions | None = None) -> list[int]:
        """The numbers of the nodes that serve the tool which a call would reach. Raises `InvalidInput`, `Closed`."""
        return list(self._native.hosts(tool, dumps(options or {})))

    def serve_mcp(self, address: str | int = "127.0.0.1:0", *, name: str = "toolmesh", version: str = "0") -> McpServer:
        """Serves all tools of this program, its own and those of its sources, over MCP at `/mcp`, and goes on.

        It stops when it is closed, or its node is.

        The address is `HOST:PORT`, `:PORT` or a port; port 0 lets the system choose. Who may call is what `[server]` of `config`
        says. Raises `InvalidInput` for the address, `ConfigurationError`, `SystemFault` when it is taken, `Closed`.
        """
        server = McpServer(self._native.serve_mcp_http(str(address), name, version), self._servers.discard)
        self._servers.add(server)
        return server

    def serve_mcp_stdio(self, *, name: str = "toolmesh", version: str = "0") -> None:
        """Serves all tools over MCP on standard input and output, until the input ends. Nothing else may print.

        Raises `SystemFault` when standard input or output fails, `Closed`.
        """
        self._native.serve_mcp_stdio(name, version)

    def until_closed(self) -> None:
        """Waits until the node is closed, which Ctrl-C and, in the main thread, SIGTERM do meanwhile: for programs that only serve."""
        with closing_at_signals(self.close):
            self._closed.get()
        self._closed.put(None)  # For others who wait.

    def close(self) -> None:
        """Leaves the mesh: what is served is withdrawn, calls end, and so do sources. Closing twice is no fault."""
        for handle in list(self._handles):
            handle.close()
        self._native.close()
        self._servers.clear()
        self._closed.put(None)

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


def _arguments(arguments: Any) -> str:
    return "{}" if arguments is None else dumps(arguments)
