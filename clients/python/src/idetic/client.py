"""The client that waits for its answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from types import TracebackType
from typing import Any, TypeVar, cast

import httpx

from . import routes
from .answers import Event
from .calls import Answer, Call, Paged, read_one
from .errors import IdeticError, Unavailable, error_of
from .operations import Operations
from .settings import RETRIES, TIMEOUT_SECONDS, Settings, unreachable
from .sse import Parser, Sent

T = TypeVar("T")


class Idetic(Operations):
    """A memory behind a server. Each route of the server is a method.

    The key is that of the environment variable IDETIC_KEY where none is given, the address that of IDETIC_URL.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        space: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES,
        http: httpx.Client | None = None,
    ) -> None:
        self._settings = Settings.of(url, key, space, retries)
        self._http = http or httpx.Client(timeout=timeout)

    def in_space(self, space: str) -> Idetic:
        """The same client for another space, named USER/COLLECTION."""
        settings = self._settings
        return Idetic(settings.url, key=settings.key, space=space, retries=settings.retries, http=self._http)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Idetic:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, call: Call[T]) -> T:
        """Carries out a call, again where that is safe and may help."""
        for attempt in count():
            retry_after = None
            try:
                response = self._http.request(**self._settings.request(call))
                if response.is_success:
                    return call.read(response.text)
                error = error_of(response.status_code, response.text)
                retry_after = response.headers.get("Retry-After")
            except httpx.TransportError as failure:
                error = unreachable(failure)
            pause = self._settings.pause(call, error, attempt, retry_after)
            if pause is None:
                raise error
            time.sleep(pause)
        raise AssertionError("counting does not end")

    def pages(self, question: Paged[T]) -> Iterator[T]:
        """Every answer of a list."""
        page = self.send(question.first)
        yield from page.items
        while page.next is not None:
            page = self.send(question.at(page.next))
            yield from page.items

    def stream(self, call: Call[Any]) -> Iterator[Answer]:
        """The answers of a call as they come: `client.stream(routes.ask("…"))`."""
        for sent in self._stream(call, None):
            if sent.name == "done":
                return
            yield read_one(sent.data)

    def follow(self, **filters: Any) -> Iterator[Event]:
        """The events of the log that match, and then each that comes; takes the filters of `log`. It has no end."""
        call, last, attempt = routes.log(**filters).first, None, 0
        while True:
            try:
                for sent in self._stream(call, last):
                    last, attempt = sent.id or last, 0
                    yield cast(Event, read_one(sent.data))
                # The server stops: perhaps it comes back.
                error: IdeticError = Unavailable("the stream ended")
            except IdeticError as failure:
                error = failure
            pause = self._settings.pause(call, error, attempt)
            if pause is None:
                raise error
            attempt += 1
            time.sleep(pause)

    def _stream(self, call: Call[Any], last: str | None) -> Iterator[Sent]:
        parser = Parser()
        try:
            with self._http.stream(**self._settings.stream(call, last)) as response:
                if not response.is_success:
                    raise error_of(response.status_code, response.read().decode(errors="replace"))
                for more in response.iter_bytes():
                    for sent in parser.feed(more):
                        if sent.name == "error":
                            raise error_of(response.status_code, sent.data)
                        # How far a long call is, is no answer.
                        if sent.name != "progress":
                            yield sent
        except httpx.TransportError as failure:
            raise unreachable(failure) from failure
