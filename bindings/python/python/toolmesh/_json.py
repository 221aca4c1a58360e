"""JSON as it crosses: integers keep every digit, and what is no JSON (NaN) is refused."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Any


def dumps(value: object) -> str:
    """The text of a value; dataclasses, enumerations and pydantic models are written as what they hold."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False, default=_plain)


def loads(text: str) -> Any:
    """The value of a text."""
    return json.loads(text)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    raise TypeError(f"a {type(value).__name__} has no JSON form")
