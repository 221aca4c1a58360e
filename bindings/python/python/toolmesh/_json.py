"""JSON as it crosses: integers keep every digit, and what is no JSON (NaN) is refused."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from typing import Any

from .errors import InvalidJson


def dumps(value: object) -> str:
    """The text of a value; dataclasses, enumerations and pydantic models are written as what they hold."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False, default=_plain)


def loads(text: str) -> Any:
    """The value of a text. Raises `InvalidJson` for a number that no float can hold."""
    return json.loads(text, parse_float=_float)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise InvalidJson(f"the number {text[:40]} is larger than a float of Python")
    return number


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", by_alias=True)  # As its schema has it.
    raise TypeError(f"a {type(value).__name__} has no JSON form")
