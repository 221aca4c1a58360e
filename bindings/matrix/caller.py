"""The caller of the matrix of languages, in Python. What every caller does is in `README.md`."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from toolmesh import Node, ToolEvent, ToolmeshError

TOOLS = 7


def wait_for_tools(node: Node) -> None:
    with node.watch_tools() as changes:
        while len(node.list_tools()) < TOOLS:
            next(changes)


def failure(node: Node, tool: str, **options: Any) -> ToolmeshError:
    try:
        node.call_tool(tool, {}, options)  # type: ignore[arg-type]
    except ToolmeshError as error:
        return error
    raise AssertionError("the call has a result")


def events(node: Node, tool: str, arguments: Any = None) -> list[ToolEvent]:
    return list(node.call_tool_streaming(tool, arguments))


def seen(node: Node, began: int, cancelled: int) -> list[int]:
    """What the host has seen of `waits`, as soon as it has seen so many cancellations and beginnings."""
    while True:
        told = node.call_tool("seen")
        if told["began"] >= began and len(told["cancelled"]) >= cancelled:
            return list(told["cancelled"])


async def give_up(node: Node) -> dict[str, Any]:
    """A call that is given up once its handler runs: how it ended, and after how many microseconds its handler saw it."""
    call = asyncio.create_task(node.call_tool_async("waits"))
    await asyncio.to_thread(seen, node, 1, 0)
    gave_up = time.time_ns() // 1000
    call.cancel()
    try:
        await call
        kind = "none"
    except asyncio.CancelledError:
        kind = "cancelled"
    times = await asyncio.to_thread(seen, node, 1, 1)
    return {"kind": kind, "seen_after_us": max(0, times[0] - gave_up)}


def deadline(node: Node) -> str:
    """A call with a deadline: how it ended, once its handler has seen that."""
    kind = failure(node, "waits", deadline_ms=200).kind
    seen(node, 2, 2)
    return kind


def main(key: str, place: str, vectors: str) -> None:
    cases = json.loads(Path(vectors).read_text("utf-8"))["cases"]
    with Node(name="caller", key=bytes.fromhex(key), connect=[place]) as node:
        wait_for_tools(node)
        refused = failure(node, "refuses")
        large = json.loads(str(node.describe_tool("large")["input_schema"]))
        report = {
            "unary": node.call_tool("same", {"n": 2**64, "text": "é"}),
            "stream": events(node, "steps"),
            "schema_chars": len(large["$comment"]),
            "error": {"kind": refused.kind, "message": str(refused)},
            "cancelled": asyncio.run(give_up(node)),
            "deadline": deadline(node),
            "events": [events(node, "sends", {"event": case["wire"]}) for case in cases],
        }
        print(json.dumps(report), flush=True)


main(*sys.argv[1:])
