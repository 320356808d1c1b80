"""LangGraph's store over Idetic: `graph = builder.compile(store=IdeticStore(Idetic()))`.

Every put and delete is an event, so that any past state can be asked for; `search` with a query recalls by words and by
meaning. Names are those of LangGraph; a namespace with its key is at most 1000 bytes long, a value 1 MiB as JSON.
"""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Mapping
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
)

from .client import Idetic
from .documents import Document, Documents

Namespace = tuple[str, ...]

KIND = "langgraph"
RECALLED = 1000
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class IdeticStore(BaseStore):
    """A store whose items are events of a space. Several with different names may share a space."""

    __slots__ = ("_client", "_documents")

    def __init__(self, client: Idetic, name: str = "langgraph") -> None:
        self._client = client
        self._documents = Documents(client, KIND, name)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        # Reads see what was there before the writes of their batch; of several writes of an item the last counts.
        results: list[Result] = []
        puts: dict[str, PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[item_name(op.namespace, op.key)] = op
            results.append(self._read(op))
        standing = self._standing(list(puts.values()))
        self._documents.append([self._version(name, op, standing.get(name)) for name, op in puts.items()])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case PutOp():
                return None
            case GetOp():
                found = self._documents.get(item_name(op.namespace, op.key))
                return None if found is None or found.text is None else item(found)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return list_namespaces(op, (item(document).namespace for document in self._living(())))
        raise ValueError(f"unknown operation: {op!r}")

    def _standing(self, puts: list[PutOp]) -> dict[str, Document]:
        """What stands where something is put, and perhaps more."""
        if len(puts) < 2:
            found = [self._documents.get(item_name(op.namespace, op.key)) for op in puts]
            return {document.name: document for document in found if document is not None}
        return self._within(shared_prefix([op.namespace for op in puts]))

    def _version(self, name: str, op: PutOp, base: Document | None) -> dict[str, Any]:
        prefixes = [op.namespace[: length + 1] for length in range(len(op.namespace))]
        return self._documents.version(
            name,
            None if op.value is None else json.dumps(dict(op.value), ensure_ascii=False),
            base,
            tags=[namespace_name(prefix) for prefix in prefixes],
            metadata={"namespace": list(op.namespace), "key": op.key, "indexed": op.index is not False},
        )

    def _living(self, prefix: Namespace) -> list[Document]:
        return [document for document in self._within(prefix).values() if document.text is not None]

    def _within(self, prefix: Namespace) -> dict[str, Document]:
        return self._documents.all(namespace_name(prefix) if prefix else None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = dict(op.filter or {})
        found = []
        for document in self._living(op.namespace_prefix):
            own = item(document)
            if matches(own.value, wanted):
                found.append((document, own))
        hits = self._hits(op.query) if op.query and found else {}
        # The best first; what was not recalled follows in its own order, without a score.
        indexed = [document for document, _ in found if document.metadata["indexed"]]
        scores = {document.event: hits.get(document.event, hits.get(document.text)) for document in indexed}
        found.sort(key=lambda pair: rank(scores.get(pair[0].event)))
        return [
            SearchItem(
                namespace=own.namespace,
                key=own.key,
                value=own.value,
                created_at=own.created_at,
                updated_at=own.updated_at,
                score=scores.get(document.event),
            )
            for document, own in found[op.offset : op.offset + op.limit]
        ]

    def _hits(self, query: str) -> dict[str | None, float]:
        """How well events answer a question, by their ids and by their texts: what is said twice is recalled once."""
        hits = self._client.recall(query=query, kind=self._documents.written, k=RECALLED)["hits"]
        return {key: hit["score"] for hit in hits for key in (hit["id"], hit["text"])}


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
    return Item(
        namespace=tuple(document.metadata["namespace"]),
        key=document.metadata["key"],
        value=json.loads(document.text or "{}"),
        created_at=document.created,
        updated_at=document.updated,
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
