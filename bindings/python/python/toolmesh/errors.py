"""How things fail: one class a kind, all of them `ToolmeshError`."""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AlreadyServing",
    "CallCancelled",
    "CapabilityDenied",
    "Closed",
    "ConfigurationError",
    "DeadlineExceeded",
    "InvalidArguments",
    "InvalidInput",
    "InvalidJson",
    "NoRoute",
    "ServerError",
    "SystemFault",
    "ToolCallParseError",
    "ToolError",
    "ToolFailed",
    "ToolmeshError",
    "TransportError",
]


class ToolmeshError(Exception):
    """Something failed; the text says what, where, and what to do."""

    kind: ClassVar[str] = "unknown"
    """The stable word for what failed, one a class."""
    status: int | None
    """The number with which a host answered, when one did."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NoRoute(ToolmeshError):
    """No node that this one can see serves the tool, meets the predicate and has the version."""

    kind = "no_route"


class DeadlineExceeded(ToolmeshError, TimeoutError):
    """The deadline passed."""

    kind = "timeout"


class CallCancelled(ToolmeshError):
    """The caller gave up."""

    kind = "cancelled"


class CapabilityDenied(ToolmeshError, PermissionError):
    """The host does not let this node call."""

    kind = "denied"


class InvalidArguments(ToolmeshError, ValueError):
    """The arguments do not fit the tool's schema."""

    kind = "invalid_arguments"


class ToolFailed(ToolmeshError):
    """The tool itself says no; the message is its own."""

    kind = "tool_failed"


class ServerError(ToolmeshError):
    """The host answered with another status."""

    kind = "server"


class TransportError(ToolmeshError, ConnectionError):
    """The way to the host failed."""

    kind = "transport"


class InvalidJson(ToolmeshError, ValueError):
    """A text is not the JSON that it has to be."""

    kind = "json"


class InvalidInput(ToolmeshError, ValueError):
    """A descriptor, an option or another argument is not allowed."""

    kind = "invalid"


class AlreadyServing(ToolmeshError):
    """This node serves this version of the tool already; it goes on serving it as it is."""

    kind = "already_serving"


class ConfigurationError(ToolmeshError):
    """A source or a configuration cannot be used."""

    kind = "configuration"


class Closed(ToolmeshError):
    """The node, stream or call is over."""

    kind = "closed"


class SystemFault(ToolmeshError, OSError):
    """The system refuses something: threads, an address, a file; or this process was forked off one with nodes."""

    kind = "system"


class ToolCallParseError(ValueError):
    """A model's reply holds no tool call of this provider's form."""


class ToolError(Exception):
    """Raised by a handler: its text reaches the caller as it is.

    The text of any other exception does not leave the process: it goes to the log `toolmesh`, and the caller is told that the tool
    failed.
    """

    code: str | None
    """The code of a streaming tool's error event, a text; that of any failed handler unless given."""

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


#: The native half makes exceptions of them by `__new__`, with `args` and `status` set: no `__init__` runs.
CLASSES: dict[str, type[ToolmeshError]] = {
    kind.kind: kind
    for kind in (
        NoRoute,
        DeadlineExceeded,
        CallCancelled,
        CapabilityDenied,
        InvalidArguments,
        ToolFailed,
        ServerError,
        TransportError,
        InvalidJson,
        InvalidInput,
        AlreadyServing,
        ConfigurationError,
        Closed,
        SystemFault,
    )
}
