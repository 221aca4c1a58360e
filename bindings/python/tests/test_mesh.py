"""Finding tools, and watching them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.request import Request, urlopen

import pytest

from toolmesh import (
    CallOptions,
    Node,
    TagMatcher,
    ToolEvent,
    ToolListChangeAdded,
    ToolListChangeRemoved,
    errors,
)


def names(node: Node) -> list[str]:
    return [tool["tool_id"] for tool in node.list_tools()]


def test_serving_announces_and_closing_withdraws(host: Node, agent: Node) -> None:
    with agent.watch_tools() as watch:
        served = host.serve_tool("hello", lambda _: None, description="Says hello.", tags=["greeting"])
        added = next(watch)
        assert isinstance(added, ToolListChangeAdded)
        assert added.descriptor["description"] == "Says hello."
        assert added.descriptor["tags"] == ["greeting"]
        served.close()
        served.close()
        assert isinstance(next(watch), ToolListChangeRemoved)
        assert names(agent) == []


def test_a_tool_whose_handle_is_not_kept_stays_until_its_node_is_closed(host: Node, agent: Node) -> None:
    host.serve_tool("hello", lambda _: 1)
    gc.collect()
    assert agent.call_tool("hello") == 1
    host.close()
    assert names(agent) == []


def test_a_watch_may_be_read_asynchronously_and_ended(host: Node, agent: Node) -> None:
    async def main() -> None:
        watch = agent.watch_tools()
        with host.serve_tool("hello", lambda _: None):
            assert isinstance(await anext(watch), ToolListChangeAdded)
        assert isinstance(await anext(watch), ToolListChangeRemoved)
        watch.close()
        assert [change async for change in watch] == []

    asyncio.run(main())


def test_matchers_and_versions_choose(host: Node, agent: Node) -> None:
    with host.serve_tool("v", lambda _: 1, version="1.0.0"), host.serve_tool("v", lambda _: 2, version="2.0.0"):
        assert len(agent.list_tools({"kind": "prefix", "value": "region.eu"})) == 2
        assert agent.list_tools({"kind": "exact", "value": "region.us"}) == []
        assert agent.call_tool("v") == 2
        assert agent.call_tool("v", {}, {"version": "^1"}) == 1
        assert agent.hosts("v") == [host.id]
        with pytest.raises(errors.NoRoute):
            agent.call_tool("v", {}, {"version": "^3"})
    with pytest.raises(errors.InvalidInput):
        agent.list_tools({"kind": "regex", "pattern": "("})


def test_a_schema_of_100_kb_is_fetched(host: Node, agent: Node) -> None:
    comment = "x" * 100_000
    with host.serve_tool("big", lambda _: None, input_schema={"type": "object", "$comment": comment}):
        assert agent.list_tools()[0]["input_schema"] is None
        assert comment in str(agent.describe_tool("big")["input_schema"])
        found = agent.fetch_tool_metadata(host.id, "big")
        assert found["type"] == "found" and comment in found["descriptor"]["input_schema"]
        assert agent.fetch_tool_metadata(host.id, "none")["type"] == "not_found"


def told(url: str, revision: str, tool: str) -> object:
    """The result of a tool in an MCP revision with a handshake, called without a session."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
    head = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": revision,
    }
    with urlopen(Request(url, json.dumps(message).encode(), head)) as response:
        return json.load(response)["result"]


def test_a_contract_is_a_source_and_the_program_an_mcp_server() -> None:
    token = Path(__file__).parents[3] / "examples" / "token.json"
    with Node(sources=[token]) as node, node.serve_tool("own", lambda _: 1):
        assert {"own", "transfer", "balance_of"} <= set(names(node))
        assert node.call_tool("decimals") is not None
        with node.serve_mcp() as server:
            assert server.url.startswith("http://127.0.0.1:") and server.url.endswith("/mcp")
            # These revisions know structured content that is an object only.
            for revision in ("2025-06-18", "2025-11-25"):
                assert told(server.url, revision, "own") == {"content": [{"type": "text", "text": "1"}]}


def test_an_application_of_a_calimero_node_is_a_source() -> None:
    with Node(sources=[f"calimero:{os.environ['TOOLMESH_CALIMERO_NODE']}"]) as node:
        assert "kv_store_set" in names(node)
        key = os.urandom(8).hex()
        node.call_tool("kv_store_set", {"key": key, "value": "v", "_context": "room"})
        assert node.call_tool("kv_store_get", {"key": key, "_context": "room"}) == {"result": "v"}


def test_a_source_that_is_not_there_is_named() -> None:
    with pytest.raises(errors.ConfigurationError, match="/nowhere/at/all.json"):
        Node(sources=["/nowhere/at/all.json"])


TAGS = ["region.eu", "hardware.gpu=h100", "software.python=3.12.1"]

MATCHERS: list[tuple[TagMatcher, TagMatcher]] = [
    ({"kind": "exact", "value": "region.eu"}, {"kind": "exact", "value": "region"}),
    ({"kind": "prefix", "value": "region."}, {"kind": "prefix", "value": "egion"}),
    ({"kind": "axis", "axis": "hardware"}, {"kind": "axis", "axis": "dataforts"}),
    (
        {"kind": "axis_key", "axis": "hardware", "key": "gpu"},
        {"kind": "axis_key", "axis": "hardware", "key": "cpu"},
    ),
    ({"kind": "regex", "pattern": "gpu=h.00"}, {"kind": "regex", "pattern": "^gpu"}),
    (
        {"kind": "version_range", "axis_key": "software.python", "min": "3.10.0", "max": None},
        {"kind": "version_range", "axis_key": "software.python", "max": "3.11.0"},
    ),
]


@pytest.mark.parametrize(("matches", "does_not"), MATCHERS, ids=lambda matcher: matcher["kind"])
def test_every_kind_of_matcher_chooses_nodes(matches: TagMatcher, does_not: TagMatcher) -> None:
    with Node(tags=TAGS) as node, node.watch_tools(matches) as changes:
        node.serve_tool("one", lambda _: None)
        assert len(node.list_tools(matches)) == 1
        assert node.list_tools(does_not) == []
        assert next(changes).type == "added"


@contextlib.contextmanager
def three_nodes() -> Iterator[list[Node]]:
    """Two hosts, of which the second has a GPU, and an agent."""
    key = os.urandom(32)
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(Node(name=name, key=key, engine="memory", tags=tags))
            for name, tags in (("a", []), ("b", ["hardware.gpu=h100"]), ("agent", []))
        ]


def test_routing_and_predicates_choose_the_host() -> None:
    with three_nodes() as (a, b, agent):
        for host in (a, b):
            host.serve_tool("id", functools.partial(lambda id, _: id, host.id))

        def chosen(**options: Any) -> set[int]:
            return {agent.call_tool("id", {}, cast(CallOptions, options)) for _ in range(8)}

        assert chosen(routing="round_robin") == {a.id, b.id} == chosen()
        assert len(chosen(routing="sticky", sticky_key=2**64 - 1)) == 1
        assert chosen(routing="random") | chosen(routing="lowest_latency") <= {a.id, b.id}
        has_gpu = {"nodes": [{"kind": "exists", "key": {"axis": "hardware", "key": "gpu"}}], "root_idx": 0}
        assert chosen(where=has_gpu) == {b.id}
        assert agent.hosts("id", {"where": has_gpu}) == [b.id]
        with pytest.raises(errors.InvalidInput, match="lowest_latency"):
            chosen(routing="nearest")


def test_the_window_of_a_stream_holds_its_host_back(host: Node, agent: Node) -> None:
    # Small events go together; each of these takes a credit.
    piece = "x" * 16 * 1024
    made, taken, ahead = threading.Event(), 0, []

    def counts(_: Any) -> Iterator[ToolEvent]:
        for number in range(100):
            ahead.append(number - taken)
            yield {"type": "delta", "data": piece}
        made.set()
        yield {"type": "result", "data": None}

    with host.serve_tool_streaming("counts", counts), host.serve_tool("same", lambda arguments: arguments):
        with agent.call_tool_streaming("counts"):
            assert made.wait(60), "the window unless said has room for all"
        ahead.clear()
        for _ in agent.call_tool_streaming("counts", {}, {"stream_window": 1}):
            agent.call_tool("same")  # It reads slowly.
            taken += 1
        assert max(ahead) <= 16
