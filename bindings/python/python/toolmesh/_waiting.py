"""From callbacks of the native half to asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
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
