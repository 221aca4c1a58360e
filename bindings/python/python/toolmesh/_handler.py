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
from ._tool import Tool
from ._types import is_terminal_event
from ._waiting import started, tell
from .errors import Closed, InvalidJson, ToolError

_log = logging.getLogger("toolmesh")

Handler = Callable[..., Any]
Run = Callable[[Any, Context], Any]

_HANDLER = "a handler is a function of the arguments, or of the arguments and the context"

#: What the caller is told of an exception that is no `ToolError`: nothing of this process leaves it.
_FAILED = "the tool failed"


def run_of(handler: Handler) -> Run:
    """A handler as a function of both, whatever it takes."""
    if isinstance(handler, Tool):
        raise TypeError("a function with `@tool` is served by `serve`")
    if not callable(handler):
        raise TypeError(_HANDLER)
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):
        return lambda arguments, _: handler(arguments)  # Some built-in functions tell no signature.
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) >= 2:
        return handler
    if not positional and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise TypeError(_HANDLER)
    return lambda arguments, _: handler(arguments)


def begin(run: Run, streaming: bool) -> Callable[[Call], None]:
    """What the native half begins each call with."""
    loop = _running_loop()

    def begun(call: Call) -> None:
        context = Context(call)
        try:
            outcome = run(_arguments(call), context)
            if inspect.isawaitable(outcome) or hasattr(outcome, "__aiter__"):
                _on_loop(loop, _finish_async(call, context, outcome, streaming))
            else:
                _finish(call, context, outcome, streaming)
        except BaseException as error:
            _fail(call, error)

    return begun


def _arguments(call: Call) -> Any:
    try:
        return loads(call.arguments)
    except InvalidJson as error:
        raise ToolError(str(error)) from None


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
    watch = call.on_cancel(lambda: tell(loop, task.cancel) if task else None)
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
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise  # Ctrl-C of the program, which came upon this handler by chance.
    finally:
        del watch


def _fail(call: Call, error: BaseException) -> None:
    """Ends the call with what its caller may know of the error."""
    if isinstance(error, Closed) and not call.is_open:
        return  # The caller is gone, or the handler has ended the call itself. What is closed otherwise is something else.
    code, message = None, _FAILED
    if isinstance(error, asyncio.CancelledError):
        message = "the call was cancelled"
    elif isinstance(error, ToolError) and _can_cross(str(error)) and (error.code is None or _can_cross(error.code)):
        code, message = error.code, str(error)
    else:
        _log.error("the handler of a tool failed", exc_info=error)
    call.fail(code, message)


def _can_cross(text: object) -> bool:
    """Whether it is a text that other programs can read: one without halves of characters."""
    return isinstance(text, str) and not any("\ud800" <= one <= "\udfff" for one in text)


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
            threading.Thread(target=_run, args=[_own], name="toolmesh-asyncio", daemon=True).start()
        return _own


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop that no handler can end, nor a task of one."""
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt) as error:
            _log.error("a task of a handler failed", exc_info=error)
