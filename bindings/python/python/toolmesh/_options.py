"""How a node is set up, from keyword arguments to the text that crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal, TypedDict, Union

from ._json import dumps

Path = Union[str, "PathLike[str]"]


class Allowed(TypedDict, total=False):
    """Who may see and call a node's tools: whoever is in any of the lists."""

    nodes: list[int]
    """Nodes by their numbers (`Node.id`)."""
    subnets: list[int]
    """Subnets, as certificates tell them."""
    groups: list[str]
    """Groups, as certificates tell them: 64 hexadecimal digits each."""


class AccessList(TypedDict, total=False):
    """Who may: whoever one of the members names."""

    nodes: list[str]
    """Nodes by their numbers, in 16 hexadecimal digits."""
    names: list[str]
    """Nodes by the names of their certificates; in memory, by the names that they were given."""
    subnets: list[int]
    """Subnets, as certificates tell them."""
    groups: list[str]
    """Groups, as certificates tell them: 64 hexadecimal digits each."""
    clients: list[str]
    """Clients behind gateways, by their identities."""
    any_client: bool
    """Every client behind a gateway, those without an identity too."""


Who = Union[Literal["everybody", "nobody"], AccessList]


class AccessRules(TypedDict, total=False):
    """Who may see and call what at a node. What is not understood is refused."""

    host: Who
    """Who may use the node at all."""
    tools: dict[str, Who]
    """Who may use which tools, by any of their names, or by a pattern: `*` stands for any characters, `?` for one. A name goes
    before patterns, and of these the one with most characters of its own."""
    unlisted: Literal["allow", "deny"]
    """What holds for tools that no entry of `tools` names; `allow` unless said."""
    gateways: Who
    """Who may call for somebody else; nobody unless said."""


def node_options(
    *,
    key: bytes | None,
    paths: Mapping[str, Path | None],
    sources: Sequence[Path],
    **plain: Any,
) -> str:
    """The options as they cross: those that were not given are left out."""
    if key is not None and not isinstance(key, (bytes, bytearray)):
        raise TypeError("`key` is 32 bytes; for a file with 64 hexadecimal digits there is `key_file`")
    for name in ("connect", "routers", "tags"):
        if isinstance(plain[name], str):
            raise TypeError(f"`{name}` is a list of texts, not one text")
    if isinstance(sources, (str, PathLike)):
        raise TypeError("`sources` is a list, not one source")
    options = {name: value for name, value in plain.items() if value is not None and value != ()}
    options |= {name: fspath(path) for name, path in paths.items() if path is not None}
    if sources:
        options["sources"] = [fspath(source) for source in sources]
    if key is not None:
        options["key"] = key.hex()
    return dumps(options)
