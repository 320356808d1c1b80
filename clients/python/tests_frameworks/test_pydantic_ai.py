"""Pydantic AI's own agent with our store and tools, and our store beside Pydantic AI's own."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from idetic import AsyncIdetic
from idetic.pydantic_ai import IdeticConversationStore, memory_toolset


async def test_a_conversation_goes_on_after_it_was_stored(aclient: AsyncIdetic) -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(f"I have heard {len(messages)} messages")])

    agent = Agent(FunctionModel(answer))
    for expected in (1, 3, 5):
        store = IdeticConversationStore(aclient)
        conversation = await store.load("c1") or Conversation(conversation_id="c1")
        result = await agent.run("I drink green tea", conversation=conversation)
        assert result.output == f"I have heard {expected} messages"
        await store.save(result, scope="ann")
    stored = await store.load("c1", limit=2)
    assert stored is not None and len(stored.messages) == 2
    assert (await store.load("c1", scope="bob")) is None
    found = (await aclient.recall(query="tea", k=1))["hits"]
    assert [(hit["text"], hit["conversation_id"]) for hit in found] == [("I drink green tea", "c1")]
    # Two that save what they loaded at once: one of them is told.
    one, two = await store.load("c1"), await store.load("c1")
    assert one is not None and two is not None
    one.messages.append(ModelRequest(parts=[UserPromptPart("one")]))
    two.messages.append(ModelRequest(parts=[UserPromptPart("two")]))
    await store.save(one)
    with pytest.raises(ConversationConflict):
        await store.save(two)


async def test_an_agent_uses_the_tools(aclient: AsyncIdetic) -> None:
    agent = Agent(TestModel(), toolsets=[memory_toolset(aclient)])
    result = await agent.run("Use your memory")
    assert "remembered as" in result.output and "recall" in result.output
    await aclient.remember("The spare key lies below the third stone")

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("recall", {"query": "where is the spare key?"})])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])  # type: ignore[union-attr]

    assert "third stone" in (await Agent(FunctionModel(look), toolsets=[memory_toolset(aclient)]).run("?")).output


EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)


def said(text: str) -> ModelMessage:
    return ModelRequest(parts=[UserPromptPart(text, timestamp=EPOCH)])


async def test_random_conversations_are_as_in_pydantic_ais_own_store(aclient: AsyncIdetic) -> None:
    rng = random.Random(11)
    stores: list[ConversationStore] = [IdeticConversationStore(aclient), InMemoryConversationStore()]
    names = ["a", "b", "c"]

    async def step(store: ConversationStore, move: int, name: str, other: str, place: float, text: str) -> Any:
        loaded = await store.load(name)
        kept = 0 if loaded is None else int(place * (len(loaded.messages) + 1))
        if move == 0:
            await store.delete(name)
        elif move == 1 and loaded is not None:
            await store.branch(name, at=kept, expected_revision=loaded.revision)
        elif move == 2 and loaded is not None and await store.load(other) is None:
            await store.fork(name, at=kept, new_conversation_id=other)
        else:
            conversation = loaded or Conversation(conversation_id=name)
            conversation.messages += [said(f"{text} {n}") for n in range(2)]
            await store.save(conversation, scope="odd" if name == "a" else None)
        again = await store.load(name)
        window = await store.load(name, limit=2)
        listed = [record.conversation_id for record in await store.list_conversations()]
        scoped = [record.conversation_id for record in await store.list_conversations(scope="odd", limit=1)]
        return (again and again.messages, window and window.messages, listed, scoped)

    for number in range(40):
        name, other = rng.sample(names, 2)
        move, place = rng.choice([0, 1, 2, 3, 3, 3, 3]), rng.random()
        own, theirs = [await step(store, move, name, other, place, f"step {number}") for store in stores]
        assert own == theirs, (number, move, name)
