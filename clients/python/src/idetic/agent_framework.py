"""Context and history for Microsoft's Agent Framework: `Agent(…, context_providers=[IdeticContextProvider(memory)])`.

`IdeticContextProvider` puts what answers the user's message before the model and keeps what was said;
`IdeticHistoryProvider` keeps the messages of sessions and brings back the last of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import AgentSession, ContextProvider, HistoryProvider, Message, SessionContext, SupportsAgentRun

from .aio import AsyncIdetic
from .calls import Answer
from .turns import item_of, newest_first, turn

SOURCE = "agent-framework"
KINDS = {"user": "user_input", "assistant": "actor_output", "tool": "tool_result"}


class IdeticContextProvider(ContextProvider):
    """What was said before, in this session and in others."""

    def __init__(
        self,
        client: AsyncIdetic,
        *,
        source_id: str = "idetic",
        budget: int = 800,
        filter: Mapping[str, Any] | None = None,
        keep: bool = True,
    ) -> None:
        """`keep` is for an agent whose sessions an IdeticHistoryProvider keeps: without it nothing is kept twice."""
        super().__init__(source_id)
        self._client, self._budget, self._filter, self._keep = client, budget, filter, keep

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        asked = "\n".join(message.text for message in context.input_messages if message.text)
        if not asked.strip():
            return
        found = await self._client.context(asked, budget=self._budget, filter=self._filter)
        if not found["abstained"]:
            context.extend_messages(self, [Message(role="user", contents=[found["text"]])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        answered = context.response.messages if context.response is not None else []
        said = [message for message in (*context.input_messages, *answered) if message.text]
        if self._keep and said:
            await self._client.append([event_of(session.session_id, message) for message in said])


class IdeticHistoryProvider(HistoryProvider):
    """The messages of sessions."""

    def __init__(
        self, client: AsyncIdetic, *, source_id: str = "idetic-history", last: int | None = None, **options: Any
    ) -> None:
        """`last` is how many messages are brought back [default: all]."""
        super().__init__(source_id, **options)
        self._client, self._last = client, last

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        if session_id is None:
            return []
        events = newest_first(self._client, SOURCE, session_id, self._last)
        newest = [Message.from_dict(item_of(event)) async for event in events]
        return newest[::-1]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if messages:
            await self._client.append([event_of(session_id, message) for message in messages])


def event_of(session: str | None, message: Message) -> Answer:
    kind = KINDS.get(str(message.role), "system_event")
    return turn(SOURCE, session, kind, message.text, message.to_dict(exclude={"raw_representation"}))
