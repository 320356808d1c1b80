"""Servers that misbehave, each in one way. Needs nothing but Python."""

import json
import os
import signal
import sys

mode = sys.argv[1]
lists = 0


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}}


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def tools(cursor):
    global lists
    lists += 1
    if mode == "pages":
        page = int(cursor or 0)
        rest = {"nextCursor": str(page + 1)} if page < 2 else {}
        return {"tools": [tool(f"tool{page}")], **rest}
    if mode == "endless":
        return {"tools": [], "nextCursor": "again"}
    if mode == "many":
        return {"tools": [tool(f"tool{n}") for n in range(50)]}
    return {"tools": [tool(f"tool{lists}")]}


def call(params):
    match params["name"]:
        case "who":
            return text(json.dumps(greeting))
        case "environment":
            return text(json.dumps(dict(os.environ)))
        case "folder":
            return text(os.getcwd())
        case "die":
            print(f"cannot go on with {os.environ.get('TOKEN')}", file=sys.stderr, flush=True)
            os._exit(3)
        case "huge":
            return text("x" * 1_000_000)
        case "shapeless":
            return {"content": "no list"}
        case name:
            return text(name)


if mode == "dead":
    sys.exit("no configuration")
if mode == "garbage":
    print("welcome\nto my server", flush=True)
if mode == "noisy":
    print("welcome\n{not json}\n[]", flush=True)
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

greeting = None
for line in sys.stdin:
    message = json.loads(line)
    method, params, id = message.get("method"), message.get("params") or {}, message.get("id")
    if id is None or mode in ("silent", "garbage"):
        continue
    if method == "initialize":
        if mode == "modern":
            say({"id": id, "error": {"code": -32601, "message": "initialize is not known any more"}})
            continue
        if mode == "refusing":
            say({"id": id, "error": {"code": -32600, "message": "go away"}})
            continue
        greeting = params
        info = {"name": "odd", "version": "1"}
        version = params["protocolVersion"]
        say({"id": id, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "server/discover" and mode == "modern":
        greeting = params
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
        say({"id": id, "result": {**result, "ttlMs": 0, "cacheScope": "private"}})
    elif method == "tools/list":
        say({"id": id, "result": tools(params.get("cursor"))})
    elif method == "tools/call" and params["name"] != "never":
        say({"id": id, "result": call(params)})
    elif method != "tools/call":
        say({"id": id, "error": {"code": -32601, "message": "not known"}})
if mode == "stubborn":
    signal.pause()
