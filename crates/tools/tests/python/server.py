"""A server made with the reference library, over standard input and output or, with `http`, on a port it prints."""

import socket
import sys
import time

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("test tools")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def echo(text: str) -> str:
    """Says the same."""
    return text


@server.tool()
def slow(seconds: float) -> str:
    """Takes its time."""
    time.sleep(seconds)
    return "done"


@server.tool()
def fail() -> str:
    """Always fails."""
    raise ToolError("this tool always fails")


@server.tool()
def big(n: int) -> str:
    """Says n letters."""
    return "x" * n


if sys.argv[1:2] == ["http"]:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = server.streamable_http_app(json_response="json" in sys.argv)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
else:
    server.run()
