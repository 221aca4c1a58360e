"""Streaming tools."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from toolmesh import (
    Context,
    Node,
    ToolError,
    ToolEvent,
    ToolEventStream,
    ToolListChangeAdded,
    call_tool_streaming_async,
    errors,
    is_terminal_event,
)
from toolmesh._waiting import read, started

T = TypeVar("T")


def events(agent: Node, tool: str) -> list[ToolEvent]:
    told = list(agent.call_tool_streaming(tool))
    assert told[0]["type"] == "start"
    assert [is_terminal_event(event) for event in told] == [False] * (len(told) - 1) + [True]
    return told[1:]


def test_a_generator_is_a_stream_and_stops_at_its_first_terminal_event(host: Node, agent: Node) -> None:
    went_on = threading.Event()

    def counts(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "progress", "pct": 50.0, "message": "half"}
        for n in range(100):
            yield {"type": "delta", "data": n}
        yield {"type": "result", "data": {"done": True}}
        went_on.set()

    with host.serve_tool_streaming("counts", counts):
        told = events(agent, "counts")
    assert told[0] == {"type": "progress", "pct": 50.0, "message": "half"}
    assert told[1:-1] == [{"type": "delta", "data": n} for n in range(100)]
    assert told[-1] == {"type": "result", "data": {"done": True}}
    assert not went_on.is_set()


def test_an_async_generator_is_a_stream_read_asynchronously(host: Node, agent: Node) -> None:
    async def counts(_: Any) -> AsyncIterator[ToolEvent]:
        for n in range(10):
            yield {"type": "delta", "data": n}
        yield {"type": "result", "data": None}

    async def main() -> list[Any]:
        with host.serve_tool_streaming("counts", counts):
            stream = await agent.call_tool_streaming_async("counts")
            return [event.get("data") async for event in stream]

    assert asyncio.run(main()) == [None, *range(10), None]


def test_a_stream_without_an_end_gets_one(host: Node, agent: Node) -> None:
    def ends(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": 1}

    def breaks(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": 1}
        raise RuntimeError("a secret")

    def says_no(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": 1}
        raise ToolError("the disk is full", code="disk_full")

    for handler, code, message in (
        (ends, "missing_terminal", "tool handler ended its stream without emitting a terminal Result or Error event"),
        (breaks, "handler_error", "the tool failed"),
        (says_no, "disk_full", "the disk is full"),
    ):
        with host.serve_tool_streaming("ends", handler):
            assert events(agent, "ends")[-1] == {"type": "error", "code": code, "message": message}


def test_closing_a_stream_reaches_its_handler(host: Node, agent: Node) -> None:
    seen = threading.Event()

    def endless(_: Any, context: Context) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": 0}
        if context.wait_cancelled(60):
            seen.set()
        yield {"type": "result", "data": None}

    with host.serve_tool_streaming("endless", endless):
        with agent.call_tool_streaming("endless") as stream:
            assert next(stream)["type"] == "start"
            assert next(stream)["type"] == "delta"
        assert [event["type"] for event in stream] == ["error"]
        assert seen.wait(60)


def test_an_async_stream_is_read_with_or_without_awaiting_it_first(host: Node, agent: Node) -> None:
    async def main() -> None:
        with host.serve_tool_streaming("one", lambda _: [{"type": "result", "data": 1}]):
            at_once = [event async for event in agent.call_tool_streaming_async("one")]
            awaited = [event async for event in await call_tool_streaming_async(agent, "one")]
            assert at_once[-1] == awaited[-1] == {"type": "result", "data": 1}
        with pytest.raises(errors.NoRoute):
            async for _ in agent.call_tool_streaming_async("one"):
                raise AssertionError("there is nobody to send this")

    asyncio.run(main())


async def read_in_haste(reads: AsyncIterator[T]) -> AsyncIterator[T]:
    """All that comes, with the first try of each read given up."""
    while True:
        hasty = asyncio.ensure_future(reads.__anext__())
        for _ in range(3):
            await asyncio.sleep(0)
        hasty.cancel()
        try:
            yield await hasty
        except asyncio.CancelledError:
            try:
                yield await reads.__anext__()
            except StopAsyncIteration:
                return
        except StopAsyncIteration:
            return


def test_a_read_that_is_cancelled_loses_nothing(host: Node, agent: Node) -> None:
    many = 200

    async def counts(_: Any) -> AsyncIterator[ToolEvent]:
        for n in range(many):
            yield {"type": "delta", "data": n}
        yield {"type": "result", "data": None}

    async def main() -> None:
        with host.serve_tool_streaming("counts", counts):
            stream = await agent.call_tool_streaming_async("counts")
            told = [event async for event in read_in_haste(aiter(stream))]
            assert [event["data"] for event in told[1:]] == [*range(many), None]
        watch = host.watch_tools(interval=0.001)
        handles = [host.serve_tool(f"t{n}", lambda _: None) for n in range(10)]
        seen = set()
        async for change in read_in_haste(aiter(watch)):
            assert isinstance(change, ToolListChangeAdded)
            seen.add(change.descriptor["name"])
            if len(seen) == len(handles):
                watch.close()

    asyncio.run(main())


def test_what_comes_while_a_read_is_cancelled_is_the_next_ones() -> None:
    class Fake:
        def __init__(self) -> None:
            self.there: list[tuple[str | None]] = []
            self.done: list[Callable[[Any, BaseException | None], object]] = []

        def start_ready(self, done: Callable[[Any, BaseException | None], object]) -> Any:
            self.done.append(done)
            return self

        def take(self) -> tuple[str | None] | None:
            return self.there.pop() if self.there else None

        def cancel(self) -> None:
            """It is too late for that."""

    async def main() -> None:
        fake = Fake()
        first = asyncio.ensure_future(read(fake))
        while not fake.done:
            await asyncio.sleep(0)
        fake.there.append(("x",))
        fake.done[0](None, None)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await read(fake) == "x"

    asyncio.run(main())


def test_a_stream_that_was_waited_for_and_is_closed_tells_its_handler(host: Node, agent: Node) -> None:
    began, seen = threading.Event(), threading.Event()

    def endless(_: Any, context: Context) -> Iterator[ToolEvent]:
        yield {"type": "delta", "data": 0}
        began.set()
        if context.wait_cancelled(60):
            seen.set()
        yield {"type": "result", "data": None}

    async def main() -> ToolEventStream:
        stream = await agent.call_tool_streaming_async("endless")
        await started(stream._events.start_ready)  # The event `start` is there, and nobody takes it.
        return stream

    with host.serve_tool_streaming("endless", endless):
        with asyncio.run(main()) as stream:
            assert began.wait(60)
        assert seen.wait(60)
        assert [event["type"] for event in stream] == ["start", "error"]


def test_a_stream_that_asyncio_opened_and_nobody_keeps_is_cancelled(host: Node, agent: Node) -> None:
    ended = threading.Event()

    def endless(_: Any) -> Iterator[ToolEvent]:
        try:
            while True:
                yield {"type": "delta", "data": 0}
        finally:
            ended.set()

    async def main() -> None:
        stream = await agent.call_tool_streaming_async("endless")
        del stream
        gc.collect()

    with host.serve_tool_streaming("endless", endless):
        asyncio.run(main())
        assert ended.wait(60)


VECTORS = json.loads((Path(__file__).parents[3] / "testdata" / "net" / "tool_event_vectors.json").read_text())["cases"]


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_events_cross_as_every_language_writes_them(host: Node, agent: Node, case: dict[str, Any]) -> None:
    """Through the handler, the native types, the wire, and back: not only through a JSON parser."""
    sent: ToolEvent = case["wire"]

    def sends(_: Any) -> Iterator[ToolEvent]:
        yield sent
        yield {"type": "result", "data": None}

    with host.serve_tool_streaming("sends", sends):
        told = list(agent.call_tool_streaming("sends"))
    assert is_terminal_event(sent) == case["is_terminal"]
    if sent["type"] == "start" and "call_id" not in sent:
        told[0].pop("call_id")  # The host numbers the call.
    assert sent in told


def test_an_async_reader_is_told_which_arguments_do_not_fit_a_schema_that_has_to_be_fetched(host: Node, agent: Node) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "$comment": "x" * 4096}

    async def main() -> list[Any]:
        with host.serve_tool_streaming("counts", lambda _: [], input_schema=schema):
            return [event async for event in agent.call_tool_streaming_async("counts", {"n": "x"})]

    told = asyncio.run(main())
    assert told[-1]["code"] == "invalid_arguments"
    assert "/n: expected an integer" in told[-1]["message"]
