"""Waiting: from callbacks of the native half to asyncio, and for the end of a program."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

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

    pending = start(lambda value, error: tell(loop, settle, value, error))
    try:
        return await future
    finally:
        if not future.done() or future.cancelled():
            pending.cancel()


def tell(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *arguments: Any) -> None:
    """Has a loop call back, from another thread."""
    try:
        loop.call_soon_threadsafe(callback, *arguments)
    except RuntimeError:
        pass  # The loop has been closed: nobody waits any more.


class Readable(Protocol):
    """What can be read without losing anything to a reader that is cancelled."""

    def start_ready(self, done: Done) -> Pending: ...
    def take(self) -> tuple[str | None] | None: ...


async def read(readable: Readable) -> str | None:
    """The next that comes; `None` after the last. Cancelling the awaiting task leaves it to the next reader."""
    await asyncio.sleep(0)  # Other tasks have their turn, however fast it comes.
    while (taken := readable.take()) is None:
        await started(readable.start_ready)
    return taken[0]


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
