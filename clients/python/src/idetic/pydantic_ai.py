"""Conversations and memory for Pydantic AI: `IdeticConversationStore(memory)` and `memory_toolset(memory)`.

Each message is an event of its conversation and is recalled like everything else. A conversation that is deleted is
neither loaded nor listed any more; what was said in it stays until it is forgotten, because forks may share it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.toolsets import FunctionToolset

from .aio import AsyncIdetic
from .answers import Event
from .calls import Answer
from .errors import Conflict, NotFound
from .turns import item_of, newest_first, turn

SOURCE = "pydantic-ai"
# Nobody is reminded of what stands below `log.`, unless they ask for the kind.
RECORD, DELETED = "log.pydantic-ai.conversation", "log.pydantic-ai.deleted"
# Parts of messages that nobody says to anybody.
UNSAID = ("thinking", "system-prompt")
MESSAGE: TypeAdapter[ModelMessage] = TypeAdapter(ModelMessage)
RECORDS = TypeAdapter(ConversationRecord)


class IdeticConversationStore(ConversationStore):
    """The conversations of a space. Several stores with different names may share it."""

    def __init__(self, client: AsyncIdetic, name: str = SOURCE) -> None:
        self._client = client
        self._name = name

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        return record_of(await self._last_record(conversation_id))

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        found: dict[str, ConversationRecord | None] = {}
        wanted: dict[str, Any] = {"kind": {"in": [RECORD, DELETED]}}
        if scope is not None:
            wanted["metadata.scope"] = scope
        records: list[ConversationRecord] = []
        async for event in self._client.log(source=self._records, filter=wanted, reverse=True, page_size=100):
            if limit is not None and len(records) >= limit:
                break
            name = event["conversation_id"]
            if name not in found:
                found[name] = record_of(event)
                records += [own for own in [found[name]] if own is not None]
        return records

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        own = record.conversation_id
        before = await self._last_record(own)
        known = record_of(before)
        if (known.revision if known is not None else None) != expected_revision:
            raise ConversationConflict(own)
        if record.head_id is not None and record.head_id not in {entry.id for entry in new_entries}:
            try:
                await self.read_entry(record.head_id)
            except LookupError:
                raise ConversationConflict(own) from None
        events = [self._entry_event(own, entry) for entry in new_entries]
        events.append(self._record_event(RECORD, record, before))
        await self._append(own, events)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        before = await self._last_record(conversation_id)
        known = record_of(before)
        if known is None or known.revision != expected_revision:
            raise ConversationConflict(conversation_id)
        await self._append(conversation_id, [self._record_event(DELETED, known, before)])

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return entry_of(await self._entry(entry_id))

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        entries: list[ConversationEntry] = []
        wanted = head_id
        while wanted is not None and (limit is None or len(entries) < limit):
            # A fork goes on in the conversation it came from.
            conversation = (await self._entry(wanted))["conversation_id"]
            most = None if limit is None else limit - len(entries)
            begun = len(entries)
            async for event in newest_first(self._client, self._name, conversation, most):
                if event["metadata"]["entry"] == wanted:
                    entries.append(entry_of(event))
                    wanted = entries[-1].parent_id
            if len(entries) == begun:
                # It lies before the last ones: in a conversation that went another way since.
                entries.append(await self.read_entry(wanted))
                wanted = entries[-1].parent_id
        return entries[::-1]

    @property
    def _records(self) -> str:
        return f"{self._name}/records"

    async def _last_record(self, conversation: str) -> Event | None:
        return await anext(newest_first(self._client, self._records, conversation, 1), None)

    async def _entry(self, entry: str) -> Event:
        try:
            return await self._client.get(self._event_id(entry))
        except NotFound as error:
            raise LookupError(f"there is no entry {entry}") from error

    async def _append(self, conversation: str, events: list[Answer]) -> None:
        try:
            await self._client.append(events)
        except Conflict as error:
            raise ConversationConflict(conversation) from error

    def _event_id(self, entry: str) -> str:
        return f"{self._name}-{entry}"

    def _entry_event(self, conversation: str, entry: ConversationEntry) -> Answer:
        about = {"entry": entry.id, "parent": entry.parent_id}
        kind, text = ("user_input" if is_asked(entry.message) else "actor_output"), words(entry.message)
        item = MESSAGE.dump_python(entry.message, mode="json")
        return turn(self._name, conversation, kind, text, item, id=self._event_id(entry.id), metadata=about)

    def _record_event(self, kind: str, record: ConversationRecord, before: Event | None) -> Answer:
        # Two that follow the same record have the same id and different content: one of them is refused.
        follows = f"{self._name}\\0{record.conversation_id}\\0{before['id'] if before else ''}"
        name = f"{self._name}-{hashlib.sha256(follows.encode()).hexdigest()[:32]}"
        about = {} if record.scope is None else {"scope": record.scope}
        item = RECORDS.dump_python(record, mode="json")
        return turn(self._records, record.conversation_id, kind, "", item, id=name, metadata=about)


def record_of(event: Event | None) -> ConversationRecord | None:
    """The record that an event holds, unless it says that there is none any more."""
    return None if event is None or event["kind"] == DELETED else RECORDS.validate_python(item_of(event))


def entry_of(event: Event) -> ConversationEntry:
    about = event["metadata"]
    message = MESSAGE.validate_python(item_of(event))
    return ConversationEntry(id=about["entry"], parent_id=about.get("parent"), message=message)


def is_asked(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(part.part_kind == "user-prompt" for part in message.parts)


def words(message: ModelMessage) -> str:
    """What a person would read of a message."""
    said = [
        getattr(part, "content", "") for part in message.parts if part.part_kind not in ("thinking", "system-prompt")
    ]
    return "\n".join(text for text in said if isinstance(text, str) and text)


def memory_toolset(client: AsyncIdetic, *, limit: int = 5) -> FunctionToolset[Any]:
    """Tools with which an agent looks up and keeps what it knows."""
    toolset: FunctionToolset[Any] = FunctionToolset(id="idetic")

    @toolset.tool_plain
    async def recall(query: str) -> str:
        """Look up what is known: earlier conversations, facts, preferences.

        Args:
            query: What to look for, in plain words.
        """
        found = await client.recall(query=query, limit=limit)
        return "\n".join(f"- {hit['ts'][:10]}: {hit['text']}" for hit in found["hits"]) or "nothing is known about that"

    @toolset.tool_plain
    async def remember(text: str) -> str:
        """Keep one thing for later conversations.

        Args:
            text: What to keep, in one sentence.
        """
        kept = await client.remember(text)
        return f"remembered as {kept['id']}"

    return toolset
