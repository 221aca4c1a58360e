"""What is done and closed leaves nothing behind."""

from __future__ import annotations

import gc
import resource
import sys

from toolmesh import Node

CALLS = 10_000
CYCLES = 1_000
# A call or a cycle that left a KiB behind would be told from what an allocator keeps for itself.
MAY_GROW = 8 * 1024 * 1024


def work(host: Node, agent: Node, calls: int, cycles: int) -> None:
    with host.serve_tool("same", lambda arguments: arguments):
        for n in range(calls):
            agent.call_tool("same", {"n": n})
    for n in range(cycles):
        with host.serve_tool("comes", lambda _: 1):
            agent.call_tool("comes")


def most_resident() -> int:
    """The most bytes that this process ever had in memory: growth shows in it, and nothing else can lower it."""
    gc.collect()
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def test_10_000_calls_and_1_000_times_served_and_closed_leave_no_memory_behind(host: Node, agent: Node) -> None:
    work(host, agent, CALLS // 5, CYCLES // 5)
    before = most_resident()
    work(host, agent, CALLS, CYCLES)
    after = most_resident()
    print(f"most resident memory: {before >> 10} KiB, then {after >> 10} KiB")
    assert after - before < MAY_GROW, f"{after - before} bytes more"
