"""The client whose answers are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from types import TracebackType
from typing import Any, TypeVar, cast

import httpx

from . import routes
from .answers import Event
from .calls import Answer, Call, Paged, read_one
from .errors import IdeticError, Unavailable, error_of
from .operations import AsyncOperations
from .settings import RETRIES, TIMEOUT_SECONDS, Settings, unreachable
from .sse import Parser, Sent

T = TypeVar("T")


class AsyncIdetic(AsyncOperations):
    """A memory behind a server. Each route of the server is a method, to be awaited or, where it lists, iterated over.

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
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = Settings.of(url, key, space, retries)
        self._http = http or httpx.AsyncClient(timeout=timeout)

    def in_space(self, space: str) -> AsyncIdetic:
        """The same client for another space, named USER/COLLECTION."""
        settings = self._settings
        return AsyncIdetic(settings.url, key=settings.key, space=space, retries=settings.retries, http=self._http)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncIdetic:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def send(self, call: Call[T]) -> T:
        """Carries out a call, again where that is safe and may help."""
        for attempt in count():
            retry_after = None
            try:
                response = await self._http.request(**self._settings.request(call))
                if response.is_success:
                    return call.read(response.text)
                error = error_of(response.status_code, response.text)
                retry_after = response.headers.get("Retry-After")
            except httpx.TransportError as failure:
                error = unreachable(failure)
            pause = self._settings.pause(call, error, attempt, retry_after)
            if pause is None:
                raise error
            await asyncio.sleep(pause)
        raise AssertionError("counting does not end")

    async def pages(self, question: Paged[T]) -> AsyncIterator[T]:
        """Every answer of a list."""
        page = await self.send(question.first)
        for item in page.items:
            yield item
        while page.next is not None:
            page = await self.send(question.at(page.next))
            for item in page.items:
                yield item

    async def stream(self, call: Call[Any]) -> AsyncIterator[Answer]:
        """The answers of a call as they come: `client.stream(routes.ask("…"))`."""
        async for sent in self._stream(call, None):
            if sent.name == "done":
                return
            yield read_one(sent.data)

    async def follow(self, **filters: Any) -> AsyncIterator[Event]:
        """The events of the log that match, and then each that comes; takes the filters of `log`. It has no end."""
        call, last, attempt = routes.log(**filters).first, None, 0
        while True:
            try:
                async for sent in self._stream(call, last):
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
            await asyncio.sleep(pause)

    async def _stream(self, call: Call[Any], last: str | None) -> AsyncIterator[Sent]:
        parser = Parser()
        try:
            async with self._http.stream(**self._settings.stream(call, last)) as response:
                if not response.is_success:
                    raise error_of(response.status_code, (await response.aread()).decode(errors="replace"))
                async for more in response.aiter_bytes():
                    for sent in parser.feed(more):
                        if sent.name == "error":
                            raise error_of(response.status_code, sent.data)
                        # How far a long call is, is no answer.
                        if sent.name != "progress":
                            yield sent
        except httpx.TransportError as failure:
            raise unreachable(failure) from failure
