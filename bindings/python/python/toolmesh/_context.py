"""What a handler may know of its call, and say while it runs."""

from __future__ import annotations

import threading
from typing import Any

from ._json import dumps, loads
from ._native import Call
from ._types import Caller, ToolEvent
from ._waiting import started


class Context:
    """A call under way. Sync handlers use the plain methods, async handlers those that end in `_async`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def caller(self) -> Caller:
        """Who asks."""
        return Caller(**loads(self._call.caller))

    @property
    def deadline_ms(self) -> int | None:
        """How many milliseconds are left, when there is a deadline."""
        return self._call.deadline_ms

    @property
    def headers(self) -> dict[str, str]:
        """The headers that came with the call, names in lower case; of several with one name the last."""
        return dict(self._call.headers)

    @property
    def idempotency_key(self) -> str:
        """The key by which tries of one logical call know each other."""
        return self._call.idempotency_key

    @property
    def cancelled(self) -> bool:
        """Whether the caller has given up, or the deadline has passed."""
        return self._call.is_cancelled

    def wait_cancelled(self, timeout: float | None = None) -> bool:
        """Waits until the caller gives up, at most so many seconds; whether it has."""
        if self.cancelled:
            return True
        ended = threading.Event()
        watch = self._call.on_cancel(ended.set)
        ended.wait(timeout)
        del watch
        return self.cancelled

    def progress(self, pct: float | None = None, message: str | None = None) -> None:
        """Reports progress in percent, with a text."""
        self.event(_progress(pct, message))

    def delta(self, data: Any) -> None:
        """Sends a piece of partial output."""
        self.event({"type": "delta", "data": data})

    def event(self, event: ToolEvent) -> None:
        """Sends an event; waits while the reader is behind."""
        self._call.event(dumps(event))

    async def progress_async(self, pct: float | None = None, message: str | None = None) -> None:
        """Reports progress in percent, with a text."""
        await self.event_async(_progress(pct, message))

    async def delta_async(self, data: Any) -> None:
        """Sends a piece of partial output."""
        await self.event_async({"type": "delta", "data": data})

    async def event_async(self, event: ToolEvent) -> None:
        """Sends an event; waits while the reader is behind."""
        text = dumps(event)
        await started(lambda done: self._call.start_event(text, done))


def _progress(pct: float | None, message: str | None) -> ToolEvent:
    event: ToolEvent = {"type": "progress"}
    if pct is not None:
        event["pct"] = pct
    if message is not None:
        event["message"] = message
    return event
