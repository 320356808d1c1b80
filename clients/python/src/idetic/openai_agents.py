"""A session of the OpenAI Agents SDK over Idetic: `Runner.run(agent, "…", session=IdeticSession("ann", memory))`.

Every item is an event of the conversation that the session is named after, of the kind that fits it, so that it is
recalled like everything else. What is popped or cleared is recalled no more, though it stays in the log; `purge` is for
what must be gone.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from agents import TResponseInputItem
from agents.memory import SessionSettings

from .aio import AsyncIdetic
from .answers import Event
from .calls import Answer
from .errors import Conflict
from .turns import item_of, newest_first, turn

SOURCE = "openai-agents"
TAKEN = "openai-agents.taken"
OTHER = "openai-agents.item"
KINDS = {"user": "user_input", "assistant": "actor_output", "system": "system_event", "developer": "system_event"}
TOOLS = {"function_call": "tool_call", "function_call_output": "tool_result"}
# So many ids fit into the metadata.
TAKEN_AT_ONCE = 1000


class IdeticSession:
    """The items of one session."""

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self, session_id: str, client: AsyncIdetic, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._client = client

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items, or the last so many of them."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = None if limit is None or limit < 0 else limit
        newest = [read(event) async for event in self._newest_first(most)]
        return newest[::-1]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items, all or none of them."""
        if items:
            await self._client.append([self._event(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the last item away."""
        while living := [event async for event in self._newest_first(1)]:
            last = living[0]["id"]
            # Two that take the same item away would write the same id with different content: one of them goes on.
            taken = {"id": f"popped-{last}", "metadata": {"by": str(uuid.uuid4()), "supersedes": [last]}}
            try:
                await self._client.append([self._mark(TAKEN) | taken])
            except Conflict:
                continue
            return read(living[0])
        return None

    async def clear_session(self) -> None:
        """Takes all items away."""
        ids = [event["id"] async for event in self._newest_first(None)]
        groups = [ids[at : at + TAKEN_AT_ONCE] for at in range(0, len(ids), TAKEN_AT_ONCE)]
        if groups:
            await self._client.append([self._mark(TAKEN) | {"metadata": {"supersedes": group}} for group in groups])

    def _newest_first(self, most: int | None) -> AsyncIterator[Event]:
        return newest_first(self._client, SOURCE, self.session_id, most, TAKEN)

    def _mark(self, kind: str) -> Answer:
        return {"kind": kind, "source": SOURCE, "conversation_id": self.session_id}

    def _event(self, item: TResponseInputItem) -> Answer:
        said = cast(Mapping[str, Any], item)
        return turn(SOURCE, self.session_id, kind_of(said), text_of(said), said)


def read(event: Event) -> TResponseInputItem:
    """The item that an event holds."""
    return cast(TResponseInputItem, item_of(event))


def kind_of(item: Mapping[str, Any]) -> str:
    """What an item is in the log."""
    return TOOLS.get(item.get("type", ""), "") or KINDS.get(item.get("role", ""), OTHER)


def text_of(item: Mapping[str, Any]) -> str:
    """What a person would read of an item."""
    if item.get("type") == "function_call":
        return f"{item.get('name', '')} {item.get('arguments', '')}"
    said = item.get("content", item.get("output", ""))
    if isinstance(said, str):
        return said
    parts = said if isinstance(said, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
