"""Finding tools, and watching them."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from toolmesh import Node, ToolListChangeAdded, ToolListChangeRemoved, errors


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


def test_a_source_that_is_not_there_is_named() -> None:
    with pytest.raises(errors.ConfigurationError, match="/nowhere/at/all.json"):
        Node(sources=["/nowhere/at/all.json"])
