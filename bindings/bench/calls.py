"""Calls of a tool in Python, to be measured. What the program does is in `README.md`."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable

from toolmesh import Node

SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


def serve(node: Node) -> None:
    node.serve_tool("echo", lambda given: given, input_schema=SCHEMA, output_schema=SCHEMA)


def host(key: str) -> None:
    with Node(key=bytes.fromhex(key)) as node:
        serve(node)
        print(node.listens_at[0], flush=True)
        sys.stdin.read()  # It is over when nobody holds the other end any more.


def caller(key: str, place: str, *load: str) -> None:
    with Node(key=bytes.fromhex(key), connect=[place]) as node:
        with node.watch_tools() as changes:
            while not node.list_tools():
                next(changes)
        measure(node, *load)


def alone(*load: str) -> None:
    key = bytes(32)
    with Node(key=key, engine="memory") as host, Node(key=key, engine="memory") as agent:
        serve(host)
        measure(agent, *load)


def measure(node: Node, under_way: str, warm_up: str, milliseconds: str) -> None:
    calls(node, int(under_way), int(warm_up) / 1000)
    begin = time.perf_counter()
    ended = calls(node, int(under_way), int(milliseconds) / 1000)
    print(json.dumps({"calls": ended, "seconds": time.perf_counter() - begin}), flush=True)


def calls(node: Node, under_way: int, seconds: float) -> int:
    """Calls for so long; how many calls ended."""
    end = time.perf_counter() + seconds
    return one_after_another(node, end) if under_way == 1 else asyncio.run(many(node, under_way, end))


def one_after_another(node: Node, end: float) -> int:
    number = 0
    while time.perf_counter() < end:
        assert node.call_tool("echo", {"number": number}) == {"number": number}
        number += 1
    return number


async def many(node: Node, under_way: int, end: float) -> int:
    async def one() -> int:
        number = 0
        while time.perf_counter() < end:
            assert await node.call_tool_async("echo", {"number": number}) == {"number": number}
            number += 1
        return number

    return sum(await asyncio.gather(*[one() for _ in range(under_way)]))


PROGRAMS: dict[str, Callable[..., None]] = {"host": host, "caller": caller, "alone": alone}
PROGRAMS[sys.argv[1]](*sys.argv[2:])
