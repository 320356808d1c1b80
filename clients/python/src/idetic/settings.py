"""Where the server is, who asks and how patiently: what both clients share, without a connection."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import Any

import httpx

from .calls import Call
from .errors import Conflict, IdeticError, TooMany, Unavailable

URL = "http://127.0.0.1:4747"
TIMEOUT_SECONDS = 60.0
# A stream says something at least every 15 seconds.
SILENCE_SECONDS = 45.0
RETRIES = 3
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 10.0


@dataclass(frozen=True)
class Settings:
    """How a client asks."""

    url: str
    key: str | None
    space: str | None
    retries: int

    @classmethod
    def of(cls, url: str | None, key: str | None, space: str | None, retries: int) -> Settings:
        """What was said, and for the rest what the environment says."""
        url = url or os.environ.get("IDETIC_URL") or URL
        return cls(url.rstrip("/"), key or os.environ.get("IDETIC_KEY"), space, retries)

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """A call, as httpx wants it."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if self.space is not None:
            headers["Idetic-Space"] = self.space
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        asked: dict[str, Any] = {"method": call.method, "url": self.url + call.path, "headers": headers}
        if call.query:
            asked["params"] = dict(call.query)
        if call.method == "POST":
            asked["json"] = dict(call.arguments)
        return asked

    def stream(self, call: Call[Any], last: str | None) -> dict[str, Any]:
        """A call whose answers come one by one."""
        asked = self.request(call)
        asked["headers"]["Accept"] = "text/event-stream"
        if last is not None:
            asked["headers"]["Last-Event-ID"] = last
        return asked | {"timeout": httpx.Timeout(TIMEOUT_SECONDS, read=SILENCE_SECONDS)}

    def pause(self, call: Call[Any], error: IdeticError, attempt: int, retry_after: str | None = None) -> float | None:
        """How many seconds to wait before a call is sent again; None where that would not help.

        Writes have a name, so that they are carried out once however often they are sent.
        """
        if not call.is_repeatable:
            return None
        # Sent again before the first was answered: the answer is on its way.
        is_begun = isinstance(error, Conflict) and attempt > 0 and "Idempotency-Key" in error.message
        if attempt >= self.retries or not (is_begun or isinstance(error, (TooMany, Unavailable))):
            return None
        if retry_after is not None and retry_after.isdigit():
            return min(float(retry_after), LONGEST_PAUSE_SECONDS)
        longest: float = min(FIRST_PAUSE_SECONDS * 2**attempt, LONGEST_PAUSE_SECONDS)
        return longest * random.uniform(0.5, 1.0)


def unreachable(error: httpx.TransportError) -> Unavailable:
    """No answer came."""
    return Unavailable(f"no answer from the server: {error!r}", hint="is `idetic serve` running there?")
