"""LlamaIndex's own memory and agent with our memory block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

from idetic import Idetic
from idetic.llama_index import IdeticMemoryBlock


def memory_of(client: Idetic, session: str) -> Memory:
    # So little room that everything but the last words leaves the short-term memory.
    return Memory.from_defaults(
        session_id=session,
        token_limit=400,
        chat_history_token_ratio=0.1,
        token_flush_size=20,
        memory_blocks=[IdeticMemoryBlock(client=client, budget=200)],
        tokenizer_fn=str.split,
    )


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


async def test_what_left_the_short_term_memory_comes_back_when_it_is_asked_for(client: Idetic) -> None:
    memory = memory_of(client, "one")
    await memory.aput_messages([user("My cat is called Minka"), ChatMessage(role="assistant", content="A fine name.")])
    for n in range(12):
        await memory.aput(user(f"Line {n} of a long story about the sea and the ships on it"))
        await memory.aput(ChatMessage(role="assistant", content=f"Go on, I have heard {n} lines."))
    kept = list(client.log())
    assert kept[0]["content"] == "My cat is called Minka" and {event["conversation_id"] for event in kept} == {"one"}
    await memory.aput(user("What is my cat called?"))
    given = await memory.aget()
    assert given[0].role == "system" and "My cat is called Minka" in (given[0].content or "")
    # Another session, and another program.
    other = memory_of(client, "two")
    await other.aput(user("Do you know what my cat is called?"))
    assert "Minka" in ((await other.aget())[0].content or "")


async def test_an_agent_is_reminded(client: Idetic) -> None:
    client.remember("Ann's birthday is on the 4th of May")

    def repeat(messages: Sequence[ChatMessage], **more: Any) -> ChatMessage:
        return ChatMessage(role="assistant", content="\n".join(message.content or "" for message in messages))

    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=repeat), tools=[])
    answer = await agent.run(user_msg="When is Ann's birthday?", memory=memory_of(client, "three"))
    assert "4th of May" in str(answer)


async def test_memories_are_shortened_from_their_end(client: Idetic) -> None:
    block = IdeticMemoryBlock(client=client)
    text = "Recalled\n```memory\n[1] one one one\n[2] two two two\n```"
    shorter = await block.atruncate(text, 3)
    assert shorter is not None and "[1]" in shorter and "[2]" not in shorter
    assert await block.atruncate(text, 1000) is None
