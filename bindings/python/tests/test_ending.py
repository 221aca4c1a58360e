"""Programs end when their work is done, whatever they left open, and Ctrl-C leaves no process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from toolmesh import Node, ToolListChangeAdded, ToolListChangeRemoved

# Long enough for a busy machine; a program that is not over by then hangs.
PATIENCE = 60

PRELUDE = '''
import asyncio, signal, sys, threading, time
from toolmesh import Node, errors

signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever runs the tests may have it ignored.

def nodes(engine, key=bytes([9]) * 32):
    host = Node(name="host", key=key, engine=engine)
    return host, Node(name="agent", key=key, engine=engine, connect=host.listens_at)

began = threading.Event()

def left(tool, handler):
    """Serves a tool, calls it on a thread of its own, and goes on when its handler runs."""
    def calls():
        try:
            host.call_tool(tool)
        except errors.ToolmeshError:
            pass
    host.serve_tool(tool, handler)
    threading.Thread(target=calls, daemon=True).start()
    began.wait()

def computes(_):
    began.set()
    while True:
        pass

async def computes_on_a_loop(_):
    computes(_)

def insists(_):
    began.set()
    while True:
        try:
            agent.call_tool("same")
        except errors.ToolmeshError:
            pass

def endless(_):
    while True:
        yield {"type": "delta", "data": 0}

host, agent = nodes(sys.argv[1])
host.serve_tool("same", lambda arguments: arguments)
host.serve_tool("waits", lambda _, context: context.wait_cancelled())
host.serve_tool("sleeps", lambda _: time.sleep(3600))
host.serve_tool_streaming("endless", endless)
with agent.watch_tools() as changes:
    while len(agent.list_tools()) < 4:
        next(changes)
'''

LEFT = {
    "closed everything": "print(agent.call_tool('same')); agent.close(); host.close()",
    "left a tool served": "agent.call_tool('same')",
    "left a watch open": "changes = agent.watch_tools(); host.serve_tool('more', lambda _: None); next(changes)",
    "left a watch waiting on a thread": "threading.Thread(target=lambda: next(agent.watch_tools(), None), daemon=True).start()",
    "left a stream half read": "next(agent.call_tool_streaming('endless'))",
    "left a stream that nobody read": "stream = agent.call_tool_streaming('endless')",
    "left an MCP server open": "server = agent.serve_mcp()",
    "left a handler that does not look whether its call is over": """
async def main():
    call = asyncio.create_task(agent.call_tool_async("sleeps"))
    await asyncio.sleep(0)
    call.cancel()
asyncio.run(main())""",
    "left a handler that computes": "left('computes', computes)",
    "left an async handler that computes": "left('computes', computes_on_a_loop)",
    "left a handler that goes on calling": "left('insists', insists)",
    "closed with a call under way": """
def waits():
    try:
        agent.call_tool("waits")
    except errors.ToolmeshError as error:
        print(error.kind)
waiting = threading.Thread(target=waits)
waiting.start()
agent.close()
host.close()
waiting.join()""",
    "ended a loop with a call under way": """
async def main():
    calls = [asyncio.create_task(agent.call_tool_async("waits")) for _ in range(10)]
    await asyncio.sleep(0)
asyncio.run(main())""",
}


@contextmanager
def program(text: str, engine: str = "memory") -> Iterator[subprocess.Popen[str]]:
    """A program that is ended when it does not end itself."""
    command = [sys.executable, "-c", PRELUDE + text, engine]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def ended(child: subprocess.Popen[str]) -> tuple[int, str]:
    """How it ended, and what it said of errors."""
    errors = child.communicate(timeout=PATIENCE)[1]
    return child.returncode, errors


@pytest.mark.parametrize("engine", ["memory", "zenoh"])
@pytest.mark.parametrize("left", LEFT)
def test_a_program_ends_by_itself_whatever_it_left_open(left: str, engine: str) -> None:
    with program(LEFT[left], engine) as child:
        assert ended(child) == (0, "")


def test_a_handler_that_computes_leaves_its_program_the_way_in_which_it_ends() -> None:
    with program("left('computes', computes); sys.exit(3)") as child:
        assert ended(child) == (3, "")


def test_sigterm_ends_a_program_that_serves_while_a_handler_computes() -> None:
    with program("left('computes', computes); print('serves', flush=True); host.until_closed()") as child:
        assert child.stdout is not None and child.stdout.readline() == "serves\n"
        child.send_signal(signal.SIGTERM)
        code, told = ended(child)
    assert (code, told) in ((0, ""), (-signal.SIGTERM, "")), "the signal may come before it is waited for"


@pytest.mark.parametrize("engine", ["memory", "zenoh"])
def test_an_error_that_nobody_catches_ends_its_program(engine: str) -> None:
    with program("raise RuntimeError('it is broken')", engine) as child:
        code, told = ended(child)
    assert code == 1 and "it is broken" in told


#: How programs say that they wait. One of asyncio says so when its loop is there: Ctrl-C while it is made is Python's own matter.
SAYS = "print('waits', flush=True)"

WAITS = {
    "a call": f"{SAYS}; agent.call_tool('waits')",
    "a stream": f"{SAYS}; list(agent.call_tool_streaming('endless'))",
    "a watch": f"{SAYS}; list(agent.watch_tools())",
    "a call of asyncio": f"""
async def main():
    {SAYS}
    await agent.call_tool_async('waits')
asyncio.run(main())""",
    "an event of its own": f"{SAYS}; threading.Event().wait()",
}


@pytest.mark.parametrize("waits", WAITS)
def test_ctrl_c_ends_what_is_waited_for_and_leaves_no_process(waits: str) -> None:
    with program(WAITS[waits]) as child:
        assert child.stdout is not None and child.stdout.readline() == "waits\n"
        child.send_signal(signal.SIGINT)
        code, told = ended(child)
    assert code == -signal.SIGINT and told.rstrip().endswith("KeyboardInterrupt")


def test_ctrl_c_ends_an_mcp_server_on_standard_input_and_output() -> None:
    command = [sys.executable, "-c", PRELUDE + "print('serves', flush=True); agent.serve_mcp_stdio()", "memory"]
    pipes = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipes, stdout=pipes, stderr=pipes, text=True) as child:
        try:
            assert child.stdout is not None and child.stdout.readline() == "serves\n"
            child.send_signal(signal.SIGINT)
            child.wait(PATIENCE)
        finally:
            child.kill()
        assert child.returncode in (0, -signal.SIGINT)


def test_ctrl_c_ends_a_program_that_serves_and_its_tools_are_gone_for_others() -> None:
    key = bytes([8]) * 32
    with Node(name="agent", key=key) as agent, agent.watch_tools() as changes:
        text = f"""
node = Node(key={key!r}, connect={agent.listens_at!r})
node.serve_tool("hello", lambda _: 1)
threading.Event().wait()"""
        with program(text) as child:
            assert isinstance(next(changes), ToolListChangeAdded)
            assert agent.call_tool("hello") == 1
            child.send_signal(signal.SIGINT)
            assert isinstance(next(changes), ToolListChangeRemoved)
            assert ended(child)[0] == -signal.SIGINT


def test_a_signal_closes_a_node_wherever_the_wait_for_the_end_stands() -> None:
    text = """
import os

def interrupts(frame, event, _):
    # What waits with a lock of Python's holds it here.
    if event == "line" and isinstance(frame.f_locals.get("self"), threading.Condition) and frame.f_code.co_name == "wait":
        sys.settrace(None)
        os.kill(os.getpid(), signal.SIGTERM)
    return interrupts

def ends():
    while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        time.sleep(0)
    os.kill(os.getpid(), signal.SIGTERM)

others = [threading.Thread(target=host.until_closed) for _ in range(2)]
for one in (*others, threading.Thread(target=ends)):
    one.start()
sys.settrace(interrupts)
host.until_closed()
sys.settrace(None)
for one in others:
    one.join()
host.until_closed()
"""
    with program(text) as child:
        assert ended(child) == (0, "")
