"""What tools tell of themselves and of their calls; on the wire everything is snake_case JSON."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Literal, TypedDict

JsonSchema = dict[str, Any]


class ToolDescriptor(TypedDict, total=False):
    """What a tool tells of itself; `tool_id` and `version` together are its identity."""

    tool_id: str
    """The identifier under which it is called: letters, digits and `_`, `.`, `-`."""
    name: str
    """The name; where a descriptor is given without `tool_id`, the identifier as well."""
    version: str
    """A semantic version; `1.0.0` unless said."""
    description: str | None
    """What it does, for models and people."""
    input_schema: str | JsonSchema | None
    """The JSON Schema of the arguments: a JSON text, or an object where a descriptor is given. `None` in a list where it is too large
    to be announced; `describe_tool` fetches it."""
    output_schema: str | JsonSchema | None
    """The JSON Schema of the result, likewise."""
    requires: list[str]
    """What the host needs to have, as tags."""
    estimated_time_ms: int
    """The usual duration in milliseconds; 0 is unknown."""
    stateless: bool
    """Whether a call leaves nothing behind at the host, so that it may be tried again elsewhere."""
    streaming: bool
    """Whether it sends events while it runs."""
    tags: list[str]
    """Words to find it by."""
    pricing_terms: str
    """Terms of whoever asks for a price; tools with some cannot be served here."""
    node_count: int
    """How many nodes serve it, in a list."""
    title: str
    """A name for people."""
    icons: list[dict[str, Any]]
    """Icons, as MCP has them."""
    annotations: dict[str, Any]
    """Hints for clients, as MCP has them."""


class ToolEvent(TypedDict, total=False):
    """One event of a call. The last is a `result` or an `error`, and nothing follows it."""

    type: Literal["start", "progress", "delta", "result", "error"]
    """What it is; the other members are of one type or another."""
    tool_id: str
    """`start`: the tool."""
    call_id: int
    """`start`: the number that the host gave the call, of 64 bits."""
    metadata: Any
    """`start`: whatever the host tells."""
    pct: float
    """`progress`: how much is done, in percent."""
    message: str
    """`progress`, `error`: a text for people."""
    data: Any
    """`delta`: a piece of partial output; `result`: the result."""
    code: str
    """`error`: the stable word for what."""
    details: Any
    """`error`: more of it."""


class TagMatcher(TypedDict, total=False):
    """Chooses nodes by their tags: those of which any tag matches.

    - `{"kind": "exact", "value": "region.eu"}`: that tag.
    - `{"kind": "prefix", "value": "region."}`: tags that begin so.
    - `{"kind": "axis", "axis": "hardware"}`: tags of an axis: `hardware`, `software`, `devices`, `dataforts`.
    - `{"kind": "axis_key", "axis": "hardware", "key": "gpu"}`: tags of a key of an axis, with any value.
    - `{"kind": "regex", "pattern": "^region"}`: tags in which the pattern is found.
    - `{"kind": "version_range", "axis_key": "software.python", "min": "3.10.0", "max": None}`: tags `software.python=VERSION` whose
      version lies between the two, each of which may be missing.
    """

    kind: Literal["exact", "prefix", "axis", "axis_key", "regex", "version_range"]
    """Which of the six."""
    value: str
    """Of `exact` and `prefix`."""
    axis: str
    """Of `axis` and `axis_key`."""
    key: str
    """Of `axis_key`."""
    pattern: str
    """Of `regex`."""
    axis_key: str
    """Of `version_range`: `AXIS.KEY`."""
    min: str | None
    """Of `version_range`: the least version."""
    max: str | None
    """Of `version_range`: the greatest version."""


class CallOptions(TypedDict, total=False):
    """How a call is made; everything is optional, and a key that is not known is refused."""

    deadline_ms: int
    """How long the call may take in all, in milliseconds: 30,000 unless said, a stream 600,000. More than an hour
    is taken as one."""
    version: str
    """Which versions of the tool, as a semantic version requirement: `^1.2`. Unless said, the highest there is."""
    where: dict[str, Any]
    """Which hosts: a predicate `{"nodes": [...], "root_idx": n}` on their tags and metadata."""
    routing: Literal["round_robin", "random", "sticky", "lowest_latency"]
    """How one of several hosts is chosen; `round_robin` unless said."""
    sticky_key: int
    """The key of `sticky`, of 64 bits: calls with one key go to one host, as long as it is there."""
    headers: dict[str, str]
    """Headers for the handler; names are lower case."""
    stream_window: int
    """How far the host of a stream may run ahead of its reader, in credits: an event takes one for each 16 KiB that it begins; 1,024
    unless said."""
    idempotency_key: str
    """The key by which the handler knows tries of one logical call; a random one unless said."""


@dataclasses.dataclass(frozen=True)
class ToolListChangeAdded:
    """A tool is there that was not."""

    descriptor: ToolDescriptor
    """The tool."""
    type: ClassVar[str] = "added"
    """The word for it on the wire."""


@dataclasses.dataclass(frozen=True)
class ToolListChangeRemoved:
    """A tool is gone."""

    descriptor: ToolDescriptor
    """The tool, as it was."""
    type: ClassVar[str] = "removed"
    """The word for it on the wire."""


@dataclasses.dataclass(frozen=True)
class ToolListChangeNodeCountChanged:
    """More or fewer nodes serve a tool than before."""

    descriptor: ToolDescriptor
    """The tool, with its `node_count` of now."""
    prev_node_count: int
    """How many nodes served it before."""
    type: ClassVar[str] = "node_count_changed"
    """The word for it on the wire."""


@dataclasses.dataclass(frozen=True)
class ToolListChangeChanged:
    """A tool tells something else of itself under the same version."""

    descriptor: ToolDescriptor
    """What it tells now."""
    type: ClassVar[str] = "changed"
    """The word for it on the wire."""


@dataclasses.dataclass(frozen=True)
class ToolListResync:
    """Changes were lost: list again."""

    type: ClassVar[str] = "resync"
    """The word for it on the wire."""


ToolListChange = (
    ToolListChangeAdded
    | ToolListChangeRemoved
    | ToolListChangeNodeCountChanged
    | ToolListChangeChanged
    | ToolListResync
)
"""One change of the list of tools."""


def change_from(value: dict[str, Any]) -> ToolListChange:
    """A change as the wire has it."""
    kind = value["type"]
    if kind == "node_count_changed":
        return ToolListChangeNodeCountChanged(value["descriptor"], value["prev_node_count"])
    if kind == "added":
        return ToolListChangeAdded(value["descriptor"])
    if kind == "removed":
        return ToolListChangeRemoved(value["descriptor"])
    if kind == "changed":
        return ToolListChangeChanged(value["descriptor"])
    return ToolListResync()


def is_terminal_event(event: ToolEvent) -> bool:
    """Whether nothing follows this event."""
    return event["type"] in ("result", "error")


@dataclasses.dataclass(frozen=True)
class Caller:
    """Who asks. `identity` is what the front has verified, never what a client says of itself."""

    identity: str | None
    """Its name: that of its certificate, of its node, or of who logged in over HTTP; `None` when nothing is known."""
    transport: str
    """The way by which the call came: `mesh`, `http`, `stdio`, `command_line` or `in_process`."""
    on_behalf_of: list[str]
    """The gateways between, that of the client first."""
