"""LangGraph's store over Idetic: `graph = builder.compile(store=IdeticStore(Idetic()))`.

Every put and delete is an event, so that any past state can be asked for; `search` with a query recalls by words and by
meaning, and the server ranks what is in the namespace and nothing else. Names are those of LangGraph; a namespace with
its key is at most 1000 bytes long, a value 1 MiB as JSON.
"""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import takewhile
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)
from langgraph.store.base.embed import get_text_at_path

from .client import Idetic
from .documents import METADATA_BYTES, METADATA_DEPTH, Document, Documents, depth, moment

Namespace = tuple[str, ...]

KIND = "langgraph"
RECALLED = 1000
# A read prolongs what would last less than this part of its time.
RENEWED_BELOW = 0.9
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class IdeticStore(BaseStore):
    """A store whose items are events of a space. Several with different names may share a space."""

    __slots__ = ("_client", "_documents", "_fields", "ttl_config")
    supports_ttl = True

    def __init__(
        self,
        client: Idetic,
        name: str = "langgraph",
        *,
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        """`fields` are the paths of what is searched in values [default: all]; `put(…, index=[…])` says it for one."""
        self._client = client
        self._documents = Documents(client, KIND, name)
        self._fields = fields
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        # Reads see what was there before the writes of their batch; of several writes of an item the last counts.
        results: list[Result] = []
        puts: dict[str, PutOp] = {}
        read: dict[str, Document] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[item_name(op.namespace, op.key)] = op
            result, documents = self._read(op)
            results.append(result)
            read |= {document.name: document for document in documents}
        standing = self._standing(list(puts.values()))
        versions = [self._version(name, op, standing.get(name)) for name, op in puts.items()]
        versions += [self._renewed(document) for name, document in read.items() if name not in puts]
        self._documents.append(versions)
        return results

    def sweep_ttl(self) -> int:
        """Deletes what has expired; it is not read any more before that. Says how many items that were."""
        now = datetime.now(timezone.utc)
        gone = [document for document in self._documents.all().values() if is_expired(document, now)]
        self._documents.append([self._again(document, None, {}) for document in gone])
        return len(gone)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> tuple[Result, list[Document]]:
        """What is read, and what of it lasts longer because it was."""
        match op:
            case PutOp():
                return None, []
            case GetOp():
                found = self._documents.get(item_name(op.namespace, op.key))
                if found is None or not is_living(found):
                    return None, []
                return item(found), ageing([found]) if op.refresh_ttl else []
            case SearchOp():
                ranked = self._search(op)
                result: Result = [search_item(document, score) for document, score in ranked]
                return result, ageing([document for document, _ in ranked]) if op.refresh_ttl else []
            case ListNamespacesOp():
                return list_namespaces(op, (item(document).namespace for document in self._living(()))), []
        raise ValueError(f"unknown operation: {op!r}")

    def _standing(self, puts: list[PutOp]) -> dict[str, Document]:
        """What stands where something is put, and perhaps more."""
        if len(puts) < 2:
            found = [self._documents.get(item_name(op.namespace, op.key)) for op in puts]
            return {document.name: document for document in found if document is not None}
        return self._within(shared_prefix([op.namespace for op in puts]))

    def _version(self, name: str, op: PutOp, base: Document | None) -> dict[str, Any]:
        prefixes = [op.namespace[: length + 1] for length in range(len(op.namespace))]
        about: dict[str, Any] = {"namespace": list(op.namespace), "key": op.key, "indexed": op.index is not False}
        if op.ttl is not None:
            about |= lasting(op.ttl)
        text = None if op.value is None else json.dumps(dict(op.value), ensure_ascii=False)
        paths = self._fields if op.index is None else op.index
        if text is not None and paths is not None:
            # What is searched is the content; the value stands beside it, if it fits there.
            searched = [part for path in paths or () for part in get_text_at_path(op.value, path)]
            if len(text.encode()) <= METADATA_BYTES and depth(op.value) <= METADATA_DEPTH:
                about["value"], text = dict(op.value or {}), "\n".join(searched)
        tags = [namespace_name(prefix) for prefix in prefixes]
        return self._documents.version(name, text, base, tags=tags, metadata=about)

    def _renewed(self, document: Document) -> dict[str, Any]:
        return self._again(document, document.text, lasting(document.metadata["ttl"]))

    def _again(self, document: Document, text: str | None, change: Mapping[str, Any]) -> dict[str, Any]:
        """The next version of an item: the same but for its text or its time."""
        kept = {key: own for key, own in document.metadata.items() if key not in ("supersedes", "created")}
        own = tuple(document.metadata["namespace"])
        tags = [namespace_name(own[: length + 1]) for length in range(len(own))]
        return self._documents.version(document.name, text, document, tags=tags, metadata={**kept, **change})

    def _living(self, prefix: Namespace) -> list[Document]:
        return [document for document in self._within(prefix).values() if is_living(document)]

    def _within(self, prefix: Namespace) -> dict[str, Document]:
        return self._documents.all(namespace_name(prefix) if prefix else None)

    def _search(self, op: SearchOp) -> list[tuple[Document, float | None]]:
        """The items that match, the best first; those that were not recalled follow in their own order."""
        wanted, end = dict(op.filter or {}), op.offset + op.limit
        hits: list[tuple[Document, float]] = []
        if op.query:
            found = self._hits(op.query, op.namespace_prefix, RECALLED if wanted else min(end, RECALLED))
            hits = [(document, score) for document, score in found if matches(item(document).value, wanted)]
            if len(hits) >= end:
                return list(hits[op.offset : end])
        scores: dict[str | None, float] = {}
        for document, score in hits:
            # What is said twice is recalled once.
            scores |= {document.event: score, document.text: score}
        ranked: list[tuple[Document, float | None]] = [
            (own, scores.get(own.event, scores.get(own.text)) if own.metadata["indexed"] else None)
            for own in self._living(op.namespace_prefix)
            if matches(item(own).value, wanted)
        ]
        ranked.sort(key=lambda pair: rank(pair[1]))
        return ranked[op.offset : end]

    def _hits(self, query: str, prefix: Namespace, most: int) -> list[tuple[Document, float]]:
        """The items of a namespace that answer a question, ranked by the server among themselves."""
        now = datetime.now(timezone.utc).isoformat()
        within: dict[str, Any] = {"source": self._documents.source, "metadata.indexed": True}
        within["or"] = [{"metadata.expires": None}, {"metadata.expires": {"gt": now}}]
        if prefix:
            within["tags"] = namespace_name(prefix)
        hits = self._client.recall(query=query, kind=self._documents.written, filter=within, limit=max(most, 1))["hits"]
        return [(of_hit(hit), hit["score"]) for hit in hits]


def of_hit(hit: Mapping[str, Any]) -> Document:
    """The document that was recalled."""
    about, at = hit["metadata"], moment(hit["ts"])
    created = moment(about["created"]) if "created" in about else at
    return Document(about["name"], hit["text"], about, hit["id"], created, at)


def lasting(minutes: float) -> dict[str, Any]:
    """How long an item lasts, from now on."""
    return {"ttl": minutes, "expires": (datetime.now(timezone.utc) + timedelta(minutes=minutes)).isoformat()}


def is_expired(document: Document, now: datetime) -> bool:
    expires = document.metadata.get("expires")
    return document.text is not None and expires is not None and moment(expires) <= now


def is_living(document: Document) -> bool:
    """Whether it was neither deleted nor has expired."""
    return document.text is not None and not is_expired(document, datetime.now(timezone.utc))


def ageing(documents: Iterable[Document]) -> list[Document]:
    """Those that a read prolongs."""
    now = datetime.now(timezone.utc)

    def left(about: Mapping[str, Any]) -> float:
        return (moment(about["expires"]) - now).total_seconds() / 60 / float(about["ttl"])

    return [own for own in documents if "ttl" in own.metadata and left(own.metadata) < RENEWED_BELOW]


def rank(score: float | None) -> tuple[bool, float]:
    """Sorts the best first and what has no score last."""
    return (True, 0.0) if score is None else (False, -score)


def shared_prefix(namespaces: list[Namespace]) -> Namespace:
    """What all of them begin with."""
    first, last = min(namespaces), max(namespaces)
    return tuple(label for label, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))


def item_name(namespace: Namespace, key: str) -> str:
    return "item " + json.dumps([*namespace, key], ensure_ascii=False)


def namespace_name(namespace: Namespace) -> str:
    return "within " + json.dumps(namespace, ensure_ascii=False)


def item(document: Document) -> Item:
    """The item that a document holds."""
    about = document.metadata
    return Item(
        namespace=tuple(about["namespace"]),
        key=about["key"],
        value=about["value"] if "value" in about else json.loads(document.text or "{}"),
        created_at=document.created,
        updated_at=document.updated,
    )


def search_item(document: Document, score: float | None) -> SearchItem:
    own = item(document)
    return SearchItem(
        namespace=own.namespace,
        key=own.key,
        value=own.value,
        created_at=own.created_at,
        updated_at=own.updated_at,
        score=score,
    )


def matches(own: Any, wanted: Any) -> bool:
    """Whether a value is what a filter asks for: equal, or within its operators, also inside."""
    if isinstance(wanted, Mapping):
        if any(key.startswith("$") for key in wanted):
            return all(compare(own, word, value) for word, value in wanted.items())
        return isinstance(own, Mapping) and all(matches(own.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, (list, tuple)):
        is_list = isinstance(own, list) and len(own) == len(wanted)
        return is_list and all(matches(mine, theirs) for mine, theirs in zip(own, wanted, strict=True))
    return bool(own == wanted)


def compare(own: Any, word: str, wanted: Any) -> bool:
    if word == "$eq":
        return bool(own == wanted)
    if word == "$ne":
        return bool(own != wanted)
    if word not in COMPARISONS:
        raise ValueError(f"unknown operator: {word}")
    try:
        return COMPARISONS[word](float(own), float(wanted))
    except (TypeError, ValueError):
        # What is no number is neither more nor less.
        return False


def list_namespaces(op: ListNamespacesOp, namespaces: Iterable[Namespace]) -> list[Namespace]:
    """The namespaces that match, cut to the depth that is wanted."""
    fitting = (own for own in namespaces if all(fits(own, condition) for condition in op.match_conditions or ()))
    return sorted({own[: op.max_depth] for own in fitting})[op.offset : op.offset + op.limit]


def fits(namespace: Namespace, condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends as a condition wants it."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", own) for own, wanted in zip(part, path, strict=True))
