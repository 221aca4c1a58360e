"""The host of the matrix of languages, in Python. What every host does is in `README.md`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from toolmesh import Context, Node, ToolError, ToolEvent

began = 0
cancelled: list[int] = []


def refuses(_: Any) -> None:
    raise ToolError("no such city")


def steps(_: Any) -> Iterator[ToolEvent]:
    yield {"type": "progress", "pct": 50.0, "message": "half"}
    yield {"type": "delta", "data": {"n": 1}}
    yield {"type": "delta", "data": {"n": 2}}
    yield {"type": "result", "data": {"done": True}}


def sends(arguments: Any) -> Iterator[ToolEvent]:
    yield arguments["event"]
    yield {"type": "result", "data": None}


def waits(_: Any, context: Context) -> None:
    global began
    began += 1
    if context.wait_cancelled():
        cancelled.append(time.time_ns() // 1000)


def seen(_: Any) -> dict[str, Any]:
    return {"began": began, "cancelled": cancelled}


with Node(name="host", key=bytes.fromhex(sys.argv[1])) as node:
    node.serve_tool("same", lambda arguments: arguments)
    node.serve_tool("refuses", refuses)
    node.serve_tool("large", lambda _: None, input_schema={"type": "object", "$comment": "x" * 100_000})
    node.serve_tool_streaming("steps", steps)
    node.serve_tool_streaming("sends", sends)
    node.serve_tool("waits", waits)
    node.serve_tool("seen", seen)
    print(node.listens_at[0], flush=True)
    sys.stdin.read()  # It is over when nobody holds the other end any more.
