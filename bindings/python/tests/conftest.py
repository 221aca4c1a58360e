"""Two nodes of one mesh."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolmesh import Node

KEY = bytes([7]) * 32


@pytest.fixture
def host() -> Iterator[Node]:
    with Node(name="host", key=KEY, engine="memory", tags=["region.eu"]) as node:
        yield node


@pytest.fixture
def agent(host: Node) -> Iterator[Node]:
    with Node(name="agent", key=KEY, engine="memory") as node:
        yield node
