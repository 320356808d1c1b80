"""Named texts in the log. Each version is an event, taking one away is an event too, and reading folds them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .answers import Event
from .calls import Answer
from .client import Idetic
from .errors import NotFound

PAGE = 1000
# A little less than the metadata of an event may have.
METADATA_BYTES = 60_000
METADATA_DEPTH = 24


@dataclass(frozen=True)
class Document:
    """A text under its name, as it stands."""

    name: str
    text: str | None
    """None where it was taken away."""
    metadata: Mapping[str, Any]
    event: str
    """The id of the event that made it so."""
    created: datetime
    updated: datetime


class Documents:
    """The texts of one source, each an event of the kind KIND.written or KIND.deleted with the name among its tags."""

    def __init__(self, client: Idetic, kind: str, source: str) -> None:
        self._client = client
        self.source = source
        self.written, self.deleted = f"{kind}.written", f"{kind}.deleted"

    def get(self, name: str) -> Document | None:
        """The text under a name, also where it was taken away."""
        return self._fold([name], limit=1).get(name)

    def all(self, tag: str | None = None) -> dict[str, Document]:
        """The texts with a tag, those taken away included, in the order in which they came to be."""
        return self._fold(None if tag is None else [tag])

    def _fold(self, tags: list[str] | None, limit: int | None = None) -> dict[str, Document]:
        try:
            events = self._client.log(source=self.source, tags=tags, limit=limit, page_size=PAGE)
            return fold(events, self.written, self.deleted)
        except NotFound:
            # The space comes to be with its first event.
            return {}

    def version(
        self,
        name: str,
        text: str | None,
        base: Document | None,
        *,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Answer:
        """The event that puts a text under a name, or takes it away. What stood there is recalled no more."""
        said = {"name": name, **(metadata or {})}
        if base is not None and base.text is not None:
            said |= {"supersedes": base.event, "created": base.created.isoformat()}
        return {
            "kind": self.deleted if text is None else self.written,
            "source": self.source,
            "content": text or "",
            "tags": [name, *tags],
            "metadata": said,
        }

    def next_version(self, name: str, text: str | None, base: Document | None) -> Answer:
        """The same, but only if nobody changes it first: two versions that follow the same one have the same id."""
        said = [self.source, name, base.event if base else ""]
        follows = hashlib.sha256("\0".join(said).encode()).hexdigest()[:32]
        return {"id": f"{self.written.partition('.')[0]}-{follows}", **self.version(name, text, base)}

    def append(self, versions: list[Answer]) -> None:
        """Writes versions, all or none of them."""
        if versions:
            self._client.append(versions)


def fold(events: Iterable[Event], written: str, deleted: str) -> dict[str, Document]:
    """What stands after these events."""
    documents: dict[str, Document] = {}
    for event in events:
        if event["kind"] not in (written, deleted):
            continue
        metadata = event["metadata"]
        name, at = metadata["name"], moment(event["ts"])
        text = event.get("content", "") if event["kind"] == written else None
        created = moment(metadata["created"]) if "created" in metadata else at
        if name in documents and documents[name].text is None:
            # What comes back comes last.
            del documents[name]
        documents[name] = Document(name, text, metadata, event["id"], created, at)
    return documents


def moment(text: str) -> datetime:
    """A time as the server writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def depth(value: Any) -> int:
    """How deep a value is nested."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)
