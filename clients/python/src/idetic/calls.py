"""A call as data: what is sent and how the answer is read, whether the client waits for it or not."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
Answer = dict[str, Any]
"""An answer whose type is not known, as of a stream; idetic.answers has the others."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request."""

    path: str
    arguments: Mapping[str, Any]
    read: Callable[[str], T]
    method: str = "POST"
    query: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    is_repeatable: bool = True
    """Whether sending it again does no harm."""


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some answers, and where the next page begins."""

    items: list[T]
    next: str | None


@dataclass(frozen=True)
class Paged(Generic[T]):
    """A list that is answered page by page."""

    first: Call[Page[T]]

    def at(self, cursor: str) -> Call[Page[T]]:
        """The page that begins at a cursor."""
        return replace(self.first, query={**self.first.query, "cursor": cursor})


def one(path: str, arguments: Mapping[str, Any]) -> Call[Any]:
    """A question with one answer."""
    return Call(path, given(arguments), read_one)


def once(path: str, arguments: Mapping[str, Any]) -> Call[Any]:
    """A call that may do something and has no name: it is not sent again."""
    return Call(path, given(arguments), read_one, is_repeatable=False)


def once_many(path: str, arguments: Mapping[str, Any]) -> Call[list[Any]]:
    """The same with many answers."""
    return Call(path, given(arguments), read_items, is_repeatable=False)


def paged(path: str, arguments: Mapping[str, Any], page_size: int | None) -> Paged[Any]:
    """A question with many answers."""
    query = {} if page_size is None else {"page_size": str(page_size)}
    return Paged(Call(path, given(arguments), read_page, query=query))


def write(path: str, arguments: Mapping[str, Any], key: str | None) -> Call[Any]:
    """A change with one answer. It has a name, so that it may be sent again and is carried out once."""
    return Call(path, given(arguments), read_one, idempotency_key=key or str(uuid.uuid4()))


def write_many(path: str, arguments: Mapping[str, Any], key: str | None) -> Call[list[Any]]:
    """A change with many answers."""
    return Call(path, given(arguments), read_items, idempotency_key=key or str(uuid.uuid4()))


def text(path: str) -> Call[str]:
    """A page of text."""
    return Call(path, {}, str, method="GET")


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those that were left out."""
    return {name: value for name, value in arguments.items() if value is not None}


def read_one(body: str) -> Answer:
    return cast(Answer, json.loads(body))


def read_page(body: str) -> Page[Any]:
    said = json.loads(body)
    return Page(said["items"], said.get("next"))


def read_items(body: str) -> list[Any]:
    return read_page(body).items
