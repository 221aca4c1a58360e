"""The examples of the seed, with the functions that it calls."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pydantic
import pytest

from toolmesh import (
    Context,
    Node,
    ToolEvent,
    ToolListChangeAdded,
    ToolListChangeNodeCountChanged,
    ToolListResync,
    call_tool,
    call_tool_async,
    call_tool_streaming,
    call_tool_streaming_async,
    errors,
    fetch_tool_metadata,
    fetch_tool_metadata_async,
    list_tools,
    openai,
    serve_tool,
    serve_tool_async,
    serve_tool_streaming,
    serve_tool_streaming_async,
    watch_tools,
)


def test_the_example_of_a_host_and_its_caller(host: Node, agent: Node) -> None:
    handle = serve_tool(
        host,
        {
            "name": "web_search",
            "description": "Search the web for relevant pages.",
            "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
            "tags": ["web", "research"],
            "estimated_time_ms": 500,
        },
        lambda req: {"results": [f"hit for {req['query']}"]},
    )
    tools = list_tools(agent)
    told = [(one["tool_id"], one["tags"], one["estimated_time_ms"], one["streaming"]) for one in tools]
    assert told == [("web_search", ["web", "research"], 500, False)]
    sent = [openai.to_openai_tool(one) for one in tools]
    call = {"name": sent[0]["function"]["name"], "arguments": '{"query": "mesh"}'}
    spec = openai.lower_openai_tool_call({"id": "c1", "type": "function", "function": call})
    assert call_tool(agent, spec.name, json.loads(spec.arguments_json)) == {"results": ["hit for mesh"]}
    meta = fetch_tool_metadata(agent, host.id, "web_search")
    assert meta["type"] == "found" and json.loads(meta["descriptor"]["input_schema"])["type"] == "object"
    handle.close()
    assert list_tools(agent) == []


def test_the_example_of_a_watch_with_its_interval(host: Node, agent: Node) -> None:
    async def main() -> list[tuple[str, str]]:
        told = []
        with watch_tools(agent, interval=0.25) as changes:
            served = serve_tool(host, "comes", lambda _: None)
            async for change in changes:
                assert not isinstance(change, ToolListResync)
                told.append((change.type, change.descriptor["tool_id"]))
                if change.type == "removed":
                    break
                served.close()
        return told

    assert asyncio.run(main()) == [("added", "comes"), ("removed", "comes")]


def test_the_examples_of_streams_and_of_asyncio(host: Node, agent: Node) -> None:
    def pages(req: Any) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": req["query"]}
        yield {"type": "result", "data": None}

    async def pages_async(req: Any) -> AsyncIterator[ToolEvent]:
        for event in pages(req):
            yield event

    async def double(req: Any) -> int:
        return int(req["n"]) * 2

    async def main() -> list[str]:
        kinds: list[str] = []
        with serve_tool_async(host, "double", double), serve_tool_streaming_async(host, "pages_async", pages_async):
            assert await call_tool_async(agent, "double", {"n": 21}) == 42
            assert (await fetch_tool_metadata_async(agent, host.id, "double"))["type"] == "found"
            async for event in call_tool_streaming_async(agent, "pages_async", {"query": "mesh"}):
                kinds.append(event["type"])
                if event["type"] in ("result", "error"):
                    break
        return kinds

    with serve_tool_streaming(host, "pages", pages):
        sync = [event["type"] for event in call_tool_streaming(agent, "pages", {"query": "mesh"})]
    assert sync == asyncio.run(main()) == ["start", "delta", "result"]


class Search(pydantic.BaseModel):
    query: str
    limit: int = pydantic.Field(default=3, gt=0)


def test_the_schema_of_a_pydantic_model_is_taken_as_it_is(host: Node, agent: Node) -> None:
    def search(req: Any) -> list[Any]:
        read = Search.model_validate(req)
        return [read.query, read.limit]

    with serve_tool(host, "search", search, input_schema=Search.model_json_schema()):
        assert call_tool(agent, "search", {"query": "mesh"}) == ["mesh", 3]
        with pytest.raises(errors.InvalidArguments):
            call_tool(agent, "search", {"query": "mesh", "limit": 0})


def test_peers_see_that_a_tool_streams_and_how_many_serve_it() -> None:
    key = os.urandom(32)

    def counts(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "result", "data": 1}

    with (
        Node(key=key, engine="memory") as a,
        Node(key=key, engine="memory") as b,
        Node(key=key, engine="memory") as agent,
        agent.watch_tools() as changes,
    ):
        serve_tool_streaming(a, "counts", counts)
        added = next(changes)
        assert isinstance(added, ToolListChangeAdded) and added.descriptor["streaming"]
        serve_tool_streaming(b, "counts", counts)
        more = next(changes)
        assert isinstance(more, ToolListChangeNodeCountChanged)
        assert (more.prev_node_count, more.descriptor["node_count"]) == (1, 2)


def test_a_handler_that_answers_once_tells_of_its_progress(host: Node, agent: Node) -> None:
    def slow(_: Any, context: Context) -> str:
        context.progress(50, "half")
        return "done"

    async def slow_async(_: Any, context: Context) -> str:
        await context.progress_async(50, "half")
        return "done"

    with host.serve_tool("slow", slow), host.serve_tool("slow_async", slow_async):
        for name in ("slow", "slow_async"):
            assert agent.call_tool(name) == "done"
            told = list(agent.call_tool_streaming(name))
            assert told[1:] == [
                {"type": "progress", "pct": 50, "message": "half"},
                {"type": "result", "data": "done"},
            ]
