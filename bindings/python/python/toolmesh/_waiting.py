"""Waiting: from callbacks of the native half to asyncio, and for the end of a program."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ._native import Pending

Done = Callable[[Any, "BaseException | None"], object]


async def started(start: Callable[[Done], Pending]) -> Any:
    """Awaits what `start` begins; cancelling the awaiting task gives it up."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def done(value: Any, error: BaseException | None) -> None:
        try:
            loop.call_soon_threadsafe(settle, value, error)
        except RuntimeError:
            pass  # The loop has been closed: nobody waits any more.

    pending = start(done)
    try:
        return await future
    finally:
        if not future.done() or future.cancelled():
            pending.cancel()


@contextlib.contextmanager
def closing_at_signals(close: Callable[[], None]) -> Iterator[None]:
    """Closes at Ctrl-C and SIGTERM instead of ending the program there; only the main thread is told of signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, lambda *_: close()) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            # A handler that is none of Python's cannot be put back.
            signal.signal(one, signal.SIG_DFL if handler is None else handler)
