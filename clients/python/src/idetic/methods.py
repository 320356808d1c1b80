"""A route as a method of a client: the signature is the route's, the answer what the client makes of the call."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from .calls import Call, Paged

P = ParamSpec("P")
T = TypeVar("T")


class Waiting(Protocol):
    """A client that waits for its answers."""

    def send(self, call: Call[T]) -> T: ...
    def pages(self, question: Paged[T]) -> Iterator[T]: ...


class Awaited(Protocol):
    """A client whose answers are awaited."""

    async def send(self, call: Call[T]) -> T: ...
    def pages(self, question: Paged[T]) -> AsyncIterator[T]: ...


class Method(Generic[P, T]):
    """One call, waited for."""

    def __init__(self, route: Callable[P, Call[T]]) -> None:
        self.route = route
        self.__doc__ = route.__doc__

    def __get__(self, client: Waiting, _: Any = None) -> Callable[P, T]:
        return bound(self.route, lambda call: client.send(call))


class AsyncMethod(Generic[P, T]):
    """One call, awaited."""

    def __init__(self, route: Callable[P, Call[T]]) -> None:
        self.route = route
        self.__doc__ = route.__doc__

    def __get__(self, client: Awaited, _: Any = None) -> Callable[P, Coroutine[Any, Any, T]]:
        return bound(self.route, lambda call: client.send(call))


class Listing(Generic[P, T]):
    """Every answer of a list; pages are asked for as they are needed."""

    def __init__(self, route: Callable[P, Paged[T]]) -> None:
        self.route = route
        self.__doc__ = route.__doc__

    def __get__(self, client: Waiting, _: Any = None) -> Callable[P, Iterator[T]]:
        return bound(self.route, lambda question: client.pages(question))


class AsyncListing(Generic[P, T]):
    """Every answer of a list, awaited."""

    def __init__(self, route: Callable[P, Paged[T]]) -> None:
        self.route = route
        self.__doc__ = route.__doc__

    def __get__(self, client: Awaited, _: Any = None) -> Callable[P, AsyncIterator[T]]:
        return bound(self.route, lambda question: client.pages(question))


C = TypeVar("C")


def bound(route: Callable[P, C], carry_out: Callable[[C], T]) -> Callable[P, T]:
    """A route whose call is carried out at once."""

    @functools.wraps(route)
    def method(*args: P.args, **kwargs: P.kwargs) -> T:
        return carry_out(route(*args, **kwargs))

    return method
