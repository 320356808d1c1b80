"""A memory block of LlamaIndex over Idetic: `Memory.from_defaults(memory_blocks=[IdeticMemoryBlock(client=Idetic())])`.

Messages that leave the short-term memory become events; what answers the last message is packed into a token budget,
fenced and cited, and nothing if nothing is good enough.
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field
from llama_index.core.memory import BaseMemoryBlock

from .client import Idetic
from .turns import turn

SOURCE = "llama-index"
KINDS = {MessageRole.USER: "user_input", MessageRole.ASSISTANT: "actor_output", MessageRole.TOOL: "tool_result"}


class IdeticMemoryBlock(BaseMemoryBlock[str]):
    """What was said before, in this session and in others."""

    name: str = "memory"
    client: Idetic
    budget: int = Field(default=800, description="About how many tokens the memories may have.")
    filter: dict[str, Any] | None = Field(default=None, description="Which events they are taken from.")

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = next((own.content for own in reversed(messages or []) if own.role == MessageRole.USER), None)
        if not asked:
            return ""
        found = await asyncio.to_thread(self.client.context, asked, budget=self.budget, filter=self.filter)
        return "" if found["abstained"] else str(found["text"])

    async def _aput(self, messages: list[ChatMessage]) -> None:
        turns = [
            turn(
                SOURCE,
                message.additional_kwargs.get("session_id"),
                KINDS.get(message.role, "system_event"),
                message.content,
                message.model_dump(mode="json", exclude_none=True),
            )
            for message in messages
            if message.content
        ]
        if turns:
            await asyncio.to_thread(self.client.append, turns)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The memories in fewer lines; the best stand first."""
        lines = content.splitlines()
        # A token is about four letters.
        surplus = tokens_to_truncate * 4
        while lines and surplus > 0:
            surplus -= len(lines.pop(-2 if len(lines) > 1 else -1)) + 1
        return "\n".join(lines) if len(lines) > 3 else None
