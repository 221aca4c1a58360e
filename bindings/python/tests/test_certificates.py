"""Nodes with certificates, which `toolmesh mesh keys` makes, and who may do what."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from toolmesh import AccessRules, Node, errors

#: The command, which the tests are given.
TOOLMESH = os.environ["TOOLMESH_COMMAND"]


class Keys:
    """A folder with the keys of a mesh."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder = folder
        nodes = [argument for name in names for argument in ("--node", name)]
        subprocess.run([TOOLMESH, "mesh", "keys", folder, *nodes], check=True, stdout=subprocess.DEVNULL)

    def node(self, name: str, **more: Any) -> Node:
        """A node with its certificate."""
        return Node(
            key_file=self.folder / "mesh.key",
            authority=self.folder / "authority.pem",
            certificate=self.folder / f"{name}.pem",
            private_key=self.folder / f"{name}.key",
            **more,
        )


def sees_a_tool(node: Node) -> None:
    with node.watch_tools() as changes:
        if not node.list_tools():
            next(changes)


def test_nodes_with_certificates_of_one_authority_call_each_other_by_their_names(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys", "tokens", "agent")
    with keys.node("tokens") as host, host.serve_tool("who", lambda _, context: context.caller.identity):
        with keys.node("agent", connect=host.listens_at) as agent:
            sees_a_tool(agent)
            assert agent.call_tool("who") == "agent"


def test_a_node_of_another_authority_is_not_met_and_told_where(tmp_path: Path) -> None:
    keys, others = Keys(tmp_path / "keys", "tokens"), Keys(tmp_path / "others", "agent")
    key = bytes.fromhex((keys.folder / "mesh.key").read_text())
    (others.folder / "mesh.key").unlink()
    (others.folder / "mesh.key").write_text(key.hex())
    with keys.node("tokens") as host, host.serve_tool("who", lambda _: None):
        with others.node("agent", connect=host.listens_at) as stranger:
            with pytest.raises(errors.NoRoute, match="another authority") as told:
                stranger.call_tool("who")
            assert host.listens_at[0] in str(told.value)


def test_a_certificate_that_cannot_be_used_is_refused_at_the_start(tmp_path: Path) -> None:
    keys, others = Keys(tmp_path / "keys", "tokens"), Keys(tmp_path / "others", "tokens")
    (keys.folder / "tokens.pem").write_text((others.folder / "tokens.pem").read_text())
    with pytest.raises(errors.ConfigurationError):
        keys.node("tokens")
    with pytest.raises(errors.ConfigurationError, match="`private_key`"):
        Node(key_file=keys.folder / "mesh.key", authority=keys.folder / "authority.pem")
    with pytest.raises(errors.InvalidInput, match="`authority` is for a mesh on a network"):
        Node(authority=keys.folder / "authority.pem")


def test_a_node_sees_and_calls_the_tools_of_those_alone_whom_it_trusts() -> None:
    key = os.urandom(32)
    with Node(key=key, engine="memory", name="tokens") as host, host.serve_tool("pay", lambda _: "host"):
        with Node(key=key, engine="memory", name="thief") as thief, thief.serve_tool("pay", lambda _: "thief", version="9.0.0"):
            with Node(key=key, engine="memory", trust={"names": ["tokens"]}) as careful:
                assert careful.call_tool("pay") == "host"
            with Node(key=key, engine="memory", trust="nobody") as lonely, pytest.raises(errors.NoRoute):
                lonely.call_tool("pay")
            with Node(key=key, engine="memory") as careless:
                assert careless.call_tool("pay") == "thief"
    with pytest.raises(errors.ConfigurationError, match="`trust` in .mesh.: .*the list.nams"):
        Node(trust={"nams": ["tokens"]})  # type: ignore[arg-type]


def test_access_rules_say_who_may_call() -> None:
    key = os.urandom(32)
    rules: AccessRules = {"unlisted": "deny", "tools": {"open_*": "everybody", "secret": {"names": ["friend"]}}}
    with Node(key=key, engine="memory", access=rules) as host:
        for name in ("open_one", "secret", "unlisted"):
            host.serve_tool(name, lambda _: 1)
        seen = {}
        for name in ("friend", "other"):
            with Node(key=key, engine="memory", name=name) as node:
                seen[name] = [tool["tool_id"] for tool in node.list_tools()]
                assert node.call_tool("open_one") == 1
        assert seen == {"friend": ["open_one", "secret"], "other": ["open_one"]}
    with pytest.raises(errors.ConfigurationError, match="access rules: tool"):
        Node(access={"tool": {}})  # type: ignore[arg-type]


def test_what_is_off_here_is_off_whatever_the_file_says(tmp_path: Path) -> None:
    config = tmp_path / "toolmesh.toml"
    config.write_text("[mesh]\nplaintext = true\nmulticast = true\n")
    with pytest.raises(errors.InvalidInput, match="plaintext"):
        Node(key=os.urandom(32), config=config, listen="0.0.0.0:0", plaintext=False, multicast=False)
    Node(key=os.urandom(32), config=config, multicast=False).close()
