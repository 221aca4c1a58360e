"""What tools tell of themselves and of their calls; on the wire everything is snake_case JSON."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, TypedDict

JsonSchema = dict[str, Any]


class ToolDescriptor(TypedDict, total=False):
    """What a tool tells of itself. Schemas are JSON texts; where a descriptor is given, objects are taken as well."""

    tool_id: str
    name: str
    version: str
    description: str | None
    input_schema: str | JsonSchema | None
    output_schema: str | JsonSchema | None
    requires: list[str]
    estimated_time_ms: int
    stateless: bool
    streaming: bool
    tags: list[str]
    pricing_terms: str
    node_count: int
    title: str
    icons: list[dict[str, Any]]
    annotations: dict[str, Any]


class ToolEvent(TypedDict, total=False):
    """One event of a call. The last is a `result` or an `error`, and nothing follows it."""

    type: Literal["start", "progress", "delta", "result", "error"]
    tool_id: str
    call_id: int
    metadata: Any
    pct: float
    message: str
    data: Any
    code: str
    details: Any


class TagMatcher(TypedDict, total=False):
    """Chooses nodes by their tags."""

    kind: Literal["exact", "prefix", "axis", "axis_key", "regex", "version_range"]
    value: str
    axis: str
    key: str
    pattern: str
    axis_key: str
    min: str | None
    max: str | None


class CallOptions(TypedDict, total=False):
    """How a call is made; everything is optional."""

    deadline_ms: int
    version: str
    where: dict[str, Any]
    routing: Literal["round_robin", "random", "sticky", "lowest_latency"]
    sticky_key: int
    headers: dict[str, str]
    stream_window: int
    idempotency_key: str


@dataclasses.dataclass(frozen=True)
class ToolListChangeAdded:
    """A tool is there that was not."""

    descriptor: ToolDescriptor


@dataclasses.dataclass(frozen=True)
class ToolListChangeRemoved:
    """A tool is gone."""

    descriptor: ToolDescriptor


@dataclasses.dataclass(frozen=True)
class ToolListChangeNodeCountChanged:
    """More or fewer nodes serve a tool than before."""

    descriptor: ToolDescriptor
    prev_node_count: int


@dataclasses.dataclass(frozen=True)
class ToolListChangeChanged:
    """A tool tells something else of itself under the same version."""

    descriptor: ToolDescriptor


@dataclasses.dataclass(frozen=True)
class ToolListResync:
    """Changes were lost: list again."""


ToolListChange = (
    ToolListChangeAdded
    | ToolListChangeRemoved
    | ToolListChangeNodeCountChanged
    | ToolListChangeChanged
    | ToolListResync
)


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
    transport: str
    on_behalf_of: list[str]
