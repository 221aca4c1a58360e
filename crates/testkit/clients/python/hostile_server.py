"""A server on stdio that breaks the protocol in the way that its argument names, for tests of our client.

It uses nothing but the standard library, and every way of it ends by itself.
"""

import json
import sys
import time

way = sys.argv[1]
renamed = 0
waiting = []


def line(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def send(message):
    line(json.dumps({"jsonrpc": "2.0", **message}))


def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}}


def tools(cursor):
    if way == "hundred_thousand":
        first = int(cursor or 0)
        page = {"tools": [tool(f"tool_{number}") for number in range(first, first + 10_000)]}
        if first < 90_000:
            page["nextCursor"] = str(first + 10_000)
        return page
    if way == "too_many":
        return {"tools": [{}] * 100_001}
    if way == "huge_schema":
        deep = {}
        for _ in range(110):
            deep = {"if": deep}
        deep["type"] = "object"
        wide = {"type": "object", "properties": {f"p{number}": {} for number in range(200_000)}}
        return {"tools": [tool("one"), {"name": "deep", "inputSchema": deep}, {"name": "wide", "inputSchema": wide}]}
    if way == "renames":
        return {"tools": [tool(f"name_{renamed}")]}
    return {"tools": [tool("one"), tool("other")]}


def done(request, text="done"):
    send({"id": request["id"], "result": {"content": [{"type": "text", "text": text}]}})


def call(request):
    params = request["params"]
    if params["name"] == "other":
        done(request)
    elif way == "endless_line":
        # More than any message may have, and no end of the line.
        for _ in range(17):
            sys.stdout.write("x" * 1024 * 1024)
        sys.stdout.flush()
    elif way == "unasked":
        for id in [10**30, -1, "1", None, request["id"] + 1000]:
            send({"id": id, "result": {"content": []}})
        send({"method": "notifications/progress", "params": {"progressToken": 77, "progress": 1}})
        done(request)
    elif way == "twice":
        done(request, "first")
        done(request, "second")
    elif way == "progress_flood":
        token = params.get("_meta", {}).get("progressToken", 0)
        for step in range(50_000):
            send({"method": "notifications/progress", "params": {"progressToken": token, "progress": step, "message": "m"}})
        done(request)
    elif way == "question_flood":
        for number in range(2_000):
            send({"id": f"q{number}", "method": "roots/list"})
        send({"id": "ping", "method": "ping"})
        done(request)
    elif way == "after_cancel":
        waiting.append(request)
    elif way == "dies":
        sys.exit(3)
    elif way == "noise":
        for number in range(20_000):
            line(f"[info] line {number} of a log that has no business here")
        line("{\"jsonrpc\":")
        line("[]")
        line("null")
        line("{}")
        done(request)
    elif way == "bad_utf8":
        line(b'{"jsonrpc":"2.0","id":' + str(request["id"]).encode() + b',"result":{"content":[{"type":"text","text":"\xff\xfe"}]}}')
    elif way == "too_deep":
        text = '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":%s}}'
        line(text % (request["id"], '{"a":' * 300 + "1" + "}" * 300))
    else:
        done(request)


if way == "slow_start":
    time.sleep(1.0)
if way == "never_starts":
    time.sleep(30.0)

for text in sys.stdin:
    message = json.loads(text)
    method = message.get("method")
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}}
        server = {"name": "n" * 100_000 if way == "long_name" else "hostile", "version": "1"}
        send({"id": message["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": server}})
    elif method == "server/discover":
        send({"id": message["id"], "error": {"code": -32601, "message": "no"}})
    elif method == "tools/list":
        send({"id": message["id"], "result": tools(message["params"].get("cursor"))})
    elif method == "tools/call":
        if way == "renames":
            for _ in range(5_000):
                renamed += 1
                send({"method": "notifications/tools/list_changed"})
        call(message)
    elif method == "notifications/cancelled":
        for request in waiting:
            done(request, "too late")
        waiting = []
