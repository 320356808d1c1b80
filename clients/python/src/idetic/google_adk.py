"""The memory service of Google's ADK over Idetic: `Runner(…, memory_service=IdeticMemoryService(Idetic()))`.

What users and agents said becomes events of the conversation that the session is named after. An app's user is found by
a filter on the server, so that all of them may share a space. `delete_memory` erases for good.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from .calls import Answer
from .client import Idetic
from .errors import Conflict, NotFound
from .turns import item_of, turn

SOURCE = "google-adk"


class IdeticMemoryService(BaseMemoryService):
    """The memory of all users of all apps of a space."""

    def __init__(self, client: Idetic, *, limit: int = 10) -> None:
        """A search finds at most `limit` memories."""
        self._client = client
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        about = {**(custom_metadata or {}), "app": app_name, "user": user_id}
        turns = [
            turn(
                SOURCE,
                session_id,
                "user_input" if event.author == "user" else "actor_output",
                words(event.content),
                event.content.model_dump(mode="json", exclude_none=True),
                # A session is added again and again: what is known is not added twice.
                id=name_of(app_name, user_id, session_id, event.id),
                author=event.author,
                ts=datetime.fromtimestamp(event.timestamp, timezone.utc).isoformat(),
                metadata=about,
            )
            for event in events
            if event.content is not None and words(event.content)
        ]
        await asyncio.to_thread(self._append, turns)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        turns = [
            turn(
                SOURCE,
                None,
                "memory.remembered",
                words(memory.content),
                memory.content.model_dump(mode="json", exclude_none=True),
                **{key: value for key, value in (("author", memory.author), ("ts", memory.timestamp)) if value},
                metadata={**(custom_metadata or {}), **memory.custom_metadata, "app": app_name, "user": user_id},
            )
            for memory in memories
        ]
        await asyncio.to_thread(self._append, turns)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        own = {"source": SOURCE, "metadata.app": app_name, "metadata.user": user_id}
        found = await asyncio.to_thread(self._client.recall, query=query, filter=own, limit=self._limit)
        return SearchMemoryResponse(memories=[entry_of(hit) for hit in found["hits"]])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        if memory_id:
            await asyncio.to_thread(self._erase, app_name, user_id, memory_id)

    def _append(self, turns: list[Answer]) -> None:
        try:
            if turns:
                self._client.append(turns)
        except Conflict:
            # One of them was deleted, and does not come back.
            for one in turns:
                with suppress(Conflict):
                    self._client.append([one])

    def _erase(self, app: str, user: str, memory: str) -> None:
        with suppress(NotFound):
            about = self._client.get(memory).get("metadata") or {}
            if (about.get("app"), about.get("user")) == (app, user):
                self._client.forget(id=memory, yes=True)


def words(content: types.Content) -> str:
    """What a person would read of a content."""
    return "\n".join(part.text for part in content.parts or [] if part.text)


def name_of(*names: str | None) -> str:
    return f"{SOURCE}-{hashlib.sha256(repr(names).encode()).hexdigest()[:32]}"


def entry_of(hit: Mapping[str, Any]) -> MemoryEntry:
    about = hit["metadata"]
    return MemoryEntry(
        content=types.Content.model_validate(item_of(dict(hit))),
        custom_metadata={key: value for key, value in about.items() if key not in ("app", "user", "item")},
        id=hit["id"],
        author=hit["author"],
        timestamp=hit["ts"],
    )
