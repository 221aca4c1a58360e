"""Calls: results, failures, deadlines, cancellation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from toolmesh import Context, Node, ToolError, ToolEvent, _native, errors


def test_no_digit_is_lost_in_either_direction(host: Node, agent: Node) -> None:
    with host.serve_tool("same", lambda arguments: arguments):
        exact = {"n": 2**200, "deep": [{"m": -(2**64)}], "text": "\u00e9\u2028"}
        assert agent.call_tool("same", exact) == exact


def test_every_fault_is_a_class_of_its_own(host: Node, agent: Node) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with host.serve_tool("typed", lambda _: {"n": 1}, input_schema=schema, output_schema={"type": "string"}):
        with pytest.raises(errors.InvalidArguments):
            agent.call_tool("typed", {"n": "x"})
        with pytest.raises(errors.ServerError):
            agent.call_tool("typed", {"n": 1})
        with pytest.raises(errors.AlreadyServing):
            host.serve_tool("typed", lambda _: None)
    with pytest.raises(errors.NoRoute):
        agent.call_tool("typed", {"n": 1})
    with pytest.raises(errors.InvalidInput):
        host.serve_tool("Not a name!", lambda _: None)
    with pytest.raises(errors.InvalidInput, match="deadline"):
        agent.call_tool("typed", {}, {"deadline": 1})  # type: ignore[arg-type]


def test_only_a_tool_error_tells_its_text(host: Node, agent: Node) -> None:
    def says_no(_: Any) -> None:
        raise ToolError("no such city")

    def breaks(_: Any) -> None:
        raise RuntimeError("a secret")

    def no_json(_: Any) -> Any:
        return object()

    with host.serve_tool("no", says_no), host.serve_tool("breaks", breaks), host.serve_tool("odd", no_json):
        with pytest.raises(errors.ToolFailed, match="^no such city$"):
            agent.call_tool("no")
        for name in ("breaks", "odd"):
            with pytest.raises(errors.ToolFailed, match="^the tool failed$"):
                agent.call_tool(name)


def test_the_context_tells_of_the_call(host: Node, agent: Node) -> None:
    def told(_: Any, context: Context) -> Any:
        assert context.deadline_ms is not None and context.deadline_ms <= 5000
        caller = context.caller
        return [caller.identity, caller.transport, context.headers["x-shard"], context.idempotency_key]

    with host.serve_tool("told", told):
        options = {"deadline_ms": 5000, "headers": {"x-shard": "7"}, "idempotency_key": "k1"}
        assert agent.call_tool("told", {}, options) == ["agent", "mesh", "7", "k1"]  # type: ignore[arg-type]


def test_a_deadline_ends_the_call_for_both(host: Node, agent: Node) -> None:
    seen = threading.Event()

    def waits(_: Any, context: Context) -> None:
        if context.wait_cancelled(60):
            seen.set()

    with host.serve_tool("waits", waits):
        with pytest.raises(errors.DeadlineExceeded):
            agent.call_tool("waits", {}, {"deadline_ms": 50})
        assert seen.wait(60)


def test_a_cancelled_task_is_cancelled_at_its_async_handler(host: Node, agent: Node) -> None:
    async def main() -> None:
        began, seen = asyncio.Event(), asyncio.Event()

        async def waits(_: Any) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.set()
                raise

        with host.serve_tool("waits", waits):
            call = asyncio.create_task(agent.call_tool_async("waits"))
            await began.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.wait_for(seen.wait(), 60)

    asyncio.run(main())


def test_many_calls_at_once_are_all_answered(host: Node, agent: Node) -> None:
    async def main() -> list[int]:
        async def double(arguments: Any) -> int:
            await asyncio.sleep(0)
            return int(arguments["n"]) * 2

        with host.serve_tool("double", double):
            return list(await asyncio.gather(*[agent.call_tool_async("double", {"n": n}) for n in range(500)]))

    assert asyncio.run(main()) == [2 * n for n in range(500)]


def test_a_node_calls_itself_and_a_handler_calls_on(host: Node) -> None:
    with host.serve_tool("inner", lambda _: 1):
        with host.serve_tool("outer", lambda _: host.call_tool("inner") + 1):
            assert host.call_tool("outer") == 2


def test_a_closed_node_says_so(agent: Node) -> None:
    agent.close()
    agent.close()
    with pytest.raises(errors.Closed):
        agent.list_tools()
    with pytest.raises(errors.Closed):
        agent.call_tool("any")


def test_as_many_sync_handlers_as_are_called_run_at_once_and_hold_up_nothing(host: Node) -> None:
    many = 600
    together = threading.Barrier(many)

    def outer(_: Any) -> Any:
        together.wait(60)  # Until all of them run.
        return host.call_tool("inner")

    async def main() -> list[int]:
        return list(await asyncio.gather(*[host.call_tool_async("outer") for _ in range(many)]))

    with host.serve_tool("inner", lambda _: 1), host.serve_tool("outer", outer):
        assert asyncio.run(main()) == [1] * many


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()])
def test_a_handler_cannot_end_the_loop_of_others(host: Node, agent: Node, error: BaseException) -> None:
    async def raises(_: Any = None) -> None:
        raise error

    async def leaves(_: Any) -> str:
        asyncio.get_running_loop().create_task(raises())
        return "left"

    async def fine(_: Any) -> str:
        return "fine"

    with host.serve_tool("raises", raises), host.serve_tool("leaves", leaves), host.serve_tool("fine", fine):
        with pytest.raises(errors.ToolFailed):
            agent.call_tool("raises")
        assert agent.call_tool("leaves") == "left"
        assert agent.call_tool("fine") == "fine"


HALF = "half of a character: \ud800"


@pytest.mark.parametrize("error", [ToolError(HALF), ToolError("x", code=HALF), ToolError("x", code=404)])  # type: ignore[arg-type]
def test_a_failure_that_cannot_cross_fails_its_call_at_once_and_is_logged(
    host: Node, agent: Node, error: ToolError, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: Any) -> None:
        raise error

    async def fails_async(_: Any) -> None:
        raise error

    async def result(_: Any) -> str:
        return HALF

    for handler in (fails, fails_async, lambda _: HALF, result):
        with host.serve_tool("fails", handler), pytest.raises(errors.ToolFailed, match="^the tool failed$"):
            agent.call_tool("fails")
    assert [record.message for record in caplog.records] == ["the handler of a tool failed"] * 4


def test_a_number_that_no_float_can_hold_reaches_no_handler(host: Node, agent: Node) -> None:
    with host.serve_tool("same", lambda arguments: arguments):
        with pytest.raises(errors.ToolFailed, match="is larger than a float"):
            agent._native.call("same", '{"n":1e400}', "{}")


def test_what_a_handler_finds_closed_is_a_failure_that_the_log_tells(
    host: Node, agent: Node, caplog: pytest.LogCaptureFixture
) -> None:
    other = Node()
    other.close()

    def asks(_: Any) -> Any:
        return other.call_tool("any")

    async def asks_async(_: Any) -> Any:
        return await other.call_tool_async("any")

    def streams(_: Any) -> Iterator[ToolEvent]:
        yield {"type": "result", "data": other.call_tool("any")}

    async def streams_async(_: Any) -> AsyncIterator[ToolEvent]:
        yield {"type": "result", "data": await other.call_tool_async("any")}

    for handler in (asks, asks_async):
        with host.serve_tool("asks", handler), pytest.raises(errors.ToolFailed, match="^the tool failed$"):
            agent.call_tool("asks")
    for handler in (streams, streams_async):
        with host.serve_tool_streaming("streams", handler):
            last = list(agent.call_tool_streaming("streams"))[-1]
            assert last == {"type": "error", "code": "handler_error", "message": "the tool failed"}
    assert [record.message for record in caplog.records] == ["the handler of a tool failed"] * 4


def test_a_handler_that_goes_on_behind_the_end_of_its_call_is_no_news(
    host: Node, agent: Node, caplog: pytest.LogCaptureFixture
) -> None:
    def goes_on(_: Any, context: Context) -> None:
        context.event({"type": "result", "data": 1})
        context.delta(2)

    with host.serve_tool("goes_on", goes_on):
        assert agent.call_tool("goes_on") == 1
        _native.settle(60_000)
    assert caplog.records == []
