"""A program as an MCP server, driven by the `mcp` client from PyPI."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from toolmesh import Node

SERVER = str(Path(__file__).parents[1] / "examples" / "server.py")
TOKEN = Path(__file__).parents[3] / "examples" / "token.json"

#: Long enough for a busy machine.
PATIENCE_S = 60


async def sums(server: Any) -> None:
    async with Client(server, read_timeout_seconds=PATIENCE_S) as client:
        tools = (await client.list_tools()).tools
        assert [(one.name, one.description) for one in tools] == [("add", "Adds two numbers.")]
        assert tools[0].input_schema["required"] == ["a", "b"]
        added = await client.call_tool("add", {"a": 2, "b": 40})
        assert added.structured_content == {"sum": 42}
        try:
            assert (await client.call_tool("add", {"a": "two"})).is_error
        except MCPError as error:
            assert error.code == -32602


def test_ten_lines_are_an_mcp_server_on_standard_input_and_output() -> None:
    server = StdioServerParameters(command=sys.executable, args=[SERVER, "stdio"], env=dict(os.environ))
    asyncio.run(sums(server))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_ten_lines_are_an_mcp_server_over_http_until_they_are_told_to_end(end: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, SERVER], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            asyncio.run(sums(program.stdout.readline().strip()))
            program.send_signal(end)
            assert program.wait(PATIENCE_S) == 0
        finally:
            program.kill()


async def called(server: str, tool: str, arguments: dict[str, Any]) -> Any:
    async with Client(server, read_timeout_seconds=PATIENCE_S) as client:
        return (await client.call_tool(tool, arguments)).structured_content


def test_contracts_and_what_other_nodes_serve_are_tools_for_mcp_clients() -> None:
    key = os.urandom(32)
    with Node(key=key, name="host", sources=[TOKEN]) as host:
        with Node(key=key, name="front", connect=host.listens_at, sources=["mesh:"]) as front:
            for node in (host, front):
                with node.serve_mcp() as server:
                    assert asyncio.run(called(server.url, "decimals", {}))["result"] == 18


def test_an_address_that_is_taken_is_named() -> None:
    with Node() as node, node.serve_mcp(0) as server:
        place = server.url.removeprefix("http://").removesuffix("/mcp")
        with pytest.raises(OSError, match=place):
            node.serve_mcp(place)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_program_of_a_source_ends_with_its_node_and_not_when_nobody_keeps_it(tmp_path: Path) -> None:
    told, script = tmp_path / "pid", tmp_path / "source.py"
    script.write_text(
        f"import os, pathlib, runpy, sys\npathlib.Path({str(told)!r}).write_text(str(os.getpid()))\n"
        f"sys.argv = ['server', 'stdio']\nrunpy.run_path({SERVER!r}, run_name='__main__')\n"
    )
    node = Node(sources=[f"mcp:{sys.executable} {script}"])
    assert node.call_tool("add", {"a": 2, "b": 40}) == {"sum": 42}
    program = int(told.read_text())
    assert runs(program)
    node.close()
    until = time.monotonic() + PATIENCE_S
    while runs(program):
        assert time.monotonic() < until, "the program of the source goes on"
        time.sleep(0.01)
