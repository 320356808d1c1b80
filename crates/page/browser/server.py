"""Starts the real server, and puts other files of the page before it where some are given."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BINARY = os.environ["IDETIC_BINARY"]
ASSETS = os.environ["IDETIC_ASSETS"]
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
LIB = Path(__file__).resolve().parents[1] / "src" / "files.rs"


class Server:
    """A home that is served."""

    def __init__(self, home: Path, api: str, page: str, pid: int) -> None:
        self.home, self.api, self.page, self.pid = home, api, page, pid

    def call(self, operation: str, space: str | None = None, **arguments: Any) -> Any:
        """Calls an operation over HTTP."""
        headers = {"Content-Type": "application/json"} | ({"Idetic-Space": space} if space else {})
        request = urllib.request.Request(f"{self.api}/v1/{operation}", json.dumps(arguments).encode(), headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{operation}: {error.read().decode()}") from error

    def cpu_ms(self) -> float:
        """The time that processors have worked for the server."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run(self, *arguments: str, given: str | None = None, folder: Path | None = None) -> str:
        """Runs the program on the same home."""
        environment = os.environ | {"IDETIC_HOME": str(self.home)}
        done = subprocess.run([BINARY, *arguments], input=given, capture_output=True, text=True, env=environment, cwd=folder, check=False)
        return done.stdout


@contextlib.contextmanager
def served(home: Path, *, is_open: bool = True) -> Iterator[Server]:
    """Serves a home, which is made if it is not there."""
    environment = os.environ | {"IDETIC_HOME": str(home)}
    if not home.exists():
        subprocess.run([BINARY, "init", str(home)], check=True, capture_output=True)
    port = free_port()
    command = [BINARY, "serve", *(["--open"] if is_open else []), "--listen", f"127.0.0.1:{port}", "--log", "off"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    api = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{api}/health")
        with proxied(port, Path(ASSETS)) if ASSETS else contextlib.nullcontext(api) as page:
            yield Server(home, api, page, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), urllib.request.urlopen(address):
            return
        time.sleep(0.05)
    raise AssertionError(f"{address} does not answer")


def policy() -> str:
    """The Content-Security-Policy as the crate says it."""
    found = re.search(r'CONTENT_SECURITY_POLICY: &str = "(.*?)";', LIB.read_text(), re.DOTALL)
    assert found
    return re.sub(r"\\\n\s*", "", found.group(1))


@contextlib.contextmanager
def proxied(port: int, assets: Path) -> Iterator[str]:
    """The assets under `/` and `/page/`, everything else from the server."""
    rules = policy()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:  # noqa: N802
            path = self.path.split("?")[0]
            if path == "/" or path.startswith("/page/"):
                self.asset("index.html" if path == "/" else Path(path).name)
            else:
                self.forward()

        def do_POST(self) -> None:  # noqa: N802
            self.forward()

        def asset(self, name: str) -> None:
            file = assets / name
            content = file.read_bytes() if file.exists() else b""
            self.send_response(200 if file.exists() else 404)
            self.send_header("Content-Type", f"{TYPES.get(file.suffix, 'text/plain')}; charset=utf-8")
            self.send_header("Content-Security-Policy", rules)
            self.send_header("Content-Length", str(len(content)))
            with contextlib.suppress(OSError):
                self.end_headers()
                self.wfile.write(content)

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            dropped = {"host", "origin", "connection", "accept-encoding", "referer"}
            headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
            self.close_connection = True
            with contextlib.suppress(OSError):
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
                self.send_header("Connection", "close")
                self.end_headers()
                while piece := answer.read1(65536):
                    self.wfile.write(piece)
                    self.wfile.flush()
            connection.close()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads = True
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listener.server_address[1]}"
        listener.shutdown()
