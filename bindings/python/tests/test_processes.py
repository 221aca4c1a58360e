"""Forked processes and subinterpreters: what cannot work says so, and nothing hangs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PATIENCE = 60

FORKED_BEFORE = """
import os
from toolmesh import Node

child = os.fork()
with Node() as node, node.serve_tool("same", lambda arguments: arguments):
    assert node.call_tool("same", {"a": 1}) == {"a": 1}
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("both did")
"""

FORKED_AFTER = """
import asyncio, os
from toolmesh import Node, errors

with Node() as node, node.serve_tool("same", lambda arguments: arguments), node.serve_mcp() as server:
    node.call_tool("same")
    stream = node.call_tool_streaming("same")
    tried = {
        "a call": lambda: node.call_tool("same"),
        "a call of asyncio": lambda: asyncio.run(node.call_tool_async("same")),
        "a stream": lambda: next(stream),
        "a list": node.list_tools,
        "hosts": lambda: node.hosts("same"),
        "a watch": node.watch_tools,
        "a tool": lambda: node.serve_tool("more", print),
        "a server": node.serve_mcp,
        "a node": Node,
    }
    child = os.fork()
    if not child:
        for name, use in tried.items():
            try:
                print(name, use())
            except errors.SystemFault as error:
                assert "forked" in str(error)
    else:
        assert os.waitpid(child, 0)[1] == 0
        assert node.call_tool("same", {"a": 1}) == {"a": 1}
        print("the parent goes on")
"""

SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
one = interpreters.create()
interpreters.run_string(one, f'''
import sys
sys.path[:] = {sys.path!r}
try:
    import toolmesh
except ImportError as error:
    print("refused", "subinterpreters" in str(error), flush=True)
''')
interpreters.destroy(one)
from toolmesh import Node
with Node() as node, node.serve_tool("same", lambda arguments: arguments):
    print(node.call_tool("same"))
"""


def told(program: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@needs_fork
def test_a_process_that_is_forked_before_the_first_node_has_nodes_of_its_own() -> None:
    assert told(FORKED_BEFORE) == "both did\n"


@needs_fork
def test_a_process_that_is_forked_after_that_is_refused_at_once_and_ends() -> None:
    assert told(FORKED_AFTER) == "the parent goes on\n"


def test_a_subinterpreter_is_refused_and_the_main_one_works_on() -> None:
    assert told(SUBINTERPRETER) == "refused True\n{}\n"
