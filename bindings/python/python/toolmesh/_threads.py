"""The threads on which the native half has Python run: one for callbacks, and one for each sync handler that runs.

They are Python's own, and daemons: at the end of a program CPython stops them where they stand, which it cannot do with threads of
the native half.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from . import _native

_log = logging.getLogger("toolmesh")

_begun = False
_lock = threading.Lock()


def begin_threads() -> None:
    """Has them run, from the first time on."""
    global _begun
    with _lock:
        if not _begun:
            _begun = True
            _start("toolmesh-callbacks", _tell)
            _start("toolmesh-handler", _handle)


def _start(name: str, work: Callable[[], None]) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


def _tell() -> None:
    while True:
        for callback, arguments in _native.next_callbacks():
            try:
                callback(*arguments)
            except Exception:
                _log.exception("a callback failed")
            # What it was told is let go now, and not when there is more to tell: a stream that nobody keeps is cancelled.
            del callback, arguments


def _handle() -> None:
    """Runs calls; as long as it does, another thread waits for the next one, however many run."""
    while (taken := _native.next_call()) is not None:
        begin, call, running, alone = taken
        if alone:
            _wait_elsewhere()
        begin(call)
        # What the call holds is let go now, and not when the next one comes.
        del taken, begin, call, running


def _wait_elsewhere() -> None:
    try:
        _start("toolmesh-handler", _handle)
    except RuntimeError as error:
        # The system gives no more threads: calls wait until a handler has ended.
        _log.warning("no thread for the next call: %s", error)
