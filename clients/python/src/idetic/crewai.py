"""CrewAI's memory over Idetic: `Memory(storage=IdeticStorage(Idetic()), embedder=text_as_vector)`.

CrewAI hands its storage a vector and no words; with `text_as_vector` the vector is the text itself, and the server
ranks by words and by meaning, without a model of CrewAI's. What is updated or deleted is recalled no more and stays in
the log.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from crewai.memory.types import MemoryRecord, ScopeInfo

from .client import Idetic
from .documents import Document, Documents

KIND = "crewai"
# A vector begins with so many numbers that are alike for equal texts only: CrewAI takes vectors that are alike for
# the same memory.
HEAD, HEAD_SIZE = 64, 1e7
# The score that is half of the best there could be.
HALF_SCORE = 3.0
RECALLED_MAX = 1000


def text_as_vector(texts: Sequence[str]) -> list[list[float]]:
    """The embedder: a vector that is the text, letter by letter."""
    return [[*head(text), *(float(ord(letter)) for letter in text)] for text in texts]


def head(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [HEAD_SIZE if digest[place // 8] >> place % 8 & 1 else -HEAD_SIZE for place in range(HEAD)]


def text_of(vector: Sequence[float]) -> str:
    letters = "".join(chr(int(number)) for number in vector[HEAD:] if 0 <= number < 0x110000)
    if len(vector) <= HEAD or list(vector[:HEAD]) != head(letters):
        raise ValueError("this is no vector of Idetic's: use Memory(storage=IdeticStorage(…), embedder=text_as_vector)")
    return letters


class IdeticStorage:
    """The records of a space. Several storages with different names may share it."""

    def __init__(self, client: Idetic, name: str = KIND) -> None:
        self._client = client
        self._documents = Documents(client, KIND, name)

    def save(self, records: list[MemoryRecord]) -> None:
        standing = {own.id: self._documents.get(own.id) for own in records}
        self._documents.append([self._version(own, standing[own.id]) for own in records])

    def update(self, record: MemoryRecord) -> None:
        self.save([record])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        wanted: list[dict[str, Any]] = [{"source": self._documents.source}]
        if path(scope_prefix):
            wanted.append({"tags": scope_tag(path(scope_prefix))})
        if categories:
            wanted.append({"tags": {"in": [category_tag(own) for own in categories]}})
        wanted += [{f"metadata.record.metadata.{key}": value} for key, value in (metadata_filter or {}).items()]
        most, kind = min(max(limit, 1), RECALLED_MAX), self._documents.written
        asked = text_of(query_embedding)
        hits = self._client.recall(query=asked, kind=kind, filter={"and": wanted}, limit=most)["hits"]
        found = [(read(hit["metadata"] or {}, hit["text"]), similarity(hit["score"])) for hit in hits]
        return [(record, score) for record, score in found if score >= min_score]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        def is_meant(record: MemoryRecord) -> bool:
            return (
                (record_ids is None or record.id in record_ids)
                and (not categories or bool(set(categories) & set(record.categories)))
                and (older_than is None or as_utc(record.created_at) < as_utc(older_than))
                and all(record.metadata.get(key) == value for key, value in (metadata_filter or {}).items())
            )

        gone = [own for own in self._living(scope_prefix) if is_meant(record_of(own))]
        self._documents.append([self._documents.version(own.name, None, own, tags=tags_of(own)) for own in gone])
        return len(gone)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        found = self._documents.get(record_id)
        return None if found is None or found.text is None else record_of(found)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        records = self._all(scope_prefix)
        records.sort(key=lambda record: as_utc(record.created_at), reverse=True)
        return records[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = self._all(scope)
        times = sorted((record.created_at for record in records), key=as_utc)
        return ScopeInfo(
            path=scope or "/",
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=children(scope, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        return children(parent, self._all(parent))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(category for record in self._all(scope_prefix) for category in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._living(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], *args: Any, **more: Any) -> list[tuple[MemoryRecord, float]]:
        return await asyncio.to_thread(self.search, query_embedding, *args, **more)

    async def adelete(self, *args: Any, **more: Any) -> int:
        return await asyncio.to_thread(self.delete, *args, **more)

    def _version(self, record: MemoryRecord, base: Document | None) -> dict[str, Any]:
        about = record.model_dump(mode="json", exclude={"content", "embedding"})
        tags = [scope_tag(own) for own in prefixes(record.scope)] + [category_tag(own) for own in record.categories]
        return self._documents.version(record.id, record.content, base, tags=tags, metadata={"record": about})

    def _living(self, scope: str | None) -> list[Document]:
        found = self._documents.all(scope_tag(path(scope)) if path(scope) else None)
        return [own for own in found.values() if own.text is not None]

    def _all(self, scope: str | None) -> list[MemoryRecord]:
        return [record_of(own) for own in self._living(scope)]


def record_of(document: Document) -> MemoryRecord:
    return read(document.metadata, document.text or "")


def read(metadata: Mapping[str, Any], text: str) -> MemoryRecord:
    return MemoryRecord(content=text, **metadata["record"])


def tags_of(document: Document) -> list[str]:
    return [scope_tag(own) for own in prefixes(document.metadata["record"]["scope"])]


def similarity(score: float) -> float:
    """A score as CrewAI expects it, from 0 to 1."""
    return max(score, 0.0) / (max(score, 0.0) + HALF_SCORE)


def path(scope: str | None) -> str:
    """A scope without what may stand around it; the root is empty."""
    return "/".join(part for part in (scope or "").split("/") if part)


def prefixes(scope: str) -> list[str]:
    parts = path(scope).split("/") if path(scope) else []
    return ["/".join(parts[: length + 1]) for length in range(len(parts))]


def scope_tag(own: str) -> str:
    return f"scope /{own}"


def category_tag(category: str) -> str:
    return f"category {category}"


def children(parent: str, records: Iterable[MemoryRecord]) -> list[str]:
    """The scopes right below one."""
    depth = len(prefixes(parent))
    below = (prefixes(record.scope) for record in records)
    return sorted({f"/{own[depth]}" for own in below if len(own) > depth})


def as_utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)
