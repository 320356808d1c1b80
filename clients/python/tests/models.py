"""A language model and an embedding model, as an OpenAI-compatible server would have them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "Thought: I know it.\nFinal Answer: Ann lives in Brno."
UNSPEAKABLE = "unspeakable"
"""A model refuses what says this."""


class Models(BaseHTTPRequestHandler):
    """Says the same to everybody, and finds everything alike."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if UNSPEAKABLE in json.dumps(asked):
            return self._answer(400, {"error": {"message": "no"}})
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if self.path.endswith("/embeddings"):
            vectors = [{"index": at, "embedding": [1.0, 0.0]} for at, _ in enumerate(asked["input"])]
            return self._answer(200, {"model": "alike", "data": vectors, "usage": usage})
        choice = {"index": 0, "message": {"role": "assistant", "content": SAID}, "finish_reason": "stop"}
        return self._answer(200, {"model": "scripted", "choices": [choice], "usage": usage})

    def _answer(self, status: int, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def started() -> Iterator[str]:
    """The base address of both models."""
    models = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=models.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{models.server_port}/v1"
    models.shutdown()
