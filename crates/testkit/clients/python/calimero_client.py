"""Drives a Calimero node with the `calimero-client-py` client from PyPI.

The one argument is a JSON object:

    {"url": "http://127.0.0.1:2528",
     "steps": [{"ask": "list_contexts", "arguments": ["..."]},                  a method of its AdminClient
               {"context": "...", "method": "set", "arguments": {"key": "k"}}]}  a call through its JsonRpcClient

One JSON array goes to stdout: what each step came to. An AdminClient step is what the client gives back
({"success", "data"} or {"success", "error"}); a call is {"result"} or {"error": "what the client raised"}.

The client is of the time when nodes had a second JSON-RPC route for development, "/jsonrpc/dev". Nodes have one
route now, so the constant that names it is set to that.
"""

import asyncio
import json
import sys

from calimero import AdminClient, Ed25519Keypair, JsonRpcClient, JsonRpcError


class NodeClient(JsonRpcClient):
    JSONRPC_PATH = "/jsonrpc"


async def step(url, step):
    if "ask" in step:
        return await getattr(AdminClient(url), step["ask"])(*step.get("arguments", []))
    client = NodeClient(url, Ed25519Keypair.generate(), step["context"], "unused by nodes of today")
    try:
        answer = await client.execute(step["method"], step.get("arguments"))
    except JsonRpcError as error:
        return {"error": str(error)}
    return {"result": answer["result"]}


async def main(plan):
    return [await step(plan["url"], one) for one in plan["steps"]]


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
