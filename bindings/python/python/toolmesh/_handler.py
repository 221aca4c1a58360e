"""Running Python handlers: sync ones on a thread of their own, async ones on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any

from ._context import Context
from ._json import dumps, loads
from ._native import Call
from ._types import is_terminal_event
from ._waiting import started
from .errors import Closed, ToolError, ToolmeshError

_log = logging.getLogger("toolmesh")

Run = Callable[[Any, Context], Any]

#: What the caller is told of an exception that is no `ToolError`: nothing of this process leaves it.
_FAILED = "the tool failed"


def begin(run: Run, streaming: bool) -> Callable[[Call], None]:
    """What the native half begins each call with."""
    loop = _running_loop()

    def begun(call: Call) -> None:
        context = Context(call)
        try:
            outcome = run(loads(call.arguments), context)
            if inspect.isawaitable(outcome) or hasattr(outcome, "__aiter__"):
                _on_loop(loop, _finish_async(call, context, outcome, streaming))
            else:
                _finish(call, context, outcome, streaming)
        except BaseException as error:
            _fail(call, error)

    return begun


def _finish(call: Call, context: Context, outcome: Any, streaming: bool) -> None:
    if streaming and isinstance(outcome, Iterable):
        for event in outcome:
            context.event(event)
            if is_terminal_event(event):
                return
        call.release()  # The host puts the end that is missing.
        return
    call.finish(dumps(outcome))


async def _finish_async(call: Call, context: Context, outcome: Any, streaming: bool) -> None:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    watch = call.on_cancel(lambda: loop.call_soon_threadsafe(task.cancel) if task else None)
    try:
        if streaming and isinstance(outcome, AsyncIterable):
            async for event in outcome:
                await context.event_async(event)
                if is_terminal_event(event):
                    return
            call.release()  # The host puts the end that is missing.
            return
        result = dumps(await outcome)
        await started(lambda done: call.start_finish(result, done))
    except BaseException as error:
        _fail(call, error)
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
    finally:
        del watch


def _fail(call: Call, error: BaseException) -> None:
    """Ends the call with what its caller may know of the error."""
    if isinstance(error, Closed):
        return  # The caller is gone, or the handler has ended the call itself.
    code, message = None, _FAILED
    if isinstance(error, ToolError):
        code, message = error.code, str(error)
    elif isinstance(error, asyncio.CancelledError):
        message = "the call was cancelled"
    else:
        _log.error("the handler of a tool failed", exc_info=error)
    try:
        call.fail(code, message)
    except ToolmeshError:
        pass  # Nobody waits for it any more.


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _on_loop(loop: asyncio.AbstractEventLoop | None, work: Awaitable[None]) -> None:
    """Runs on the loop that served the tool, or on one of the package's own where there was none."""
    asyncio.run_coroutine_threadsafe(_as_coroutine(work), loop or _own_loop())


async def _as_coroutine(work: Awaitable[None]) -> None:
    await work


_own: asyncio.AbstractEventLoop | None = None
_own_lock = threading.Lock()


def _own_loop() -> asyncio.AbstractEventLoop:
    global _own
    with _own_lock:
        if _own is None:
            _own = asyncio.new_event_loop()
            threading.Thread(target=_own.run_forever, name="toolmesh-asyncio", daemon=True).start()
        return _own
